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
        met: What is said when it is there.
        missing: What is said when it is not.
        hint: How to get there.
        example: What to write for it.
    """

    is_met: bool
    met: str
    missing: str
    hint: str
    example: str = ""


Exercise = Callable[["Host"], AsyncIterator[Point]]
"""Gives the points in the order in which a person meets them."""


async def _find_cities(host: "Host") -> AsyncIterator[Point]:
    """01-1: a tool of one's own, published."""
    tool = await _tool(host, "find_cities")
    yield Point(
        is_met=tool is not None,
        met="There is a tool find_cities.",
        missing="There is no tool find_cities yet.",
        hint="Begin with the cell of city_weather: another name in the first line,"
        " another title and description, other params, another request.",
        example="%%spark_tool find_cities --var service",
    )
    if tool is None:
        return
    newest = tool.draft or tool.shown
    request: Mapping[str, Any] = newest.definition["spec"].get("request", {})
    url = str(request.get("urlTemplate", ""))
    yield Point(
        is_met=request.get("method") == "GET" and urlsplit(url).path == "/cities",
        met="It asks the service for cities.",
        missing="It does not ask the service for cities.",
        hint="The request reads, so it is a GET, and its path is /cities.",
        example="request: GET ${service}/cities?q={{q}}",
    )
    schema = newest.definition["inputSchema"]
    yield Point(
        is_met="q" in schema.get("required", ()) and "{{q}}" in url,
        met="The part of the name, q, must be given and goes into the request.",
        missing="The part of the name, q, is no parameter that must be given and that"
        " goes into the request.",
        hint="A parameter stands under params, without a question mark when it must be"
        " given; its value goes where the request has its name in double braces.",
        example='params:\n  q: {type: string, description: "Part of the name."}\n'
        "request: GET ${service}/cities?q={{q}}",
    )
    limit: Mapping[str, Any] = schema["properties"].get("limit", {})
    yield Point(
        is_met=limit.get("default") == 3  # noqa: PLR2004  # what the lesson asks for
        and limit.get("type") == "integer"
        and "limit" not in schema.get("required", ())
        and "{{limit}}" in url,
        met="The number of cities, limit, may be left out and is 3 then.",
        missing="The number of cities, limit, is not yet an integer that may be left"
        " out, is 3 then, and goes into the request.",
        hint="A question mark behind the name says that it may be left out.",
        example="params:\n  limit?: {type: integer, default: 3}\n"
        "request: GET ${service}/cities?q={{q}}&limit={{limit}}",
    )
    yield _published(tool, "find_cities")
    yield await _works(host, "find_cities", {"q": "Oslo"}, "Oslo")


async def _short_weather(host: "Host") -> AsyncIterator[Point]:
    """01-2: a second version, and the difference between a draft and a version."""
    tool = await _tool(host, "city_weather")
    yield Point(
        is_met=tool is not None,
        met="There is a tool city_weather.",
        missing="There is no tool city_weather.",
        hint="Run the cells from the top of the lesson: one of them makes it.",
    )
    if tool is None:
        return
    newest = tool.draft or tool.shown
    response: Mapping[str, Any] = newest.definition["spec"].get("response", {})
    paths = sorted(part["jsonPath"] for part in response.get("extract", ()))
    yield Point(
        is_met=bool(paths),
        met="It takes parts out of the answer.",
        missing="It still gives the whole answer.",
        hint="Copy the cell of city_weather and change its last line: extract names"
        " each part, and says where in the answer it stands.",
        example="response: {format: json, extract: {Temperature: $.temperature, ...}}",
    )
    yield Point(
        is_met=paths == ["$.condition", "$.temperature"],
        met="The parts are the temperature and the condition.",
        missing="The parts are not yet the temperature and the condition, and only"
        " those.",
        hint="A path is $. and the name that the answer has for it: look at the answer"
        " for Oslo above.",
        example="extract: {Temperature: $.temperature, Condition: $.condition}",
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
        missing = "It is a draft so far, and agents see no drafts."
    else:
        missing = f"This is a draft so far: agents still use version {published}."
    return Point(
        is_met=published is not None and tool.draft is None,
        met="It is published.",
        missing=missing,
        hint="Publish it.",
        example=f"%spark publish {tool_id} --yes",
    )


async def _works(
    host: "Host",
    tool_id: str,
    arguments: Mapping[str, Any],
    shows: str,
    hides: str | None = None,
) -> Point:
    """Call the published tool, if that needs nobody's yes."""
    met = "An agent can call it, and gets what it should."
    entry = (await host.surface()).get(f"custom_{tool_id}")
    if entry is None:
        return Point(
            is_met=False,
            met=met,
            missing="It is switched off: agents do not see it.",
            hint="Switch it on.",
            example=f"%spark enable {tool_id} --yes",
        )
    if entry.risk != "read":
        return Point(
            is_met=False,
            met=met,
            missing="It asks a person before each call, although it only reads.",
            hint="Leave risk, effect and idempotency out of the cell: they follow from"
            " the request.",
        )
    result = await host.call(tool_id, arguments)
    is_right = shows in result.text and (hides is None or hides not in result.text)
    return Point(
        is_met=result.ok and is_right,
        met=met,
        missing="A call did not give what it should.",
        hint="This is what came:",
        example=result.text[:300],
    )


EXERCISES: Mapping[str, Exercise] = {
    "01-1": _find_cities,
    "01-2": _short_weather,
}
