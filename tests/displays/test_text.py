import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from sparknb.commands.views import Column, Line, Problems, Table
from sparknb.core.problems import Problem
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
