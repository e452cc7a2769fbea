"""Exercises of lesson 5: a version that goes back, and one that waits."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sparknb.tutorials.exercises.points import (
    Point,
    is_request,
    newest,
    there,
    tool_of,
    works,
)

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["bring_back", "next_version"]

_RUN = "Run the cells from the top of the lesson: one of them makes it."
_DAY = "day?: {type: integer, default: 0}"
_REQUEST = "request: GET ${service}/weather?city={{city}}&units={{units}}&day={{day}}"


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
    for point in _changes(newest(tool)):
        yield point
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
    yield await _tried(host, name)


def _changes(definition: Mapping[str, Any]) -> Iterator[Point]:
    """Ask for a day, and for all that the tool could do before."""
    schema: Mapping[str, Any] = definition["inputSchema"]
    properties: Mapping[str, Any] = schema["properties"]
    request: Mapping[str, Any] = definition["spec"].get("request", {})
    query = urlsplit(str(request.get("urlTemplate", ""))).query.split("&")
    day = properties.get("day", {})
    yield Point(
        is_met=day.get("type") == "integer" and "day={{day}}" in query,
        met="It takes a day, which goes into the request.",
        missing="It does not take a day yet.",
        hint="Copy the cell that brought units, under 'A draft beside the version':"
        " the last one has the typing error. A day is an integer, and the request has"
        " day= too.",
        example=f"params:\n  {_DAY}\n{_REQUEST}",
    )
    lost = [
        each
        for each in ("city", "units")
        if each not in properties or f"{each}={{{{{each}}}}}" not in query
    ]
    yield Point(
        is_met=not lost,
        met="What agents could give before, they still can.",
        missing=f"It does not take {' and '.join(lost)} any more.",
        hint="A new version keeps what is in use: under params, and in the request.",
        example=_REQUEST,
    )
    yield Point(
        is_met=schema.get("required", []) == ["city"] and day.get("default") == 0,
        met="Only the city has to be given.",
        missing="More than the city has to be given, or the day is not 0 then.",
        hint="A question mark behind a name says that it may be left out; default says"
        " what it is then.",
        example=_DAY,
    )
    yield Point(
        is_met=is_request(definition, "GET", "/weather"),
        met="The request goes where it went before.",
        missing="The request goes elsewhere than in the version that works.",
        hint="Is it the typing error of Friday? The address is that of version 2.",
        example=_REQUEST,
    )


async def _tried(host: "Host", name: str) -> Point:
    """Ask that the draft works, so that it can be published as it is."""
    result = await host.studio.test(name, {"city": "Oslo"})
    return Point(
        is_met=result.ok,
        met="It was tried, and works.",
        missing="The draft does not work.",
        hint="This is what came:",
        example=result.text[:300],
    )
