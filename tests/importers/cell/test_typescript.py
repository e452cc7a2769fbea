"""Cells of type typescript: a header in YAML, and the program below it."""

from typing import Any

import pytest

from sparknb.core.problems import Problem
from sparknb.importers.cell import Cell, read_cell

HEADER = """\
/* ---
title: Count words
description: Counts words, when the user asks how long a text is.
params:
  text: {type: string, description: The text}
  most?: {type: integer, default: 3}
tools: [weather]
--- */
"""
PROGRAM = "export default (input) => `${input.text} {{x}}`;\n"


def read(body: str, **variables: str) -> Cell:
    return read_cell(body, variables, tool_id="words", tool_type="typescript")


def told(body: str, **variables: str) -> list[tuple[int, str, str]]:
    cell = read(body, **variables)
    found = cell.check()
    lines = cell.lines([p.path for p in found])
    return [(p.line or lines[p.path], p.path, p.code) for p in found]


def document(body: str, **variables: str) -> dict[str, Any]:
    assert told(body, **variables) == []
    made = read(body, **variables).document
    assert made is not None
    return made


def test_the_header_makes_the_definition_and_is_no_part_of_the_program() -> None:
    made = document(f"{HEADER}\n{PROGRAM}")
    assert made["type"] == "code"
    assert made["title"] == "Count words"
    assert made["inputSchema"] == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The text"},
            "most": {"type": "integer", "default": 3},
        },
        "required": ["text"],
    }
    assert made["spec"] == {
        "runtime": {"language": "typescript", "source": PROGRAM},
        "permissions": {"toolIds": ["weather"]},
    }


def test_problems_have_the_lines_of_the_cell() -> None:
    header = HEADER.replace("integer", "int").replace("weather", "words")
    assert told(f"\n{header}{PROGRAM}") == [
        (8, "params.most.type", "FIELD_VALUE"),
        (9, "tools.0", "DEPENDENCY_SELF"),
    ]
    cell = read(f"\n{HEADER}\n// a comment\n{PROGRAM}")
    said = Problem(
        code="CODE_IMPORT", message="m", path="spec.runtime.source", line=2, column=1
    )
    assert [p.line for p in cell.told([said])] == [13]


@pytest.mark.parametrize(
    "body",
    [
        PROGRAM,
        f"// first\n{HEADER}{PROGRAM}",
        f"/* title: X */\n{PROGRAM}",
        f"/*\n---\ntitle: X\n---\n*/\n{PROGRAM}",
        f"/* --- --- */\n{PROGRAM}",
    ],
)
def test_a_program_without_a_header_is_told_how_to_begin(body: str) -> None:
    (found,) = read(body).check()
    assert (found.path, found.code) == ("title", "FIELD_MISSING")
    assert "/* ---" in (found.hint or "")


@pytest.mark.parametrize("end", ["", "*/", "-- */", "---- */", "---"])
def test_a_header_that_is_not_closed_is_told(end: str) -> None:
    body = f"\n/* ---\ntitle: Words\n{end}\n{PROGRAM}"
    assert told(body)[0] == (3, "title", "FIELD_VALUE")
    (found,) = (p for p in read(body).check() if p.path == "title")
    assert "not closed" in found.message
    assert "--- */" in (found.hint or "")


def test_a_header_without_a_program_is_told() -> None:
    assert told(HEADER) == [(2, "source", "FIELD_VALUE")]


def test_an_empty_cell_says_what_a_program_needs() -> None:
    assert told("\n \n") == [(1, "", "FIELD_MISSING")]
    (found,) = read("\n \n").check()
    assert "/* ---" in (found.hint or "")
    assert "export default" in (found.hint or "")


@pytest.mark.parametrize(
    ("old", "new", "line", "path"),
    [
        ("title:", "titel:", 3, "titel"),
        ("tools:", "request:", 8, "request"),
        ("title: Count words", "title: {{x}}", 3, "title"),
        ("title: Count words", "title: @x", 3, ""),
        ("  most?:", "\tmost?:", 7, ""),
        ("tools: [weather]", "tools: 5", 8, "tools"),
        ("title: Count words", "title: ${nobody}", 3, "title"),
    ],
)
def test_what_is_wrong_in_the_header_has_its_line(
    old: str, new: str, line: int, path: str
) -> None:
    first = told(HEADER.replace(old, new) + PROGRAM)[0]
    assert first[:2] == (line, path)


def test_a_header_that_is_no_mapping_is_told() -> None:
    assert told(f"/* ---\n- 5\n--- */\n{PROGRAM}")[0] == (3, "title", "FIELD_TYPE")


def test_a_template_literal_asks_for_no_variable_unless_one_was_passed() -> None:
    header = HEADER.replace("Count words", "Count ${input}")
    made = document(f"{header}{PROGRAM}", input="letters")
    assert made["title"] == "Count letters"
    assert made["spec"]["runtime"]["source"] == PROGRAM
    asks = PROGRAM.replace("input.text", "base")
    assert told(f"{HEADER}{asks}", base="x") == [(10, "source", "FIELD_VALUE")]


def test_a_vision_tool_is_yaml_of_another_type() -> None:
    body = "title: Look\ndescription: Looks at images.\nspec: {providerProfileId: p}\n"
    cell = read_cell(body, {}, tool_id="eyes", tool_type="vision")
    assert cell.document is not None
    assert cell.document["type"] == "provider-vision"
    cell = read_cell(f"{body}type: http\n", {}, tool_id="eyes", tool_type="vision")
    assert [p.path for p in cell.problems] == ["type"]


def test_a_program_in_a_long_form_has_the_lines_of_the_cell_too() -> None:
    body = (
        "title: Words\ndescription: Counts the words.\ntype: code\n"
        "inputSchema: {type: object, properties: {}}\n"
        "risk: read\neffect: read\nidempotency: safe\nspec:\n  runtime:\n"
        "    language: python\n    source: |\n      import math\n      x = 1\n"
    )
    said = Problem(
        code="CODE_TYPES", message="m", path="spec.runtime.source", line=2, column=1
    )
    (found,) = read_cell(body, {}, tool_id="words").told([said])
    assert (found.line, found.column) == (14, None)
    quoted = body.replace(
        "|\n      import math\n      x = 1\n", '"import math\\nx = 1"\n'
    )
    (found,) = read_cell(quoted, {}, tool_id="words").told([said])
    assert (found.line, found.message) == (None, "m (its line 2, column 1)")
