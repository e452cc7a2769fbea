"""The exercises of the lessons: what an answer must be, point by point."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sparknb.core.errors import NotFoundError

if TYPE_CHECKING:
    from sparknb.host import Host
    from sparknb.host.outcomes import ToolDetail

__all__ = ["EXERCISES", "Exercise", "Point"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One thing that an answer must have.

    Attributes:
        said: It, as a sentence that is true when it is met.
        hint: How to get there.
    """

    said: str
    is_met: bool
    hint: str


Exercise = Callable[["Host"], AsyncIterator[Point]]
"""Gives the points in the order in which a person meets them."""


async def _find_cities(host: "Host") -> AsyncIterator[Point]:
    """01-1: a tool of one's own, published."""
    tool = await _tool(host, "find_cities")
    yield Point(
        said="There is a tool find_cities.",
        is_met=tool is not None,
        hint="Begin a cell with %%spark_tool find_cities --var service and write below"
        " it what city_weather has: title, description, params, request, response.",
    )
    if tool is None:
        return
    newest = tool.draft or tool.shown
    request: Mapping[str, Any] = newest.definition["spec"].get("request", {})
    url = str(request.get("urlTemplate", ""))
    yield Point(
        said="It asks the service for cities.",
        is_met=request.get("method") == "GET" and urlsplit(url).path == "/cities",
        hint="Its line begins: request: GET ${service}/cities?q=",
    )
    schema = newest.definition["inputSchema"]
    yield Point(
        said="The part of the name, q, must be given, and goes into the request.",
        is_met="q" in schema.get("required", ()) and "{{q}}" in url,
        hint='Under params: q: {type: string, description: "Part of the name."} and in'
        " the request: ?q={{q}}",
    )
    limit: Mapping[str, Any] = schema["properties"].get("limit", {})
    yield Point(
        said="The number of cities, limit, may be left out and is 3 then.",
        is_met=limit.get("default") == 3  # noqa: PLR2004  # what the lesson asks for
        and limit.get("type") == "integer"
        and "limit" not in schema.get("required", ())
        and "{{limit}}" in url,
        hint="A question mark says that it may be left out:"
        " limit?: {type: integer, default: 3} and in the request: &limit={{limit}}",
    )
    yield _published(tool, "find_cities")
    yield await _works(host, "find_cities", {"q": "Oslo"}, "Oslo")


async def _short_weather(host: "Host") -> AsyncIterator[Point]:
    """01-2: a second version, and the difference between a draft and a version."""
    tool = await _tool(host, "city_weather")
    yield Point(
        said="There is a tool city_weather.",
        is_met=tool is not None,
        hint="Run the cells above first: they make it.",
    )
    if tool is None:
        return
    newest = tool.draft or tool.shown
    response: Mapping[str, Any] = newest.definition["spec"].get("response", {})
    extract: Mapping[str, str] = response.get("extract", {})
    yield Point(
        said="It takes parts out of the answer.",
        is_met=bool(extract),
        hint="Copy its cell, and change the last line to: response: {format: json,"
        " extract: {Temperature: $.temperature, ...}}",
    )
    yield Point(
        said="The parts are the temperature and the condition, and no others.",
        is_met=sorted(extract.values()) == ["$.condition", "$.temperature"],
        hint="The paths are $.temperature and $.condition: the names that the test of"
        " Oslo shows above.",
    )
    yield _published(tool, "city_weather")
    yield await _works(host, "city_weather", {"city": "Oslo"}, "", hides="humidity")


async def _tool(host: "Host", tool_id: str) -> "ToolDetail | None":
    try:
        return await host.studio.get(tool_id)
    except NotFoundError:
        return None


def _published(tool: "ToolDetail", tool_id: str) -> Point:
    published = tool.tool.published_version
    if published is None:
        why = "It is a draft so far, and agents see no drafts."
    else:
        why = f"Your change is a draft so far: agents still use version {published}."
    return Point(
        said="What you wrote is published.",
        is_met=published is not None and tool.draft is None,
        hint=f"{why} Run: %spark publish {tool_id} --yes",
    )


async def _works(
    host: "Host",
    tool_id: str,
    arguments: Mapping[str, Any],
    shows: str,
    hides: str | None = None,
) -> Point:
    """Call the published tool, if that needs nobody's yes."""
    entry = (await host.surface()).get(f"custom_{tool_id}")
    said = "An agent can call it, and gets what it should."
    if entry is None:
        hint = f"It is switched off: %spark enable {tool_id} --yes"
        return Point(said=said, is_met=False, hint=hint)
    if entry.risk != "read":
        hint = "It asks before each call: leave out risk, effect and idempotency."
        return Point(said=said, is_met=False, hint=hint)
    result = await host.call(tool_id, arguments)
    is_right = shows in result.text and (hides is None or hides not in result.text)
    hint = f"The call gave: {result.text[:200]}"
    return Point(said=said, is_met=result.ok and is_right, hint=hint)


EXERCISES: Mapping[str, Exercise] = {
    "01-1": _find_cities,
    "01-2": _short_weather,
}
