"""Strict JSON texts."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.json_text import MAX_BYTES, find_flaws, parse_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
    max_leaves=15,
)


def places(text: str | bytes) -> list[str]:
    """Give the paths of the problems of a text that can be read."""
    _, problems = parse_json(text)
    assert all(p.code == "FIELD_VALUE" for p in problems)
    return [p.path for p in problems]


@given(JSON, st.sampled_from([None, 2]))
def test_what_json_writes_is_read_back(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert parse_json(text) == (value, [])
    assert parse_json(text.encode()) == (value, [])
    assert parse_json(b"\xef\xbb\xbf" + text.encode()) == (value, [])
    assert parse_json("\ufeff" + text) == (value, [])


@given(st.text() | st.binary())
def test_no_text_crashes(text: str | bytes) -> None:
    value, problems = parse_json(text)
    assert problems or value == parse_json(text)[0]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a": 1, "a": 2}', ["a"]),
        ('{"a": 1, "a": 2, "a": 3, "b": 1, "b": 1}', ["a", "b"]),
        ('{"x": [1, {"a": {"b": 1, "b": 2}}]}', ["x.1.a.b"]),
        ('{"a": {"b": 1, "b": 2}, "a": 1}', ["a"]),
        (r'{"a": 1, "\u0061": 2}', ["a"]),
        (r'{"a": ["x", "\ud800"]}', ["a.1"]),
        (r'{"a": "\udc00x", "b": "\u0000"}', ["a", "b"]),
        (r'{"\ud800": 1}', [r"\ud800"]),
        (r'"\ud800"', [""]),
        ('["\ud800"]', ["0"]),
        ("[1, NaN, -Infinity, Infinity, 1e999, -1e999]", ["1", "2", "3", "4", "5"]),
        ("NaN", [""]),
        (r'["\ud83d\ude00", "\\u0000", "\u00e9"]', []),
    ],
)
def test_flaws_are_told_where_they_stand(text: str, paths: list[str]) -> None:
    assert places(text) == paths


def test_the_last_value_of_a_repeated_key_stands_and_imports_only_warn() -> None:
    value, problems = parse_json('{"a": 1, "a": 2}')
    assert value == {"a": 2}
    assert problems[0].strict
    assert "'a'" in problems[0].message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[1] 2", "line 1, column 5"),
        ("{\n'a': 1}", "line 2, column 1"),
        ('"\0"', "not JSON"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"\xff\xfe[\x001\x00", "not UTF-8"),
        ("9" * 4301, "too many digits"),
        ("[" * 129 + "]" * 129, "128 levels"),
        ('{"a":' * 129 + "1" + "}" * 129, "128 levels"),
        ("[" * 100_000, "128 levels"),
    ],
    ids=range(11),
)
def test_what_cannot_be_read_is_one_problem(text: str | bytes, words: str) -> None:
    value, problems = parse_json(text)
    assert value is None
    assert [p.path for p in problems] == [""]
    assert words in problems[0].message


def test_128_levels_and_4300_digits_are_read() -> None:
    assert places("[" * 128 + "]" * 128) == []
    assert places("[" + "[],{}," * 200 + "1]") == []
    assert places('"' + "[" * 200 + '"') == []
    assert parse_json("9" * 4300)[1] == []


def test_the_size_is_counted_in_bytes() -> None:
    text = '"' + "é" * (MAX_BYTES // 2 - 1) + '"'
    assert parse_json(text)[1] == []
    for larger in (text + " ", text.encode() + b" "):
        assert "1,048,576 bytes" in parse_json(larger)[1][0].message
    assert parse_json("[1]", max_bytes=3)[1] == []
    assert parse_json("[1]", max_bytes=2)[1] != []


def test_a_flood_of_flaws_is_cut() -> None:
    text = "[" + ",".join([r'"\ud800"'] * 5000) + "]"
    assert len(places(text)) == 100


def test_an_own_key_stays_out_of_the_message_when_it_is_a_secret() -> None:
    key = "ghp_" + "a1B2c3D4e5" * 2
    _, problems = parse_json(f'{{"{key}": 1, "{key}": 2}}')
    assert key not in str(problems)


def test_python_keys_that_are_no_text_are_walked_over() -> None:
    assert [p.path for p in find_flaws({1: {"a": "\0"}})] == ["<int>.a"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"a":1,}', "no comma may stand before a closing bracket"),
        ("[1, 2,\n ]", "no comma may stand before a closing bracket"),
        ("{'a':1}", "names and texts stand in double quotes"),
        ("{\"a\": 'x'}", "names and texts stand in double quotes"),
        ('{"a" 1}', None),
        ('{"a":1', None),
        ("", None),
    ],
)
def test_the_usual_slips_are_named(text: str, hint: str | None) -> None:
    [problem] = parse_json(text)[1]
    assert problem.hint == hint
