"""Exercises of lesson 3: risk, as high as it must be and as it should be."""

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from sparknb.tutorials.exercises.points import (
    Point,
    is_request,
    newest,
    published,
    switched_on,
    there,
    tool_of,
)

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["costly_weather", "pay_order"]


async def pay_order(host: "Host") -> AsyncIterator[Point]:
    """03-1: a method, its floor, and a risk above it."""
    name = "pay_order"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Begin with the cell of cancel_order: another method, and a body.",
        f"%%spark_tool {name} --var service",
    )
    if tool is None:
        return
    definition = newest(tool)
    yield Point(
        is_met=is_request(definition, "PATCH", "/orders/{{id}}"),
        met="It changes the order with the number that the model gives.",
        missing="It does not change one order yet.",
        hint="A part of something that is there is changed by PATCH.",
        example="request: PATCH ${service}/orders/{{id}}",
    )
    body = definition["spec"]["request"].get("body", {})
    yield Point(
        is_met=_json(body.get("jsonTemplate")) == {"status": "paid"},
        met="It sets the status to paid, and nothing else.",
        missing="It does not set the status to paid, or more than that.",
        hint="What is always the same stands in the body as it is.",
        example="body: {status: paid}",
    )
    yield Point(
        is_met=definition["risk"] == "high-write",
        met="Its risk is high-write.",
        missing=f"Its risk is {definition['risk']} so far.",
        hint="What is derived may be set higher, in a line of its own.",
        example="risk: high-write",
    )
    yield published(tool, name)
    yield await switched_on(host, name)


async def costly_weather(host: "Host") -> AsyncIterator[Point]:
    """03-2: a tool that only reads, and asks all the same."""
    name = "city_weather"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Run the cells from the top of the lesson: one of them makes it.",
        "",
    )
    if tool is None:
        return
    definition = newest(tool)
    yield Point(
        is_met=definition["risk"] != "read",
        met="Its risk is above read, so that a person is asked.",
        missing="Its risk is read: nobody is asked.",
        hint="Copy its cell and add a line. What asks is a risk above read.",
        example="risk: low-write",
    )
    yield Point(
        is_met=definition["effect"] == "read",
        met="It still says that it only reads.",
        missing="It says that it changes something, which it does not.",
        hint="Risk is how careful to be; effect is what happens. Leave effect out, or"
        " write that it reads.",
        example="effect: read",
    )
    yield published(tool, name)
    yield await switched_on(host, name)


def _json(template: object) -> object:
    """Read a template that holds no placeholders; None when it is something else."""
    try:
        return json.loads(str(template))
    except ValueError:
        return None
