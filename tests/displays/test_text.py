import os
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from sparknb.commands.running import failed
from sparknb.commands.views import Column, Line, Problems, ResultView, Table, View
from sparknb.core.errors import InvalidInputError, refusal
from sparknb.core.problems import Problem
from sparknb.core.results import ResultMeta, ToolResult
from sparknb.displays import printable, to_ansi, to_html, to_text
from tests.displays.gallery import VIEWS


@pytest.mark.parametrize("name", VIEWS)
def test_each_kind_of_view_has_its_text(name: str, snapshot: SnapshotAssertion) -> None:
    assert to_text(VIEWS[name]) == snapshot


@pytest.mark.parametrize("name", VIEWS)
def test_text_holds_no_control_characters(name: str) -> None:
    text = to_text(VIEWS[name])
    assert text == printable(text)
    assert text.encode()
    assert not any(line.endswith(" ") for line in text.split("\n"))


@pytest.mark.parametrize("name", VIEWS)
def test_colours_add_nothing_but_colours(
    name: str, snapshot: SnapshotAssertion
) -> None:
    assert to_ansi(VIEWS[name]) == snapshot


def test_only_what_is_ours_is_coloured() -> None:
    shown = to_ansi(Line("\x1b[31mred\x9b0m"))
    assert "\x1b" not in shown
    assert "\x1b[" in to_ansi(Line("x", "done"))


@pytest.mark.parametrize("name", ["tools", "draft", "problems", "approval"])
def test_text_keeps_within_its_width(name: str) -> None:
    for width in (40, 60, 100):
        lines = to_text(VIEWS[name], width=width).split("\n")
        assert max(map(cell_len, lines)) <= width


def test_text_is_the_same_wherever_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [(to_text(view), to_ansi(view)) for view in VIEWS.values()]
    changes = {
        "COLUMNS": "30",
        "FORCE_COLOR": "1",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "JUPYTER_COLUMNS": "20",
        "TTY_COMPATIBLE": "1",
        "PYTHONIOENCODING": "ascii",
    }
    for name, value in changes.items():
        monkeypatch.setitem(os.environ, name, value)
    assert [(to_text(view), to_ansi(view)) for view in VIEWS.values()] == expected


@given(st.text(max_size=300))
def test_no_text_reaches_the_reader_raw(text: str) -> None:
    shown = to_text(Line(text))
    assert shown == printable(shown)


def test_notices_are_a_line_each_without_a_code() -> None:
    view = Problems(
        problems=[
            Problem(code="IMPORT_NOTICE", message="one", level="notice"),
            Problem(code="IMPORT_NOTICE", message="two", path="a", level="notice"),
            Problem(code="SECRET_IN_CELL", message="three", level="warning"),
        ]
    )
    assert to_text(view) == "i one\ni a  two\n! SECRET_IN_CELL\n  three"
    assert "IMPORT_NOTICE" not in to_html(view)
    assert "SECRET_IN_CELL" in to_html(view)


def test_a_table_breaks_long_texts_before_ids_and_addresses() -> None:
    columns = (
        Column("ID"),
        Column("TITLE", wraps=True),
        Column("SECRETS", wraps=True),
        Column("WHY", wraps=True),
    )
    words = ["POST 127.0.0.1:8787/orders", "authorization_secret", "why so " * 20]
    shown = to_text(Table(title="T", columns=columns, rows=[["a", *words]]), width=80)
    assert "127.0.0.1:8787/orders" in shown
    assert "authorization_secret" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_table_of_short_texts_is_no_wider_than_they_are() -> None:
    columns = (Column("ID"), Column("TITLE", wraps=True), Column("N", "right"))
    shown = to_text(Table(title="T", columns=columns, rows=[["a", "b c", "1"]]))
    assert shown == "ID   TITLE   N\na    b c     1"


@pytest.mark.parametrize("draw", [to_text, to_html])
def test_a_refusal_says_the_sentence_of_a_listed_problem_once(
    draw: Callable[[View], str],
) -> None:
    sentence = "the module os cannot be imported"
    problem = Problem(code="CODE_IMPORT", message=sentence, path="source", line=2)
    refused = failed(refusal([problem], "the cell")).view
    assert draw(refused).count(sentence) == 1
    assert "the cell has one problem" in draw(refused)
    both = failed(refusal([problem, replace(problem, message="b")], "the cell")).view
    assert draw(both).count(sentence) == 1
    assert "the cell has 2 problems" in draw(both)


@pytest.mark.parametrize("draw", [to_text, to_html])
def test_a_refusal_says_a_sentence_that_no_list_has(
    draw: Callable[[View], str],
) -> None:
    problem = Problem(code="FIELD_VALUE", message="the text is not JSON")
    shown = draw(failed(refusal([problem])).view)
    assert "the definition has one problem: the text is not JSON" in shown
    pointed = replace(problem, path="spec")
    other = failed(InvalidInputError("it cannot be: no", problems=[pointed])).view
    assert "it cannot be: no" in draw(other)


@pytest.mark.parametrize("draw", [to_text, to_html])
def test_a_refused_call_says_the_sentence_of_a_listed_problem_once(
    draw: Callable[[View], str],
) -> None:
    sentence = "input.city must be a string"
    problem = Problem(code="INVALID_INPUT", message=sentence, path="input.city")
    refused = ToolResult(
        ok=False, text=sentence, error_code="INVALID_INPUT", problems=[problem]
    )
    assert draw(ResultView(refused)).count(sentence) == 1
    for other in (
        replace(refused, problems=[]),
        replace(refused, problems=[replace(problem, path="")]),
        replace(refused, text=f"it failed: {sentence}"),
    ):
        assert other.text in draw(ResultView(other))


def test_the_hint_stands_right_below_what_a_failure_says() -> None:
    result = ToolResult(
        ok=False, text="it failed\nprinted:\nso far\n", error_code="X", hint="try"
    )
    assert to_text(ResultView(result)).endswith("so far\n  → try")


@pytest.mark.parametrize("draw", [to_text, to_html])
def test_a_result_of_one_byte_has_one_byte(draw: Callable[[View], str]) -> None:
    for number, said in ((0, "0 bytes"), (1, "1 byte"), (1200, "1,200 bytes")):
        result = ToolResult(ok=True, text="4", meta=ResultMeta(bytes=number))
        assert re.search(f"{said}(?!s)", draw(ResultView(result)))
