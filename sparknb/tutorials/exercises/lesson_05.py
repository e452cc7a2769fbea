"""Exercises of lesson 5: a version that goes back, and one that waits."""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from sparknb.tutorials.exercises.points import Point, newest, there, tool_of, works

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["bring_back", "next_version"]

_RUN = "Run the cells from the top of the lesson: one of them makes it."


async def bring_back(host: "Host") -> AsyncIterator[Point]:
    """05-1: agents use what worked before."""
    name = "find_city"
    tool = await tool_of(host, name)
    yield there(tool, name, _RUN, "")
    if tool is None:
        return
    yield Point(
        is_met=tool.draft is None,
        met="No draft is in the way.",
        missing="A draft is pending, and a rollback would run over it.",
        hint="Look at it, then publish it or drop it.",
        example=f"%spark discard {name} --yes",
    )
    source = tool.published.source_version if tool.published else None
    yield Point(
        is_met=source == 1,
        met="What is published is a copy of version 1.",
        missing="What is published is not version 1 again.",
        hint="A rollback takes the number of the version that worked.",
        example=f"%spark rollback {name} 1 --yes",
    )
    yield await works(host, name, {"q": "Oslo"}, "Oslo")


async def next_version(host: "Host") -> AsyncIterator[Point]:
    """05-2: a change that nobody uses yet."""
    name = "city_weather"
    tool = await tool_of(host, name)
    yield there(tool, name, _RUN, "")
    if tool is None:
        return
    definition = newest(tool)
    day = definition["inputSchema"]["properties"].get("day", {})
    request: Mapping[str, Any] = definition["spec"].get("request", {})
    url = str(request.get("urlTemplate", ""))
    yield Point(
        is_met=day.get("type") == "integer" and "day={{day}}" in url,
        met="It takes a day, which goes into the request.",
        missing="It does not take a day yet.",
        hint="Copy its newest cell; a day is an integer, and the request has day= too.",
        example="params:\n  day?: {type: integer, default: 0}\n"
        "request: GET ${service}/weather?city={{city}}&day={{day}}",
    )
    yield Point(
        is_met=tool.draft is not None,
        met="It waits as a draft.",
        missing="Agents use it already, and it should wait.",
        hint="Go back to the version before, and save the change again without"
        " publishing it.",
        example=f"%spark rollback {name} N --yes",
    )
    published = tool.published.definition if tool.published else None
    before = published and published["inputSchema"]["properties"]
    yield Point(
        is_met=before is not None and "day" not in before,
        met="Agents still use the version without it.",
        missing="Agents use a version that takes a day.",
        hint="Go back to a version without it first.",
        example=f"%spark rollback {name} N --yes",
    )
