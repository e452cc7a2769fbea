"""What a cell says, short enough to compare."""

from typing import Any

from sparknb.core.problems import Problem
from sparknb.importers.cell import Cell, read_cell

WEATHER = """\
title: Weather lookup
description: Current weather of one city. Use only when the user asks about the weather now.
params:
  city: {type: string, description: City name}
  units?: {type: string, enum: [metric, imperial], default: metric}     # ? = optional
request: GET http://127.0.0.1:8765/weather?city={{city}}&units={{units}}
headers: {X-Api-Key: secret:api_key}
response: {format: json, extract: {Temperature: $.current.temp_c}}
"""  # noqa: E501  # the example of the specification, as it stands there

PLAIN = """\
title: Items
description: Finds items by their name.
request: GET http://127.0.0.1/items
"""


def read(body: str, tool_id: str | None = "weather", **variables: str) -> Cell:
    return read_cell(body, variables, tool_id=tool_id)


def problems(body: str, **variables: str) -> list[Problem]:
    return list(read(body, **variables).check())


def told(body: str, **variables: str) -> list[tuple[int, str, str]]:
    """Give line, path and code of all that is wrong, in order."""
    cell = read(body, **variables)
    found = cell.check()
    lines = cell.lines([p.path for p in found])
    return [(lines[p.path], p.path, p.code) for p in found]


def only(body: str, **variables: str) -> tuple[int, Problem]:
    """Give the one problem with its line."""
    cell = read(body, **variables)
    (found,) = cell.check()
    return cell.lines([found.path])[found.path], found


def document(body: str, **variables: str) -> dict[str, Any]:
    """Give the definition of a cell in which nothing is wrong."""
    cell = read(body, **variables)
    assert [str(p) for p in cell.check() if p.level == "error"] == []
    assert cell.document is not None
    return cell.document
