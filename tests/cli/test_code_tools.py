"""Programs as tools, from a file to a call, at the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import definition as http_definition
from tests.host.coding import code_tool

Write = Callable[[str], str]

PRINTING = """def run(n: int):
    print(f"looked at {n}")
    return {"twice": 2 * n}
"""


@pytest.fixture
def save(tmp_path: Path) -> Write:
    """Give a function that writes a Python tool to a file and gives its name."""

    def write(source: str) -> str:
        tool = code_tool("python", source, properties={"n": "integer"})
        text = json.dumps(tool, indent=2)
        (tmp_path / "program.json").write_text(text, encoding="utf-8")
        return "program.json"

    return write


def test_what_a_program_printed_stands_below_its_result(
    sparknb: Run, save: Write
) -> None:
    sparknb("draft", save(PRINTING))
    given = ("program", "--input", '{"n": 21}')
    shown = sparknb("test", *given)
    assert shown.exit == 0
    result, _, printed = shown.out.partition("printed\n")
    assert '"twice": 42' in result
    assert "looked at" not in result
    assert printed.strip() == "looked at 21"
    tested = sparknb("test", *given, "--json").document
    assert json.loads(tested["text"]) == {"twice": 42}
    assert tested["printed"] == "looked at 21\n"
    sparknb("publish", "program", "--yes")
    called = sparknb("call", *given, "--json").document
    assert called["printed"] == "looked at 21\n"


def test_a_program_is_shown_by_its_numbered_lines(sparknb: Run, save: Write) -> None:
    source = (
        'def run(n: int):\r\n    print("é\\\\n")\n\n'
        + "    n += 1\n" * 6
        + "    return n\n"
    )
    sparknb("draft", save(source))
    shown = sparknb("show", "program").out
    definition, heading, program = shown.partition("spec.runtime.source: Python, ")
    assert '"language": "python"' in definition
    assert '"source"' not in definition
    assert program.splitlines() == [
        "10 lines",
        "",
        " 1  def run(n: int):",
        ' 2      print("é\\\\n")',
        " 3",
        *[f" {number}      n += 1" for number in range(4, 10)],
        "10      return n",
    ]
    for form in ("--json", "--definition"):
        whole = sparknb("show", "program", form).document
        whole = whole.get("definition", whole)
        assert whole["spec"]["runtime"]["source"] == source
    assert heading


def test_a_definition_without_a_program_is_shown_whole(
    sparknb: Run, tmp_path: Path
) -> None:
    text = json.dumps(http_definition())
    (tmp_path / "weather.json").write_text(text, encoding="utf-8")
    sparknb("draft", "weather.json")
    shown = sparknb("show", "weather").out
    _, _, below = shown.partition("Definition, version 1\n")
    assert json.loads(below) == sparknb("show", "weather", "--definition").document


def test_a_mistake_is_shown_with_its_line_and_column(sparknb: Run, save: Write) -> None:
    file = save("def run(n: int):\n    return n.foo\n")
    reply = sparknb("validate", file, "--json")
    (error,) = reply.document["errors"]
    assert reply.exit == 1
    assert (error["code"], error["line"]) == ("CODE_TYPES", 2)
    assert error["column"] > 1
    shown = sparknb("draft", file)
    assert shown.exit == 1
    said = shown.out + shown.err
    assert "CODE_TYPES" in said
    assert "line 2" in said


def test_a_failure_shows_the_reason_and_what_was_printed(
    sparknb: Run, save: Write
) -> None:
    sparknb("draft", save('def run(n: int):\n    print("so far")\n    return n // 0\n'))
    shown = sparknb("test", "program", "--input", '{"n": 1}')
    assert shown.exit == 1
    said = shown.out + shown.err
    assert "ZeroDivisionError" in said
    assert "so far" in said


@pytest.mark.parametrize(
    "words", [("validate",), ("draft",), ("test",), ("import", "export")]
)
def test_a_program_in_place_of_a_definition_is_told_where_it_goes(
    sparknb: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "words.py").write_text(PRINTING, encoding="utf-8")
    (tmp_path / "words.TS").write_text("export default () => 1;\n", encoding="utf-8")
    for name, language in (("words.py", "python"), ("words.TS", "typescript")):
        reply = sparknb(*words, name)
        said = " ".join((reply.out + reply.err).split())
        assert reply.exit == 1
        assert "the file holds a program" in said
        assert f"`%%spark_tool ID --type {language}`" in said
        assert f"`sparknb new {language}`" in said


def test_a_definition_may_lie_in_a_file_of_any_name(
    sparknb: Run, tmp_path: Path
) -> None:
    text = json.dumps(http_definition())
    (tmp_path / "weather.py").write_text(f"\n{text}", encoding="utf-8")
    assert sparknb("validate", "weather.py").exit == 0


def test_python_without_a_word_about_its_language_is_told_to_say_it(
    sparknb: Run, tmp_path: Path
) -> None:
    tool = code_tool("python", PRINTING, properties={"n": "integer"})
    del tool["spec"]["runtime"]["language"]
    (tmp_path / "program.json").write_text(json.dumps(tool), encoding="utf-8")
    (error,) = sparknb("validate", "program.json", "--json").document["errors"]
    assert (error["code"], error["line"]) == ("CODE_SYNTAX", 1)
    assert error["hint"] == 'this is Python: say "language": "python" in spec.runtime'
