import re

import pytest

from sparknb.commands.views import (
    Card,
    Code,
    Column,
    Diff,
    Failure,
    Fields,
    Line,
    Problems,
    ResultView,
    Section,
    Stack,
    Table,
    View,
)
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult
from sparknb.displays import Shown, to_ansi, to_html, to_text
from tests.displays.gallery import VIEWS
from tests.displays.reading import read

MANY = 10_000
HUGE = "x" * 1_000_000

_PROBLEMS = [Problem(code="CODE", message=str(n), path=str(n)) for n in range(MANY)]
_NONE = Problems(problems=[])

LONG: dict[str, tuple[View, str]] = {
    "table": (
        Table(title="T", columns=[Column("N")], rows=[[str(n)] for n in range(MANY)]),
        "9,500 more rows left out",
    ),
    "fields": (Fields([(str(n), "x") for n in range(MANY)]), "9,500 more values"),
    "section": (Section("S", [(str(n), "x") for n in range(MANY)]), "9,500 more lines"),
    "problems": (Problems(problems=_PROBLEMS), "9,500 more problems left out"),
    "diff": (Diff([f"+{n}" for n in range(MANY)]), "9,500 more lines left out"),
    "stack": (Stack([Line(str(n)) for n in range(MANY)]), "9,500 more parts left out"),
    "card": (
        Card("C", [("names", Fields([(str(n), "x") for n in range(MANY)]))]),
        "9,500 left out",
    ),
    "causes": (
        ResultView(ToolResult(ok=False, text="no", error_code="X", problems=_PROBLEMS)),
        "9,500 more problems left out",
    ),
    "failure": (
        Failure(
            code="X",
            message="no",
            hint=None,
            path="",
            problems=Problems(problems=_PROBLEMS),
        ),
        "9,500 more problems left out",
    ),
    "result": (
        ResultView(ToolResult(ok=True, text=HUGE)),
        "950,000 more characters left out",
    ),
    "printed": (
        ResultView(ToolResult(ok=True, text="1", printed=HUGE)),
        "950,000 more characters left out",
    ),
    "refusal": (
        ResultView(ToolResult(ok=False, text=HUGE, error_code="X")),
        "950,000 more characters left out",
    ),
    "code": (Code(HUGE), "950,000 more characters left out"),
    "line": (Line(HUGE), "995,000 more characters"),
    "cell": (
        Table(title="T", columns=[Column("A")], rows=[[HUGE]]),
        "995,000 more characters",
    ),
    "value": (Card("C", [("a", Code(HUGE)), ("b", HUGE)]), "995,000 more characters"),
    "message": (
        Failure(code="X", message=HUGE, hint=HUGE, path="", problems=_NONE),
        "995,000 more characters",
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_what_is_left_out_is_said(name: str) -> None:
    view, said = LONG[name]
    for text in (to_text(view), to_ansi(view), read(to_html(view)).text):
        assert said in re.sub(r"(\x1b\[[0-9;]*m|[\s│])+", " ", text)
        assert len(text) < 400_000


@pytest.mark.parametrize("name", VIEWS)
def test_what_fits_is_shown_whole(name: str) -> None:
    assert "left out" not in to_text(VIEWS[name])


def test_a_document_that_is_too_long_is_left_out_and_that_is_said() -> None:
    mime = "application/vnd.sparknb.v1+json"
    bundle = Shown(Line("x"), {"text": HUGE}, kind="result")._repr_mimebundle_()
    assert bundle[mime]["document"] is None
    assert "too long" in bundle[mime]["leftOut"]
