"""Cells of type python: what a program says about its tool, and where it is wrong."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.problems import Problem
from tests.importers.cell.python_cells import DOC, document, read, told

WORDS = '''\
"""Count words

Counts words, when the user asks how long a text is.
"""
# tools: weather, cities
# A comment of the program.
from typing import Annotated, Literal

LEAST = 1


async def run(
    text: Annotated[str, "The text"],
    unit: Literal["words", "letters"] = "words",
    most: int | None = None,
    *,
    skip: list[str] = [],
    factor: float = -1.5,
) -> dict:
    return {}
'''


def parameter(annotation: str, default: str = "") -> Any:
    """Give the declaration that a parameter becomes."""
    body = f"{DOC}def run(x: {annotation}{default}):\n    return x\n"
    return document(body)["inputSchema"]["properties"]["x"]


# ----------------------------------------------------------------- what it says
def test_docstring_signature_and_settings_make_the_definition() -> None:
    made = document(WORDS)
    assert made["title"] == "Count words"
    assert made["description"] == (
        "Count words\n\nCounts words, when the user asks how long a text is."
    )
    assert made["inputSchema"] == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The text"},
            "unit": {
                "type": "string",
                "enum": ["words", "letters"],
                "default": "words",
            },
            "most": {"type": "integer"},
            "skip": {"type": "array", "items": {"type": "string"}, "default": []},
            "factor": {"type": "number", "default": -1.5},
        },
        "required": ["text"],
    }
    spec = made["spec"]
    assert spec["permissions"] == {"toolIds": ["weather", "cities"]}
    assert spec["runtime"]["language"] == "python"
    assert spec["runtime"]["source"].startswith("# A comment of the program.\nfrom ")
    assert spec["runtime"]["source"].endswith("    return {}\n")


def test_a_program_that_says_nothing_of_its_risk_reads() -> None:
    made = document(f"{DOC}def run():\n    return 1\n")
    assert (made["risk"], made["effect"], made["idempotency"]) == (
        "read",
        "read",
        "safe",
    )
    made = document(f"{DOC}# risk: destructive\ndef run():\n    return 1\n")
    assert (made["effect"], made["idempotency"]) == ("delete", "unsafe")


@pytest.mark.parametrize(
    ("annotation", "default", "declared"),
    [
        ("str", "", {"type": "string"}),
        ("bool", " = True", {"type": "boolean", "default": True}),
        ("list[float]", "", {"type": "array", "items": {"type": "number"}}),
        ("None | str", " = None", {"type": "string"}),
        ("Literal[-1, 2]", "", {"type": "integer", "enum": [-1, 2]}),
        ('Literal["a"]', "", {"type": "string", "enum": ["a"]}),
        (
            'Annotated[int | None, "How many"]',
            " = None",
            {"type": "integer", "description": "How many"},
        ),
        (
            'typing.Annotated[str, "ä"] | None',
            " = None",
            {"type": "string", "description": "ä"},
        ),
    ],
)
def test_an_annotation_becomes_a_declaration(
    annotation: str, default: str, declared: dict[str, Any]
) -> None:
    assert parameter(annotation, default) == declared


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        ("", "Annotated"),
        (": dict", "list[str]"),
        (": 'str'", "list[str]"),
        (": list", "list[str]"),
        (": list[list[str]]", "list[str]"),
        (": Optional[str] = None", "None = None"),
        (": int | str", "list[str]"),
        (": int | str | None = None", "list[str]"),
        (": str | None", "None = None"),
        (": str = None", "None = None"),
        (': str | None = "a"', "None = None"),
        (": Literal[1, 'a']", "Literal"),
        (": Literal[True]", "Literal"),
        (": Literal[x]", "list of these"),
        (": Annotated[str, 5]", "Annotated[str"),
        (": Annotated[str, 'a', 'b']", "Annotated[str"),
        (": int = len('a')", "list of these"),
        (": str = f'{1}'", "list of these"),
        (": float = 1j", "list of these"),
        (": " + " | ".join(["None"] * 50) + " = None", "list[str]"),
    ],
)
def test_any_other_parameter_is_refused_at_its_line(annotation: str, hint: str) -> None:
    body = f"{DOC}\n\ndef run(\n    a: int,\n    x{annotation},\n):\n    return a\n"
    (found,) = read(body).check()
    assert (found.line, found.path, found.code) == (7, "params.x", "CODE_ENTRY")
    assert hint in (found.hint or "")


@pytest.mark.parametrize(
    ("annotation", "start"),
    [
        ("list", "write what the list holds, one of list[str], "),
        ("List[str]", "write what the list holds, one of list[str], "),
        ("typing.List", "write what the list holds, one of list[str], "),
        ("list | None = None", "write what the list holds, one of list[str], "),
        ("Annotated[list, 'x']", "write what the list holds, one of list[str], "),
        ("Optional[str]", "write str | None = None, "),
        ("typing.Optional[str] = None", "write str | None = None, "),
        ("Union[str, None] = None", "write str | None = None, "),
    ],
)
def test_a_type_that_is_nearly_right_has_what_to_write(
    annotation: str, start: str
) -> None:
    (found,) = read(f"{DOC}def run(x: {annotation}):\n    return x\n").check()
    assert (found.hint or "").startswith(start)


def test_programs_on_the_page_about_code_tools_may_stand_in_a_cell() -> None:
    page = Path(__file__).parents[3] / "docs" / "code-tools.md"
    blocks = re.findall(r"```json\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    shown = [d for d in map(json.loads, blocks) if d.get("type") == "code"]
    assert "warmest_city" in [d["id"] for d in shown]
    for each in shown:
        spec = each["spec"]
        called = ", ".join(spec.get("permissions", {}).get("toolIds", ()))
        tools = f"# tools: {called}\n" if called else ""
        made = document(f"{DOC}{tools}{spec['runtime']['source']}")
        assert made["spec"]["runtime"] == spec["runtime"]
        declared = made["inputSchema"]["properties"]
        assert list(declared) == list(each["inputSchema"]["properties"])


def test_a_default_of_another_type_is_told_by_the_rules_of_definitions() -> None:
    body = f"{DOC}\ndef run(\n    x: int = 'a',\n):\n    return x\n"
    assert told(body) == [(5, "params.x.default", "FIELD_VALUE")]


def test_the_title_may_be_another_than_the_first_line() -> None:
    made = document(f"# title: Words & letters\n{DOC}def run():\n    return 1\n")
    assert made["title"] == "Words & letters"
    long = f'"""{"long " * 40}"""\ndef run():\n    return 1\n'
    (found,) = read(long).check()
    assert (found.path, read(long).lines(["title"])) == ("title", {"title": 2})
    assert "# title:" in (found.hint or "")
    assert document(f"# title: Short\n{long}")["title"] == "Short"


# ----------------------------------------------------------------- where it is wrong
def test_problems_of_the_program_have_the_lines_of_the_cell() -> None:
    cell = read(
        f"# risk: read\n{DOC}# title: Words\n\n# kept\ndef run():\n    return 1\n"
    )
    assert cell.document is not None
    source = cell.document["spec"]["runtime"]["source"]
    assert source == "# kept\ndef run():\n    return 1\n"
    path = "spec.runtime.source"
    for line, expected in ((1, 6), (2, 7), (3, 8), (99, 8)):
        said = Problem(code="CODE_TYPES", message="m", path=path, line=line, column=3)
        (moved,) = cell.told([said])
        assert (moved.path, moved.line, moved.column) == ("source", expected, 3)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (f"{DOC}def run(:\n    return 1\n", 3),
        (f"{DOC}def run():\n    return (\n", 4),
        (f"{DOC}x = '\0'\n", 3),
        ("(" * 5000, 2),
        ("x = '\ud800'\n", 2),
        ("\f\n\tx = 1\n  y", 3),
    ],
)
def test_what_is_no_python_is_one_problem_with_its_line(body: str, line: int) -> None:
    assert told(body) == [(line, "source", "CODE_SYNTAX")]


def test_a_cell_without_a_docstring_says_how_to_begin() -> None:
    (found,) = read("def run():\n    return 1\n").check()
    assert (found.path, found.code) == ("description", "FIELD_MISSING")
    assert '"""' in (found.hint or "")


@pytest.mark.parametrize("body", ["", " \n\n"])
def test_an_empty_cell_says_what_a_program_needs(body: str) -> None:
    assert told(body) == [(1, "", "FIELD_MISSING")]
    (found,) = read(body).check()
    assert "a docstring" in (found.hint or "")
    assert "a function run" in (found.hint or "")
    assert "request" not in (found.hint or "")


def test_a_huge_cell_is_not_parsed() -> None:
    assert told(f"{DOC}x = '{'a' * 400_000}'\n") == [(2, "source", "FIELD_VALUE")]


def test_what_follows_a_docstring_on_its_line_is_refused() -> None:
    body = '"""Counts words."""; x = 1\ndef run():\n    return x\n'
    assert told(body)[0] == (2, "description", "FIELD_VALUE")


def test_line_ends_of_any_kind_are_the_same() -> None:
    made = document(WORDS)
    assert document(WORDS.replace("\n", "\r\n")) == made
    assert document("\ufeff" + WORDS.rstrip()) == made


# ------------------------------------------------------------------- variables
def test_a_variable_stands_in_a_setting_and_never_in_the_program() -> None:
    body = f'# title: "${{what}}"\n{DOC}def run():\n    return "${{what}} ${{b}}"\n'
    cell = read(body, what="Words")
    assert cell.document is not None
    assert cell.document["title"] == "Words"
    assert cell.renamed["Words"] == "${what}"
    assert told(body, what="Words") == [(5, "source", "FIELD_VALUE")]
    plain = read(body.replace("${what} ", "$${what} "), what="Words")
    assert plain.check() == []


def test_a_variable_that_is_asked_for_twice_on_a_line_is_told_once() -> None:
    body = f'{DOC}def run():\n    x = "${{a}}${{b}}${{a}}"\n    return "${{a}}"\n'
    found = read(body, a="A", b="B").check()
    assert [(p.line, p.message[13:17]) for p in found] == [
        (4, "${a}"),
        (4, "${b}"),
        (5, "${a}"),
    ]
