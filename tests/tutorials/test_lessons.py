"""The lessons as notebooks: they come out the same, and an exercise can be solved."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from sparknb.testing.room import as_environment, open_room
from sparknb.tutorials import LESSONS, shipped_folder
from sparknb.tutorials.exercises import EXERCISES
from tests.cli.conftest import environment
from tests.magics.notebooks import sockets
from tests.testing.conftest import check, write

ROOT = Path(__file__).parents[2]
LESSON = "01_first_tool.ipynb"


def load(name: str = LESSON) -> Any:
    text = (shipped_folder() / name).read_text(encoding="utf-8")
    return nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]  # its own


def cells(document: Any) -> dict[str, Any]:
    return {cell["id"]: cell for cell in document["cells"]}


def outputs(cell: Any) -> str:
    """Give the plain text that a cell shows."""
    texts = [each.get("data", {}).get("text/plain", "") for each in cell["outputs"]]
    return "\n".join(texts)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_each_lesson_has_all_that_a_lesson_has(lesson: Any) -> None:
    document = load(lesson.notebook)
    words = [cell.source for cell in document.cells if cell.cell_type == "markdown"]
    code = [cell for cell in document.cells if cell.cell_type == "code"]
    assert words[0].startswith(f"# {lesson.number}. {lesson.title}")
    assert [cell.source for cell in code[:2]] == [
        "%load_ext sparknb",
        "%spark home --temp",
    ]
    assert any("raises-exception" in cell.metadata.get("tags", ()) for cell in code)
    checked = [cell for cell in code if cell.source.startswith("spark.check(")]
    names = [name for name in EXERCISES if name.startswith(f"{lesson.number:02}-")]
    assert [cell.source for cell in checked] == [f'spark.check("{n}")' for n in names]
    assert 2 <= len(names) <= 4
    nbformat.validate(document)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_a_skipped_cell_was_not_run_and_all_others_were(lesson: Any) -> None:
    for cell in load(lesson.notebook).cells:
        if cell.cell_type == "code":
            is_skipped = "nbval-skip" in cell.metadata.get("tags", ())
            assert (cell.execution_count is None) == is_skipped
            assert not (is_skipped and cell.outputs)


def test_plain_pytest_finds_the_lessons_unchanged_on_any_port(tmp_path: Path) -> None:
    room = open_room(tmp_path, {})  # for its free ports
    room.close()
    port = room.variables["SPARKNB_EXAMPLES_PORT"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "notebooks/", "-q", "--color=no"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(SPARKNB_EXAMPLES_PORT=port),
        timeout=480,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    code = [
        cell
        for lesson in LESSONS
        for cell in load(lesson.notebook).cells
        if cell.cell_type == "code"
    ]
    skipped = sum("nbval-skip" in cell.metadata.get("tags", ()) for cell in code)
    assert f"{len(code) - skipped} passed, {skipped} skipped" in done.stdout


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a lesson, one word of one cell changed."""
    folder = tmp_path_factory.mktemp("broken")
    document = load()
    cells(document)["try"].source = "%%spark_test city_weather\ncity: Bergen"
    write(folder / LESSON, document)
    return folder


def test_a_lesson_with_one_broken_cell_fails_at_that_cell_alone(broken: Path) -> None:
    done = check(broken, ".", "--json")
    assert done.exit == 1
    [lesson] = done.document["notebooks"]
    failed = [cell for cell in lesson["cells"] if cell["outcome"] == "failed"]
    assert [cell["id"] for cell in failed] == ["try"]
    lines = failed[0]["message"].splitlines()
    assert "-   GET ${service}/weather?city=Oslo&units=metric" in lines
    assert "+   GET ${service}/weather?city=Bergen&units=metric" in lines


# ---------------------------------------------------------------------- exercises
CITIES = """%%spark_tool find_cities --var service
title: Find cities
description: Finds cities by a part of their name. Use it when it is not clear which.
params:
  q: {type: string, description: "Part of the name."}
  limit?: {type: integer, default: 3}
request: GET ${service}/cities?q={{q}}&limit={{limit}}
response: {format: json}"""
SHORT = "response: {format: json, extract: {Is: $.temperature, And: $.condition}}"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Any]:
    """Give a function that runs the lesson with answers in it, and gives its cells."""
    room = open_room(tmp_path, dict(os.environ))

    def run(**answers: str) -> dict[str, Any]:
        document = load()
        for name, source in answers.items():
            cells(document)[name.replace("_", "-")].source = source
        client = NotebookClient(
            document,
            timeout=60,
            skip_cells_with_tag="nbval-skip",
            allow_errors=True,
            config=sockets(tmp_path),
        )
        with as_environment(room.variables):
            client.execute(cwd=str(tmp_path))
        return cells(document)

    yield run
    room.close()


def test_the_exercises_can_be_solved_with_what_the_lesson_teaches(run: Any) -> None:
    weather = cells(load())["weather"].source
    answer = weather.replace("response: {format: json}", SHORT)
    assert answer != weather
    publish = "\nget_ipython().run_line_magic('spark', 'publish {} --yes')"
    found = run(
        answer_1=CITIES,
        check_1=publish.format("find_cities") + "\nspark.check('01-1')",
        answer_2=answer,
        check_2="first = spark.check('01-2')\ndisplay(first)"
        + publish.format("city_weather")
        + "\nspark.check('01-2')",
    )
    assert "Exercise 01-1 is solved." in outputs(found["check-1"])
    second = outputs(found["check-2"])
    assert second.index("agents still use version 1") < second.index("01-2 is solved")


def test_a_wrong_answer_gets_further_than_none_and_another_hint(run: Any) -> None:
    stored = outputs(cells(load())["check-1"])
    found = run(answer_1=CITIES.replace("limit?:", "limit:"))
    shown = outputs(found["check-1"])
    assert "There is a tool find_cities." in shown
    assert "Hint: A question mark behind the name" in shown
    assert shown != stored


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_the_stored_outputs_hold_no_place_of_a_machine(lesson: Any) -> None:
    text = json.dumps(load(lesson.notebook))
    for trace in ("ipykernel_", "/root", "/home/", "site-packages", "0x7f"):
        assert trace not in text
