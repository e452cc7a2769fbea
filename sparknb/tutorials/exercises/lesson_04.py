"""Exercises of lesson 4: a value that only a person gives."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from sparknb.tutorials.exercises.points import (
    Point,
    is_request,
    newest,
    published,
    there,
    tool_of,
    works,
)

if TYPE_CHECKING:
    from sparknb.host import Host
    from sparknb.host.outcomes import ToolDetail

__all__ = ["my_orders", "shop_account"]


async def shop_account(host: "Host") -> AsyncIterator[Point]:
    """04-1: the value for a secret that is declared."""
    name = "shop_account"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Run the cells from the top of the lesson: one of them makes it.",
        "",
    )
    if tool is None:
        return
    yield _has_value(tool, name, "token")
    yield published(tool, name)
    yield await works(
        host,
        name,
        {},
        "bearer",
        said="The service did not know the token: it begins with Bearer and a space.",
    )


async def my_orders(host: "Host") -> AsyncIterator[Point]:
    """04-2: a tool with a secret of its own."""
    name = "my_orders"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Begin with the cell of who_am_i: another name, and another request.",
        f"%%spark_tool {name} --var service",
    )
    if tool is None:
        return
    definition = newest(tool)
    yield Point(
        is_met=is_request(definition, "GET", "/orders"),
        met="It asks the service for orders.",
        missing="It does not ask the service for orders.",
        hint="The request reads, so it is a GET, and its path is /orders.",
        example="request: GET ${service}/orders?limit={{limit}}",
    )
    headers = definition["spec"]["request"].get("headers", ())
    yield Point(
        is_met=any(
            header["name"].lower() == "x-api-key"
            and header.get("secretRef") == "api_key"
            for header in headers
        ),
        met="It sends the secret api_key as X-Api-Key.",
        missing="It does not send the secret api_key as X-Api-Key.",
        hint="A header whose value is secret: and a name.",
        example='headers: {X-Api-Key: "secret:api_key"}',
    )
    yield _has_value(tool, name, "api_key")
    yield published(tool, name)
    yield await works(host, name, {}, "Oslo")


def _has_value(tool: "ToolDetail", tool_id: str, secret: str) -> Point:
    return Point(
        is_met=tool.secret_status.get(secret) is True,
        met=f"{secret} has a value.",
        missing=f"{secret} has no value yet.",
        hint="A field takes it, and forgets it at once.",
        example=f'spark.secret("{tool_id}", "{secret}")',
    )
