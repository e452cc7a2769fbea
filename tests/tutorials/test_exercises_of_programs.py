"""Exercises of lesson 6: programs as people write them, from nothing to solved."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparknb.examples import ExampleService
from sparknb.tutorials import shipped_folder
from tests.tutorials.test_exercise_answers import Desk, changed

FAHRENHEIT = '''"""Degrees Fahrenheit

Turns degrees Celsius into degrees Fahrenheit. Use it for readers in the US.
"""


def run(celsius: float) -> float:
    return celsius * 9 / 5 + 32
'''
GAP = '''"""Temperature gap

Tells how many degrees lie between two cities today. Use it to compare them.
"""
# tools: city_weather


async def run(first: str, second: str) -> float:
    one = await call_tool("city_weather", {"city": first})
    other = await call_tool("city_weather", {"city": second})
    return abs(one["temperature"] - other["temperature"])
'''
GAP_IN_TYPESCRIPT = """/* ---
title: Temperature gap
description: Tells how many degrees lie between two cities today.
params: {first: {type: string}, second: {type: string}}
tools: [city_weather]
--- */
export default async function gap(input: any, sdk: any) {
  const ask = (city: string) => sdk.tools.call("city_weather", { city });
  const [one, other] = await Promise.all([ask(input.first), ask(input.second)]);
  return Math.round(Math.abs(one.temperature - other.temperature) * 10) / 10;
}
"""


@pytest.fixture
def desk(tmp_path: Path, example_service: ExampleService) -> Iterator[Desk]:
    opened = Desk(tmp_path / "home", example_service.url)
    yield opened
    opened.close()


def lesson_cell(name: str) -> str:
    """Give the body of a cell of the lesson."""
    file = shipped_folder() / "06_code_tools.ipynb"
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    (found,) = [cell for cell in cells if cell["id"] == name]
    return "".join(found["source"]).partition("\n")[2]


def test_06_1_a_program_leads_from_nothing_to_solved(desk: Desk) -> None:
    name = "to_fahrenheit"
    assert desk.state("06-1") == (0, "There is no tool to_fahrenheit yet.")
    desk.write(name, lesson_cell("weather"))
    assert desk.state("06-1") == (1, "It is no program.")
    desk.run(desk.host.studio.delete(name))
    for wrong in (("celsius: float", "celsius: float = 0"), ("celsius: float", "")):
        text = changed(FAHRENHEIT, wrong, ("celsius * 9 / 5", "9"))
        desk.write(name, text, kind="python")
        assert desk.state("06-1")[0] == 2
    desk.write(name, changed(FAHRENHEIT, ("9 / 5", "1.8 + 0")), kind="python")
    assert desk.state("06-1")[1] == "It is a draft so far, and agents see no drafts."
    desk.run(desk.host.studio.publish(name))
    assert desk.state("06-1") == (6, "solved")
    half = changed(FAHRENHEIT, ("celsius * 9 / 5 + 32", "celsius * 2 + 12"))
    desk.write(name, half, kind="python", publish=True)
    assert desk.state("06-1")[1] == "Only some temperatures come out right."
    desk.write(name, FAHRENHEIT, kind="python", publish=True)
    assert desk.state("06-1") == (6, "solved")


def test_06_2_a_program_that_asks_another_tool(desk: Desk) -> None:
    name = "temperature_gap"
    desk.write("city_weather", lesson_cell("weather"), publish=True)
    assert desk.state("06-2")[0] == 0
    one = changed(GAP, (", second: str", ""), ("second", "first"))
    desk.write(name, one, kind="python")
    assert desk.state("06-2") == (
        2,
        "It does not take two cities, first and second.",
    )
    desk.write(name, changed(GAP, ("# tools: city_weather\n", "")), kind="python")
    assert desk.state("06-2") == (3, "It may not call city_weather.")
    desk.write(name, changed(GAP, ("abs(one", "(2 * one")), kind="python", publish=True)
    assert desk.state("06-2")[1].startswith("A call does not give the difference")
    desk.write(name, GAP, kind="python", publish=True)
    assert desk.state("06-2") == (6, "solved")
    desk.run(desk.host.studio.set_enabled(name, False))
    assert desk.state("06-2")[1].startswith("It is switched off")


@pytest.mark.parametrize("answer", ["'warm'", "None", "{'gap': 1.0}", "True", "'{'"])
def test_06_2_an_answer_that_is_no_number_is_shown(desk: Desk, answer: str) -> None:
    desk.write("city_weather", lesson_cell("weather"), publish=True)
    text = changed(GAP, ("-> float", "-> object"))
    head, _, _ = text.rpartition("    return ")
    desk.write(
        "temperature_gap", f"{head}    return {answer}\n", kind="python", publish=True
    )
    assert desk.state("06-2")[0] == 5


def test_06_2_is_solved_in_typescript_as_well(desk: Desk) -> None:
    desk.write("city_weather", lesson_cell("weather"), publish=True)
    desk.write("temperature_gap", GAP_IN_TYPESCRIPT, kind="typescript", publish=True)
    assert desk.state("06-2") == (6, "solved")
