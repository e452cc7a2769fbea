"""A program written as a cell makes just this definition."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparknb.core.validation import validate
from sparknb.importers.cell import read_cell, write_cell
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
