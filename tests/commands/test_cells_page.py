"""docs/cells.md: its examples work, what it calls refused is refused."""

import re
from pathlib import Path

import pytest

from sparknb.commands.cells import CELL_COMMANDS
from sparknb.examples import ExampleService
from sparknb.importers.cell import events, forms, read_cell
from tests.commands.cells import Notebook

PAGE = (Path(__file__).parents[2] / "docs" / "cells.md").read_text(encoding="utf-8")
CELLS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PROGRAMS = re.findall(r"^```ipython\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
_REFUSALS = PAGE.partition("## What is refused")[2]
REFUSED = re.findall(r"^\| `([^`]+)` \|", _REFUSALS, re.MULTILINE)
PLAIN = """title: Items
description: Finds items by their name.
request: POST http://127.0.0.1/items
"""


def test_the_cells_of_the_page_work_one_after_the_other(
    notebook: Notebook, example_service: ExampleService
) -> None:
    host = example_service.url.removeprefix("http://")
    assert len(CELLS) >= 6
    answers = []
    for cell in CELLS:
        if cell.startswith("%%spark_test order_item"):
            key = notebook.session.host.secrets.set(
                "order_item", "api_key", example_service.api_key
            )
            notebook.session.run(key)
        here = cell.replace("127.0.0.1:8700", host)
        outcome = notebook.run(here, variables={"host": host})
        assert outcome.exit_code == 0, outcome.document
        assert not outcome.document.get("warnings")
        answers.append(outcome)
    tested = [a.document["text"] for a in answers if "text" in a.document]
    assert "Temperature" in tested[0]
    assert "Lima" in tested[1]


def test_the_programs_of_the_page_pass_every_check_and_run(
    notebook: Notebook, example_service: ExampleService
) -> None:
    (cities,) = [cell for cell in CELLS if cell.startswith("%%spark_tool cities")]
    host = example_service.url.removeprefix("http://")
    notebook.run(cities, variables={"host": host}, options=["--publish"])
    said = []
    inputs = ('{"text": "so it goes", "least": 3}', '{"part": "o"}', '{"text": "hey"}')
    for cell, given in zip(PROGRAMS, inputs, strict=True):
        outcome = notebook.run(cell, options=["--test", given])
        assert outcome.exit_code == 0, outcome.document
        assert outcome.document["warnings"] == []
        said.append(outcome.document["test"]["text"])
    assert said[0] == "1"
    assert "o" in said[1]
    assert said[2] == "HEY!"


def test_every_setting_of_a_program_is_on_the_page() -> None:
    table = PAGE.partition("### Settings")[2].partition("##")[0]
    for key in (*forms.SETTINGS, "title"):
        assert f"`{key}`" in table


def test_every_option_of_the_magics_is_on_the_page() -> None:
    for command in CELL_COMMANDS:
        for option in command.options:
            assert f"`{option.name}" in PAGE


def test_every_key_of_the_short_form_is_on_the_page() -> None:
    table = PAGE.partition("## Short form")[2].partition("###")[0]
    for key in (*forms.SHORT_KEYS, "id", "type"):
        assert f"`{key}`" in table


def test_the_limits_are_on_the_page() -> None:
    for limit in (events.MAX_BYTES, events.MAX_VALUES, events.MAX_DEPTH):
        assert f"{limit:,}" in PAGE


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_page_calls_refused_is_refused(text: str) -> None:
    assert len(REFUSED) > 20
    key = text.partition(":")[0]
    kept = [line for line in PLAIN.splitlines() if not line.startswith(f"{key}:")]
    rest = PLAIN if text == "title: Again" else "\n".join([*kept, ""])
    cell = read_cell(f"{rest}{text}\n", tool_id="items")
    found = [p for p in cell.check() if p.level == "error"]
    lines = cell.lines([p.path for p in found])
    assert found
    assert {lines[p.path] for p in found} == {rest.count("\n") + 2}
