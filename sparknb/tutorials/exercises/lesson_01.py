"""Exercises of lesson 1: a tool of one's own, and a second version."""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sparknb.tutorials.exercises.points import Point, published, tool_of, works

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["find_cities", "short_weather"]


async def find_cities(host: "Host") -> AsyncIterator[Point]:
    """01-1: a tool of one's own, published."""
    tool = await tool_of(host, "find_cities")
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
    yield published(tool, "find_cities")
    yield await works(host, "find_cities", {"q": "Oslo"}, "Oslo")


async def short_weather(host: "Host") -> AsyncIterator[Point]:
    """01-2: a second version, and the difference between a draft and a version."""
    tool = await tool_of(host, "city_weather")
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
    yield published(tool, "city_weather")
    yield await works(host, "city_weather", {"city": "Oslo"}, "", hides="humidity")
