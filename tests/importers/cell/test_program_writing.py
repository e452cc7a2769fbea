"""A program written as a cell makes just this definition."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparknb.core.validation import validate
from sparknb.importers.cell import read_cell, why_no_cell, write_cell
from tests.importers.cell.test_python import WORDS
from tests.importers.cell.test_typescript import HEADER, PROGRAM
from tests.importers.cell.test_writing import ODD, TEXTS

Definition = dict[str, Any]
LANGUAGES = ("python", "typescript")

TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
DEFAULTS = {"str": "a", "int": -7, "float": 1.5, "bool": True}
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}x", fullmatch=True)
DETAILS = st.sampled_from(["", '"', "\\", "'''", '"""', "é", "# risk: x", "\n", "*/"])


def normal(definition: Definition) -> Definition:
    report = validate(definition)
    assert report.normalized is not None, report.problems
    return dict(report.normalized)


def made_by(cell: str) -> Definition:
    """Run a cell: read its magic line and its body."""
    first, _, body = cell.partition("\n")
    words = first.split()
    assert words[:2] == ["%%spark_tool", "words"]
    kind = words[3] if len(words) > 2 else None
    read = read_cell(body, {}, tool_id="words", tool_type=kind)
    assert [str(p) for p in read.check() if p.level == "error"] == []
    assert read.document is not None
    return normal(read.document)


def of_cell(body: str, kind: str) -> Definition:
    document = read_cell(body, {}, tool_id="words", tool_type=kind).document
    assert document is not None
    return normal(document)


@pytest.mark.parametrize(
    ("body", "kind"),
    [(WORDS, "python"), (HEADER + PROGRAM, "typescript")],
    ids=LANGUAGES,
)
def test_a_program_is_written_as_a_person_would(body: str, kind: str) -> None:
    made = of_cell(body, kind)
    cell = write_cell(made)
    assert cell is not None
    spaced = body.replace("# A comment", "\n# A comment").replace(
        PROGRAM, f"\n{PROGRAM}"
    )
    assert cell == f"%%spark_tool words --type {kind}\n{spaced}"
    assert made_by(cell) == made


@pytest.mark.parametrize("kind", LANGUAGES)
def test_what_was_changed_elsewhere_stands_in_the_settings(kind: str) -> None:
    made = of_cell(WORDS if kind == "python" else HEADER + PROGRAM, kind)
    made |= {"title": "Other", "risk": "high-write", "effect": "send"}
    made |= {"idempotency": "keyed", "timeoutMs": 5000}
    limits = {"memoryMb": 64, "maxOutputBytes": 2048}
    made["spec"] = {**made["spec"], "limits": limits}
    cell = write_cell(normal(made))
    assert cell is not None
    assert f"--type {kind}\n" in cell
    mark = "# " if kind == "python" else ""
    for line in ("title: Other", "effect: send", "idempotency: keyed", "memoryMb: 64"):
        assert f"\n{mark}{line}\n" in cell
    assert made_by(cell) == normal(made)


@pytest.mark.parametrize("kind", LANGUAGES)
@pytest.mark.parametrize(
    "source",
    [
        "\n# begins with a blank line\ndef run(): return 1\n",
        "def run(): return 1",
        "def run(): return 1\n\n",
        '"""Its own docstring."""\ndef run(): return 1\n',
        "# risk: of its own\ndef run(): return 1\n",
        "/* --- of: its own --- */\n// a\n",
        "def run(x): return x\n",
        "this is no program\n",
        "x = '\\u2028\u2028'\r\n",
    ],
)
def test_what_the_language_cannot_say_is_said_somehow(kind: str, source: str) -> None:
    made = normal({
        "id": "words",
        "title": "Words",
        "description": "Counts words of a text.",
        "type": "code",
        "inputSchema": {"type": "object", "properties": {}},
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": {"runtime": {"language": kind, "source": "def run(): return 1\n"}},
    })  # fmt: skip
    runtime = {**made["spec"]["runtime"], "source": source}
    stored = {**made, "spec": {**made["spec"], "runtime": runtime}}
    cell = write_cell(stored)  # also of a stored program that the rules refuse
    if cell is None:
        assert validate(stored).normalized is None
    else:
        assert made_by(cell) == stored


def code(source: str, kind: str = "python", **more: Any) -> Definition:
    return normal({
        "id": "words",
        "title": "Words",
        "description": "Counts words of a text.",
        "type": "code",
        "inputSchema": {"type": "object", "properties": {}},
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": {"runtime": {"language": kind, "source": source}},
    } | more)  # fmt: skip


TITLED = {
    "type": "object",
    "properties": {"q": {"type": "string", "title": "Q"}},
    "required": ["q"],
}


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (code("def run():\n    return 1"), "begin and end in just this way"),
        (code("def run(q):\n    return q\n", inputSchema=TITLED), "q has no type"),
        (
            code("def run(q: str):\n    return q\n", inputSchema=TITLED),
            "its parameters say more than the program does",
        ),
        (code("# risk: x\ndef run():\n    return 1\n"), "risk must be one of"),
        (code("export default () => 1;", "typescript"), "begin and end"),
    ],
)
def test_yaml_instead_of_the_programs_own_form_says_why(
    made: Definition, reason: str
) -> None:
    cell = write_cell(made)
    assert cell is not None
    _, comment, *body = cell.split("\n")
    assert comment.startswith("# YAML, since with --type ")
    assert reason in comment
    assert "title: Words" in body
    if "\n" in made["spec"]["runtime"]["source"]:
        assert any(line.startswith("    source: |") for line in body), "as it stands"
    assert made_by(cell) == made
    assert made_by(cell.rstrip("\n")) == made, "as a notebook holds it"


def test_a_program_that_a_cell_cannot_hold_has_a_reason() -> None:
    control = chr(1)
    huge = code(f"export default () => '{control * 60_000}'", "typescript")
    assert write_cell(huge) is None
    assert why_no_cell(huge) == "the cell is larger than 262,144 bytes"
    wrong = code("export default () => 1;\n", "typescript") | {"risk": "none"}
    assert write_cell(wrong) is None
    assert why_no_cell(wrong).startswith("risk must be one of ")


@pytest.mark.parametrize("kind", LANGUAGES)
def test_variables_stand_in_the_settings_and_on_the_line_of_the_magic(
    kind: str,
) -> None:
    source = {"python": "def run():\n    return 1\n", "typescript": PROGRAM}[kind]
    made = code(source, kind, title="All of Oslo")
    cell = write_cell(made, {"city": "Oslo", "other": "Lima"})
    assert cell is not None
    line, _, body = cell.partition("\n")
    assert line == f"%%spark_tool words --type {kind} --var city"
    assert 'title: "All of ${city}"\n' in body
    read = read_cell(body, {"city": "Oslo"}, tool_id="words", tool_type=kind)
    assert read.document is not None
    assert normal(read.document) == made


def test_a_variable_that_the_program_has_too_is_not_passed() -> None:
    made = code("def run():\n    return '${city}'\n", title="All of Oslo")
    cell = write_cell(made, {"city": "Oslo"})
    assert cell is not None
    assert cell.startswith("%%spark_tool words --type python\n")
    assert made_by(cell) == made


@pytest.mark.parametrize("block", [True, False])
def test_no_variable_is_put_into_a_program_in_yaml(*, block: bool) -> None:
    made = code("def run():\n    return 1\n    return 2")
    cell = write_cell(made)
    assert cell is not None
    body = cell.partition("\n")[2].replace("return 2", "return ${b} $${a}")
    if not block:
        lines = body.split("\n")
        at = next(n for n, line in enumerate(lines) if "source: |-" in line)
        lines[at : at + 4] = ["    source: 'def run(): return ${b} $${a}'"]
        body = "\n".join(lines)
    line = 1 + next(n for n, said in enumerate(body.split("\n"), 1) if "${b}" in said)
    read = read_cell(body, {"a": "A", "b": "B"}, tool_id="words")
    first = read.check()[0]
    assert (first.line, first.path) == (line, "spec.runtime.source")
    assert "${b} is not put into a program" in first.message
    passed = read_cell(body.replace("${b} $", "3 # $"), {"a": "A"}, tool_id="words")
    assert [p for p in passed.check() if p.level == "error"] == []


@st.composite
def programs(draw: st.DrawFn) -> Definition:
    """Draw a Python tool whose signature and schema agree."""
    names = draw(st.dictionaries(NAMES, st.sampled_from(sorted(TYPES)), max_size=4))
    optional = draw(st.sets(st.sampled_from(sorted(names)))) if names else set()
    words = draw(st.lists(DETAILS | st.text(max_size=5), max_size=4).map("".join))
    described = draw(st.sets(st.sampled_from(sorted(names)))) if names else set()
    properties: Definition = {}
    arguments = []
    for name, word in names.items():
        properties[name] = {"type": TYPES[word]}
        annotation = word
        if name in described:
            properties[name]["description"] = words
            annotation = f"Annotated[{word}, {words!r}]"
        arguments.append(f"{name}: {annotation}")
        if name in optional:
            properties[name]["default"] = DEFAULTS[word]
            arguments[-1] += f" = {DEFAULTS[word]!r}"
    head = f"*, {', '.join(arguments)}" if arguments else ""
    risk = draw(st.sampled_from(["read", "low-write", "destructive"]))
    schema: Definition = {"type": "object", "properties": properties}
    if required := [name for name in names if name not in optional]:
        schema["required"] = required
    return {
        "id": "words",
        "title": draw(TEXTS.filter(bool)),
        "description": f"Counts {draw(TEXTS)}\n{draw(DETAILS)} {draw(ODD)}.",
        "type": "code",
        "inputSchema": schema,
        "risk": risk,
        "effect": "read" if risk == "read" else draw(st.sampled_from(["read", "send"])),
        "idempotency": "unsafe" if risk == "destructive" else "keyed",
        "timeoutMs": draw(st.sampled_from([30_000, 1000])),
        "spec": {
            "runtime": {
                "language": "python",
                "source": "from typing import Annotated\n\n"
                f"def run({head}) -> str:\n    return 'x'\n",
            },
            "permissions": {
                "toolIds": draw(st.sampled_from([[], ["a_tool", "b_tool"]]))
            },
        },
    }


@settings(max_examples=60)
@given(programs())
def test_any_tool_survives_in_python_and_in_typescript(tool: Definition) -> None:
    report = validate(tool)
    if report.normalized is None:
        return
    cell = write_cell(report.normalized)
    assert cell is not None
    assert made_by(cell) == report.normalized
    runtime = {"language": "typescript", "source": "export default () => 1;\n"}
    other = validate({**tool, "spec": {**tool["spec"], "runtime": runtime}})
    assert other.normalized is not None, other.problems
    cell = write_cell(other.normalized)
    assert cell is not None
    assert made_by(cell) == other.normalized


@settings(max_examples=100)
@given(st.data())
def test_a_program_with_a_piece_changed_is_read_without_a_crash(
    data: st.DataObject,
) -> None:
    kind = data.draw(st.sampled_from(LANGUAGES))
    body = WORDS if kind == "python" else HEADER + PROGRAM
    at = data.draw(st.integers(0, len(body)))
    end = data.draw(st.integers(at, min(len(body), at + 30)))
    text = body[:at] + data.draw(TEXTS) + body[end:]
    cell = read_cell(text, {"a": "b"}, tool_id="words", tool_type=kind)
    found = cell.check()
    lines = cell.lines([p.path for p in found])
    last = 2 + text.count("\n") + text.count("\r")
    places = [p.line or lines[p.path] for p in found]
    assert all(1 <= line <= last for line in places)
    assert places == sorted(places)
    assert bool(cell.problems) or cell.document is not None
