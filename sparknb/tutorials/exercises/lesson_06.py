"""Exercises of lesson 6: a program of one's own, and one that calls a tool."""

import math
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from sparknb.tutorials.exercises.points import (
    Point,
    newest,
    published,
    switched_on,
    there,
    tool_of,
    works,
)

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["temperature_gap", "to_fahrenheit"]

_NUMBERS = ("number", "integer")
_ROUNDED = 0.05


async def to_fahrenheit(host: "Host") -> AsyncIterator[Point]:
    """06-1: a program that computes, published."""
    name = "to_fahrenheit"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Begin with the cell of split_bill: another name, another docstring, another"
        " run.",
        f"%%spark_tool {name} --type python",
    )
    if tool is None:
        return
    definition = newest(tool)
    yield _is_program(definition)
    schema = definition["inputSchema"]
    celsius: Mapping[str, Any] = schema["properties"].get("celsius", {})
    yield Point(
        is_met=celsius.get("type") in _NUMBERS
        and schema.get("required") == ["celsius"],
        met="It takes celsius, a number that must be given.",
        missing="It does not take just celsius, a number that must be given.",
        hint="A parameter of run without a default must be given; a number is a float.",
        example="def run(celsius: float) -> float:",
    )
    yield published(tool, name)
    yield await works(host, name, {"celsius": 100}, "212")
    yield await works(
        host,
        name,
        {"celsius": -40},
        "-40",
        met="Temperatures below zero come out right, too.",
        said="Only some temperatures come out right.",
    )


async def temperature_gap(host: "Host") -> AsyncIterator[Point]:
    """06-2: a program that asks another tool twice."""
    name = "temperature_gap"
    tool = await tool_of(host, name)
    yield there(
        tool,
        name,
        "Begin with the cell of warmest_city, or with the one of weather_line.",
        f"%%spark_tool {name} --type python",
    )
    if tool is None:
        return
    definition = newest(tool)
    yield _is_program(definition)
    yield Point(
        is_met={"first", "second"} <= set(definition["inputSchema"]["properties"]),
        met="It takes two cities, first and second.",
        missing="It does not take two cities, first and second.",
        hint="Each is a parameter of its own, a text.",
        example="def run(first: str, second: str) -> float:",
    )
    permissions = definition["spec"].get("permissions", {})
    yield Point(
        is_met="city_weather" in permissions.get("toolIds", ()),
        met="It may call city_weather.",
        missing="It may not call city_weather.",
        hint="A program calls the tools that its settings name, and no others.",
        example="# tools: city_weather",
    )
    yield published(tool, name)
    yield await _gap(host, name)


def _is_program(definition: Mapping[str, Any]) -> Point:
    return Point(
        is_met=definition["type"] == "code",
        met="It is a program.",
        missing="It is no program.",
        hint="--type in the first line of its cell says what the cell holds.",
        example="--type python",
    )


async def _gap(host: "Host", name: str) -> Point:
    """Ask for the difference that city_weather leads to."""
    if (await host.surface()).get(f"custom_{name}") is None:
        return await switched_on(host, name)
    oslo, lima = [
        _number((await host.call("city_weather", {"city": city})).data, "temperature")
        for city in ("Oslo", "Lima")
    ]
    result = await host.call(name, {"first": "Oslo", "second": "Lima"})
    found = _number(result.data)
    is_right = False
    if oslo is not None and lima is not None and found is not None:
        is_right = math.isclose(abs(found), abs(oslo - lima), abs_tol=_ROUNDED)
    return Point(
        is_met=result.ok and is_right,
        met="An agent can call it, and gets the difference of the temperatures.",
        missing="A call does not give the difference of the two temperatures.",
        hint="It gives a number alone. This is what came for Oslo and Lima:",
        example=result.text[:300],
    )


def _number(value: Any, key: str = "") -> float | None:
    """Give a number that is a value, or stands in it under a key."""
    if key:
        value = value.get(key) if isinstance(value, dict) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None
