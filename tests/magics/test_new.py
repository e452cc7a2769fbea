"""`%spark new` puts a ready cell below; that cell makes a tool."""

import pytest

from sparknb.importers.starters import STARTERS
from tests.magics.kernels import Cell, Kernel

WHOLE = [each.kind for each in STARTERS if not each.blanks]


def below(cell: Cell) -> str:
    """Give the cell that the front end is asked to put below."""
    (payload,) = cell.reply["payload"]
    assert (payload["source"], payload["replace"]) == ("set_next_input", False)
    text: str = payload["text"]
    return text


@pytest.mark.parametrize("kind", WHOLE)
def test_the_ready_cell_makes_a_draft_and_the_next_one_another(
    kernel: Kernel, kind: str
) -> None:
    first = below(kernel.run(f"%spark new {kind}", answers=[]))
    made = kernel.run(first)
    assert made.error is None, made.traceback
    assert "is a new tool: draft version 1" in made.text
    second = below(kernel.run(f"%spark new {kind}", answers=[]))
    words = first.partition("\n")[0].split()
    assert second.partition("\n")[0].split() == [words[0], f"{words[1]}_2", *words[2:]]
    assert second.partition("\n")[2] == first.partition("\n")[2]


def test_a_cell_with_a_blank_says_which_field_is_left(kernel: Kernel) -> None:
    shown = kernel.run("%spark new vision", answers=[])
    assert "spec.providerProfileId" in shown.text
    cell = below(shown)
    name, text = kernel.run(cell).error or ("", "")
    assert name == "SparkMagicError"
    assert "providerProfileId" in text
    filled = cell.replace('providerProfileId: ""', "providerProfileId: eyes")
    assert kernel.run(filled).error is None


def test_where_nobody_can_be_asked_no_cell_is_put_anywhere(kernel: Kernel) -> None:
    shown = kernel.run("%spark new http")
    assert shown.error is None
    assert shown.reply["payload"] == []
    assert "http_tool" in shown.text


def test_a_saved_tool_is_put_below_as_a_cell_that_makes_it(kernel: Kernel) -> None:
    kept = kernel.run("%spark new http --id mine --save", answers=[])
    assert "%spark show mine --cell" in kept.text
    cell = below(kernel.run("%spark show mine --cell", answers=[]))
    again = kernel.run(cell)
    assert again.error is None, again.traceback
    assert "not changed" in again.text or "unchanged" in again.text


@pytest.mark.parametrize("kind", ["python", "typescript"])
def test_a_program_is_tried_published_and_put_below_again(
    kernel: Kernel, kind: str
) -> None:
    made = kernel.run(below(kernel.run(f"%spark new {kind} --id words", answers=[])))
    assert made.error is None, made.traceback
    tried = kernel.run("%%spark_test words\ntext: so it goes")
    assert '"words": 3' in tried.text
    assert kernel.run("%spark publish words --yes").error is None
    cell = below(kernel.run("%spark show words --cell", answers=[]))
    assert cell.startswith(f"%%spark_tool words --type {kind}\n")
    assert "unchanged" in kernel.run(cell).text


def test_a_mistake_in_a_program_is_told_at_the_line_of_the_cell(
    kernel: Kernel,
) -> None:
    cell = '%%spark_tool words --type python\n"""Counts words."""\n\nimport os\n'
    name, text = kernel.run(f"{cell}def run(x) -> int:\n    return 1\n").error or (
        "",
        "",
    )
    assert name == "SparkMagicError"
    assert [line.partition(":")[0] for line in text.splitlines()] == [
        "CODE_IMPORT source (cell line 4, column 8)",
        "CODE_ENTRY params.x (cell line 5, column 9)",
    ]


@pytest.mark.parametrize("comment", ["# risk: destructive", "#risk:destructive"])
def test_a_program_whose_risk_is_read_nowhere_is_not_published(
    kernel: Kernel, comment: str
) -> None:
    cell = (
        '%%spark_tool misread --type python --publish\n"""Reads words."""\n'
        f"import math\n{comment}\ndef run():\n    return math.pi\n"
    )
    refused = kernel.run(cell)
    name, text = refused.error or ("", "")
    assert name == "SparkMagicError"
    assert "line 4" in text
    shown = f"{refused.text} {refused.traceback}"
    assert "settings stand above the first" in " ".join(shown.split())
    assert "misread" not in kernel.run("%spark list").text


def test_a_shown_cell_says_which_variables_it_takes(kernel: Kernel) -> None:
    kernel.run("base = 'http://127.0.0.1:9'")
    cell = (
        "%%spark_tool weather --var base\ntitle: Weather\n"
        "description: Tells the weather of today.\nrequest: GET ${base}/weather"
    )
    assert kernel.run(cell).error is None
    shown = kernel.run("%spark show weather --cell", answers=[])
    assert shown.text.startswith("%%spark_tool weather --var base\n")
    assert "GET ${base}/weather" in shown.text
    assert "is unchanged" in kernel.run(shown.text).text
    assert "is unchanged" in kernel.run(below(shown)).text
    named = kernel.run("%spark show weather --cell --var base", answers=[])
    assert named.text == shown.text
    assert below(named) == shown.text
    name, text = kernel.run("%spark show weather --var base").error or ("", "")
    assert (name, text.partition(":")[0]) == ("SparkMagicError", "USAGE --var")
