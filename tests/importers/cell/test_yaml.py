"""What YAML says in a cell, and what is refused of it."""

from typing import Any

import pytest

from sparknb.importers.cell import read_values
from tests.importers.cell.told import PLAIN, only, problems, told


def value(text: str) -> Any:
    read = read_values(f"x: {text}", {})
    assert read.problems == ()
    return read.arguments["x"]


TEXTS = [
    "no", "on", "off", "yes", "NO", "2024-01-01", "12:30", "1_000", "0b1", "0o9", "+",
    "1e", "e3", "_1", "tRue", "nuLL", ".infinity", "1.2.3", "<<", "=", "é", ".",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_these_words_stay_texts(text: str) -> None:
    assert value(text) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e3", 1000.0),
        ("-0", 0),
        ("+5", 5),
        ("010", 10),
        ("0o17", 15),
        ("0xFf", 255),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1.5E-2", -0.015),
        ("-.inf", float("-inf")),
        ("12345678901234567890123", 12345678901234567890123),
    ],
)
def test_these_words_are_numbers(text: str, number: float) -> None:
    found = value(text)
    assert (found, type(found)) == (number, type(number))


def test_a_number_that_is_none_is_one() -> None:
    found = value(".nan")
    assert found != found  # noqa: PLR0124  # that is what it is


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_nothing_is_null(text: str) -> None:
    assert value(text) is None


@pytest.mark.parametrize(("text", "truth"), [("true", True), ("FALSE", False)])
def test_true_and_false_are_booleans(text: str, truth: bool) -> None:
    assert value(text) is truth


@pytest.mark.parametrize("text", ["'5'", '"true"', "'null'", "!!str 5", "|\n  5"])
def test_quoted_words_are_texts(text: str) -> None:
    read = read_values(f"x: {text}", {})
    assert isinstance(read.arguments["x"], str)


def test_a_path_with_brackets_is_told_to_be_quoted() -> None:
    body = f"{PLAIN}response: {{format: json, extract: {{City: $.items[*].name}}}}\n"
    [problem] = problems(body)
    assert problem.hint == 'put it in quotes: "$.items[*].name"'
    quoted = body.replace("$.items[*].name", '"$.items[*].name"')
    assert problems(quoted) == []


def test_keys_are_always_texts() -> None:
    read = read_values("on: 1\n200: 2\ntrue: 3\n2024-01-01: 4\n'': 5", {})
    assert read.problems == ()
    assert list(read.arguments) == ["on", "200", "true", "2024-01-01", ""]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    body = "\ufefftitle: [\r\n1]\r\n\r\ndescription: Finds\r\n  items.\r\nnope: 1\r\n"
    assert told(body) == [
        (2, "request", "FIELD_MISSING"),
        (2, "title", "FIELD_TYPE"),
        (7, "nope", "FIELD_UNKNOWN"),
    ]
    assert told(body.replace("\r\n", "\r")) == told(body)


def test_other_separators_are_no_lines_of_a_cell() -> None:
    line, problem = only(PLAIN.replace("Items", '"a\u2028b\u0085c"') + "nope: 1")
    assert (line, problem.path) == (5, "nope")


# ---------------------------------------------------------------- what is refused
def test_a_repeated_key_is_refused_with_both_lines() -> None:
    line, problem = only(f"{PLAIN}title: Other\n")
    assert (line, problem.path, problem.code) == (5, "title", "FIELD_VALUE")
    assert "line 2" in problem.message
    nested = "body: {a: 1, b: {c: 1,\n c: 2}}\n"
    line, problem = only(PLAIN.replace("GET", "POST") + nested)
    assert (line, problem.path) == (6, "body.b.c")
    assert "line 5" in problem.message


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("title: {{x}}\n", "title"),
        ("title: {{ x | json }}\n", "title"),
        ("title: {{x}} of\n", "title"),
        ("title: {{x}}/of\n", "title"),
        ("body: {a: [1, {{x}}]}\n", "body.a.1"),
        ("body: {a: {{x}}}\n", "body.a"),
        ("body:\n  - {{x}}\n", "body.0"),
        ("{{x}}: 1\n", "{{x}}"),
        ("body: {{{x}}: 1}\n", "body"),
        ("body: { {{x}}: 1}\n", "body.{{x}}"),
    ],
)
def test_a_placeholder_without_quotes_is_refused_with_the_hint_to_quote_it(
    text: str, path: str
) -> None:
    cell = [p for p in problems(text) if "quotes" in p.message]
    assert next(p.path for p in cell) == path
    assert all('"{{name}}"' in (p.hint or "") for p in cell)


@pytest.mark.parametrize(
    "text", ["body: {a: x{{b}}}", "headers: {A: ${b}}", "body: [ {{a}}b ]", "[a{{b}}]"]
)
def test_braces_between_brackets_get_the_same_hint(text: str) -> None:
    (problem,) = problems(text)
    assert "quotes" in (problem.hint or "")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("title: a\n\tb: c", 3, "a tab stands where blanks"),
        ("params:\n\tcity: 1", 3, "a tab stands where blanks"),
        ("description: Use: now", 2, "a colon stands where no key can be"),
        ("title: - a", 2, "a list begins beside its key"),
        (
            "title: 1\ndescription: 'never\n\n\n",
            3,
            "a quote is opened and never closed",
        ),
        ('title: "never\n---\n', 2, "a quote is opened and never closed"),
        ("title: 1\nwords\nb: 2", 3, "a key has no colon behind it"),
        ('title: "\\q"', 2, "a backslash in double quotes"),
        ("title: @x", 2, "a character that YAML keeps for itself"),
        ("title: `x", 2, "a character that YAML keeps for itself"),
        ("title: [1,\n 2\n\n", 2, "a bracket is not closed"),
        ("title: {a: 1\nb: 2}", 3, "a bracket is not closed"),
        ('title: "a" b', 2, "does not fit what stands before it"),
        ("- a\nb: 1", 3, "does not fit what stands before it"),
        ("title: >9x\n b", 2, "this is not YAML"),
        ('title: 1\n\ndescription: "\\U99999999"', 4, "an escape names no character"),
        ("title: 1\n---\ntitle: 2", 3, "a second document begins here"),
        ("title: 1\n...\ntitle: 2", 4, "a second document begins here"),
        ("%YAML 1.1\n---\ntitle: 1", 2, "a directive"),
        ("%TAG ! tag:x:\n---\ntitle: 1", 2, "a directive"),
        ("title: a\nb: \x1b[31m", 3, "the character U+001B"),
        ("title: a\nb: \x00", 3, "the character U+0000"),
        ("title: a\nb: \ud800", 3, "the character U+D800"),
        ("*a", 2, "an alias (*) is not used here"),
    ],
)
def test_what_is_no_yaml_is_told_in_plain_words(
    text: str, line: int, words: str
) -> None:
    found = problems(text)
    assert words in found[0].message
    assert found[0].hint
    assert told(text)[0][0] == line


def test_a_key_without_a_colon_is_told() -> None:
    (problem,) = problems("'a'\n'b': 1\n? c\nd\n" + "x" * 1100 + ": 1")
    assert problem.hint


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ("title: !!python/object:os.system x", "title", "a tag"),
        ("!mine title: x", "title", "a tag"),
        ("title: &a x", "title", "an anchor"),
        ("title: *a", "title", "an alias"),
        ("&a title: x", "title", "an anchor"),
        ("*a : x", "*a", "a key is a text"),
        ("[a]: x", "[a]", "a key is a text"),
        ("? {a: 1}\n: x", "{a: 1}", "a key is a text"),
        (": x", "", "a colon has no key"),
    ],
)
def test_what_no_cell_needs_is_refused_at_its_place(
    text: str, path: str, words: str
) -> None:
    found = [p for p in problems(text) if words in p.message]
    assert [(p.path, p.code) for p in found] == [(path, "FIELD_VALUE")]


def test_a_tree_of_aliases_is_refused_at_once() -> None:
    levels = "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    found = problems(f"a0: &a0 [x]\n{levels}")  # built, it would not end
    assert any("an alias" in p.message for p in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x: " + "a" * 300_000, "larger than 262,144 bytes"),
        ("x: " + "é" * 140_000, "larger than 262,144 bytes"),
        ("x: [" + "a," * 20_000 + "]", "more than 10,000 values"),
        ("{{" + "[a]," * 20_000, "more than 10,000 values"),
        ("[" * 5_000, "deeper than 64 levels"),
        ("x: " + "[a, " * 5_000, "deeper than 64 levels"),
        ("x: " + "{a: " * 100, "deeper than 64 levels"),
        ("- " * 5_000, "deeper than 64 levels"),
    ],
)
def test_what_is_too_much_is_left_at_once(text: str, words: str) -> None:
    found = problems(text)
    assert words in found[0].message


def test_a_number_with_too_many_digits_is_told() -> None:
    found = problems(f"{PLAIN}timeoutMs: {'9' * 5000}")
    assert "too many digits" in found[0].message
    assert told(f"{PLAIN}timeoutMs: {'9' * 5000}")[0][:2] == (5, "timeoutMs")


@pytest.mark.parametrize("text", ["", "\n\n", "# only words\n", "---\n", "\ufeff", " "])
def test_a_cell_that_is_empty_defines_nothing(text: str) -> None:
    line, problem = only(text)
    assert line <= 2
    assert "docs/cells.md" in (problem.hint or "")


@pytest.mark.parametrize("text", ["just words", "- a\n- b", "5", "[]", "null"])
def test_a_cell_that_is_no_mapping_is_told_what_it_should_be(text: str) -> None:
    line, problem = only(f"\n{text}")
    assert (line, problem.code, problem.path) == (3, "FIELD_TYPE", "")
    assert "a mapping of keys to values" in problem.message
