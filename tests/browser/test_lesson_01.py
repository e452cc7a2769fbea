"""Notebook 01 in a real browser, worked through as a reader does."""

import json
import shutil
from pathlib import Path
from typing import Any

from sparknb.examples import API_KEY
from tests.browser.desk import OWN_KERNEL, Desk
from tests.browser.notebook_page import NotebookPage, text_of
from tests.browser.shop import asked, button

LESSON = Path(__file__).parents[2] / "notebooks" / "01_first_tool.ipynb"

# What differs in the browser: another port, a keychain without the key, one more order.
DIFFERENT = (
    "%spark examples serve",
    "%spark secret status",
    "%%spark_tool order_map",
    "%%spark_test order_map",
)

FIND_CITIES = """%%spark_tool find_cities --var service --publish
title: Find cities
description: Finds cities by a part of their name. Use it when one is not known exactly.
params:
  q: {type: string, description: "A part of the name, such as berg."}
  limit?: {type: integer, default: 3}
request: GET ${service}/cities?q={{q}}&limit={{limit}}
response: {format: json}
"""

EXTRACT = "extract: {Temperature: $.temperature, Condition: $.condition}"


class Lesson:
    """The lesson as it was shipped, and as it is in the browser."""

    def __init__(self, notebook: NotebookPage) -> None:
        self.notebook = notebook
        self._cells: list[dict[str, Any]] = json.loads(LESSON.read_text("utf-8"))[
            "cells"
        ]

    def code(self) -> list[int]:
        """Give the numbers of the code cells."""
        kinds = [cell["cell_type"] for cell in self._cells]
        return [index for index, kind in enumerate(kinds) if kind == "code"]

    def source(self, index: int) -> str:
        return "".join(self._cells[index]["source"])

    def is_for_a_person(self, index: int) -> bool:
        """Tell whether a cell waits for what only a person can do."""
        return "nbval-skip" in self._cells[index]["metadata"].get("tags", [])

    def stored(self, index: int) -> list[str]:
        return [text_of(output) for output in self._cells[index]["outputs"]]

    def find(self, start: str) -> int:
        """Give the number of the code cell that begins so."""
        (found,) = [i for i in self.code() if self.source(i).startswith(start)]
        return found


def do(lesson: Lesson, index: int) -> None:
    """Run a cell, and do what the text before it asks for."""
    notebook = lesson.notebook
    notebook.start(index)
    if lesson.source(index).startswith("spark.secret"):
        notebook.wait(index)
        output = notebook.output(index)
        output.get_by_label("Value", exact=True).fill(API_KEY)
        button(output, "Save").click()
        output.get_by_role("status").get_by_text("Stored.").wait_for()
    elif lesson.is_for_a_person(index):
        button(asked(notebook, index), "Approve").click()
    notebook.wait(index)


def test_a_reader_works_through_lesson_01(desk: Desk) -> None:
    file = desk.server.notebooks / LESSON.name
    shutil.copy(LESSON, file)
    notebook = desk.open_file(file, kernel=OWN_KERNEL)
    lesson = Lesson(notebook)
    for index in lesson.code():
        do(lesson, index)
        is_other = lesson.source(index).startswith(DIFFERENT)
        if not is_other and not lesson.is_for_a_person(index):
            shown = [text_of(output) for output in notebook.outputs(index)]
            assert shown == lesson.stored(index), lesson.source(index)
    desk.pictures(notebook.whole(), "lesson-01")

    first = lesson.find("# Your cell for 01-1")
    notebook.set_source(first, FIND_CITIES)
    notebook.run(first)
    notebook.run(lesson.find('spark.check("01-1")'))
    assert "Exercise 01-1 is solved" in notebook.text(first + 1)

    weather = lesson.source(lesson.find("%%spark_tool city_weather"))
    second = lesson.find("# Your cell for 01-2")
    shorter = weather.replace("{format: json}", f"{{format: json, {EXTRACT}}}")
    notebook.set_source(
        second, shorter.replace("city_weather", "city_weather --publish")
    )
    notebook.run(second)
    notebook.run(lesson.find('spark.check("01-2")'))
    assert "Exercise 01-2 is solved" in notebook.text(second + 1)
