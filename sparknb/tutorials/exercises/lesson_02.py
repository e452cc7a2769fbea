"""Exercises of lesson 2: a pasted command, and one operation of an API."""

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

__all__ = ["get_country", "search_cities"]


async def search_cities(host: "Host") -> AsyncIterator[Point]:
    """02-1: a command becomes a tool whose values the model fills in."""
    name = "search_cities"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Paste the command below the magic that makes tools of commands.",
        f"%%spark_curl {name} --params auto --var service",
    )
    if tool is None:
        return
    definition = newest(tool)
    yield Point(
        is_met=is_request(definition, "GET", "/cities"),
        met="It asks the service for cities.",
        missing="It does not ask the service for cities.",
        hint="Paste the whole command: -G says that the values go into the address.",
    )
    properties = definition["inputSchema"]["properties"]
    yield Point(
        is_met={"q", "limit"} <= set(properties),
        met="The model fills in q and limit.",
        missing="q and limit are written into the tool: it can do one search only.",
        hint="--params auto makes parameters of the values in a command.",
        example=f"%%spark_curl {name} --params auto --var service",
    )
    yield published(tool, name)
    yield await works(host, name, {"q": "Oslo", "limit": 1}, "Oslo", hides="Lima")


async def get_country(host: "Host") -> AsyncIterator[Point]:
    """02-2: one operation out of a description, with words that help a model."""
    name = "get_country"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Import the one operation: its name stands in the list above.",
        "%spark import openapi ${service}/openapi.json --var service"
        " --operation getCountry --save",
    )
    if tool is None:
        return
    definition = newest(tool)
    yield Point(
        is_met=is_request(definition, "GET", "/countries/{{code}}"),
        met="It asks the service for one country.",
        missing="It does not ask the service for one country.",
        hint="The operation getCountry reads /countries/{code}.",
    )
    yield Point(
        is_met="use it when" in str(definition["description"]).lower(),
        met="Its description says when to use it.",
        missing="Its description does not say when to use it.",
        hint="Write the tool as a cell, and begin a sentence of the description with"
        " Use it when. %spark show shows what the import made.",
        example=f"%%spark_tool {name} --var service",
    )
    yield published(tool, name)
    yield await works(host, name, {"code": "NO"}, "Norway")
