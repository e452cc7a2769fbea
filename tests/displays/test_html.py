import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from sparknb.commands.context import Question
from sparknb.commands.views import (
    Code,
    Column,
    Diff,
    Failure,
    Fields,
    Line,
    Problems,
    ResultView,
    Section,
    Span,
    Stack,
    Table,
    View,
)
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult
from sparknb.displays import printable, question_view, to_html
from tests.displays.gallery import HOSTILE, TOOLS, VIEWS
from tests.displays.reading import read

ELEMENTS = {
    *("div", "p", "span", "strong", "code", "pre", "ins", "del", "ul", "li"),
    *("dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"style", "class", "role", "aria-label", "scope", "tabindex"}


def everywhere(text: str) -> list[View]:
    """Give views that show a text in each place where they can."""
    problem = Problem(code="CODE", message=text, path=text, hint=text)
    listed = Problems(problems=[problem], source=text, lines={text: 1})
    failed = ToolResult(ok=False, text=text, error_code="X", hint=text)
    return [
        Line(text, "failed"),
        Line((Span(text, "bad"), Span(text, "strong"))),
        Table(title=text, columns=[Column(text)], rows=[[text], [Span(text, "good")]]),
        Table(title=text, columns=[Column(text)], rows=[], empty=text),
        Fields([(text, text)]),
        listed,
        Code(text),
        Diff([text, f"+{text}", f"-{text}", f"@{text}"]),
        ResultView(ToolResult(ok=True, text=text, request={"url": text}), True),
        ResultView(ToolResult(ok=True, text="", printed=text)),
        ResultView(failed),
        Failure(code="X", message=text, hint=text, path=text, problems=listed),
        Section(text, [(text, text)]),
        question_view(Question(text, ((text, text),))),
    ]


@pytest.mark.parametrize("name", VIEWS)
def test_each_kind_of_view_has_its_html(name: str, snapshot: SnapshotAssertion) -> None:
    assert to_html(VIEWS[name]).replace("><", ">\n<") == snapshot


@pytest.mark.parametrize("name", VIEWS)
def test_html_is_made_of_few_elements_and_brings_nothing_along(name: str) -> None:
    found = read(to_html(VIEWS[name]))
    assert set(found.elements) <= ELEMENTS
    assert {attribute for _, attribute, _ in found.attributes} <= ATTRIBUTES
    for _, attribute, value in found.attributes:
        assert attribute != "style" or not re.search(r"url|@import|expression", value)


@given(st.text(max_size=200))
def test_whatever_is_shown_is_text(text: str) -> None:
    expected = printable(text)
    for view in everywhere(text):
        found = read(to_html(view))
        assert set(found.elements) <= ELEMENTS
        assert {attribute for _, attribute, _ in found.attributes} <= ATTRIBUTES
        assert expected in found.text
        assert found.text == printable(found.text)


@pytest.mark.parametrize("view", everywhere(HOSTILE), ids=lambda v: type(v).__name__)
def test_hostile_text_is_text_in_every_view(view: View) -> None:
    found = read(to_html(view))
    assert set(found.elements) <= ELEMENTS
    assert printable(HOSTILE) in found.text
    assert to_html(view).encode()


def test_a_table_says_what_it_is_and_what_its_cells_belong_to() -> None:
    html = to_html(TOOLS)
    found = read(html)
    assert found.elements.index("caption") == found.elements.index("table") + 1
    scopes = [value for _, name, value in found.attributes if name == "scope"]
    assert scopes == ["col"] * len(TOOLS.columns) + ["row"] * len(TOOLS.rows)
    assert "Tools" in found.texts
    assert html.index("<thead") < html.index("<tbody")


def test_what_a_sign_means_is_said_to_those_who_do_not_see_it() -> None:
    found = read(to_html(VIEWS["problems"]))
    labels = [value for _, name, value in found.attributes if name == "aria-label"]
    assert labels == ["failed", "error", "hint", "error", "warning", "notice"]


def test_text_says_everything_without_colours_and_styles() -> None:
    text = read(to_html(VIEWS["problems"])).text
    for part in ("✗", "!", "risk", "RISK_FLOOR", "cell line 9", "→"):
        assert part in text


def test_a_first_empty_line_is_not_lost() -> None:
    # a parser drops the line end that follows <pre>
    assert re.search(r"<pre[^>]*>\n\na<", to_html(Code("\na")))


def test_a_long_text_scrolls_and_can_be_reached_by_keyboard() -> None:
    short, long = Code("a\n" * 10), Code("a\n" * 100)
    assert "tabindex" not in to_html(short)
    found = read(to_html(long))
    assert ("pre", "tabindex", "0") in found.attributes
    assert ("pre", "aria-label", "text of 101 lines") in found.attributes


def test_dollars_are_not_taken_for_formulas() -> None:
    assert to_html(Line("from $5 to $10")).startswith(
        '<div class="sparknb tex2jax_ignore mathjax_ignore"'
    )


def test_two_outputs_share_no_ids() -> None:
    assert " id=" not in to_html(Stack(list(VIEWS.values())))
