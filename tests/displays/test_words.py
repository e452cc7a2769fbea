import dataclasses
from typing import Any

import pytest

from sparknb.commands.index import COMMANDS
from sparknb.commands.views import Code, Diff, Failure, Line, Problems, ResultView
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult
from sparknb.displays import in_notebook, renamed, to_html, to_text
from tests.displays.gallery import VIEWS


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("`sparknb list` shows the tools", "`%spark list` shows the tools"),
        ("sparknb publish weather", "%spark publish weather"),
        ("sparknb secret set weather key", "%spark secret set weather key"),
        ("(run sparknb doctor)", "(run %spark doctor)"),
        ("sparknb list, then sparknb show x", "%spark list, then %spark show x"),
        ("`sparknb examples serve` starts it", "`%spark examples serve` starts it"),
    ],
)
def test_a_command_is_named_as_a_cell_takes_it(said: str, shown: str) -> None:
    assert in_notebook(said) == shown
    assert in_notebook(shown) == shown


@pytest.mark.parametrize(
    "said",
    [
        "sparknb demo shows the whole way",
        "`sparknb mcp --print-config claude`",
        "sparknb itself failed",
        "sparknb lists nothing",
        "pass show key | sparknb secret set weather key",
        "/opt/bin/sparknb list",
        "%sparknb list",
        "",
    ],
)
def test_other_words_stay(said: str) -> None:
    assert in_notebook(said) == said


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.words)
def test_every_command_that_a_cell_can_run_is_known(command: Any) -> None:
    program = f"sparknb {command.words}"
    runs = command.run is not None or command.path == ("examples", "serve")
    assert in_notebook(program) == (f"%spark {command.words}" if runs else program)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_with_the_same_words_looks_the_same(name: str) -> None:
    view = renamed(VIEWS[name], lambda text: text)
    assert to_text(view) == to_text(VIEWS[name])
    assert to_html(view) == to_html(VIEWS[name])


@pytest.mark.parametrize("name", sorted({"draft", "tools", "section", "question"}))
def test_all_words_of_ours_change(name: str) -> None:
    quiet = to_text(renamed(VIEWS[name], lambda text: "·" * len(text)))
    assert not any(character.isalpha() for character in quiet)


def test_what_is_not_ours_keeps_its_words() -> None:
    said = "sparknb list"
    for view in (Code(said), Diff([said]), ResultView(ToolResult(ok=True, text=said))):
        assert to_text(renamed(view, in_notebook)) == to_text(view)


def test_hints_change_and_codes_and_paths_do_not() -> None:
    problem = Problem(code="CODE", path="path", message="m", hint="sparknb list")
    listed = Problems(problems=[problem], source="sparknb list", lines={"path": 3})
    failure = Failure(code="CODE", message="no", hint=None, path="p", problems=listed)
    text = to_text(renamed(failure, lambda words: words.upper()))
    assert "CODE  NO" in text
    assert "path  CODE  sparknb list:3" in text
    assert "→ SPARKNB LIST" in text


def test_the_view_before_is_left_alone() -> None:
    line = Line("sparknb list")
    assert renamed(line, in_notebook) == dataclasses.replace(line, text="%spark list")
    assert line.text == "sparknb list"
