"""What YAML says in an API description, and what is refused of it (ST-99)."""

import textwrap
import tracemalloc
from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.importers.openapi.loading import load_tree
from sparknb.importers.openapi.loading_limits import MAX_VALUES, Allowance
from tests.costs import cpu_seconds


def value(text: str) -> Any:
    found, repeated = load_tree(textwrap.dedent(text), Allowance(), is_root=False)
    assert repeated == []
    return found


def refusal(text: str | bytes) -> str:
    with pytest.raises(InvalidInputError) as caught:
        load_tree(text, Allowance(), is_root=False)
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("no", "no"),
        ("on", "on"),
        ("2024-01-01", "2024-01-01"),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        ("0x1F", 31),
        ("0o17", 15),
        ("010", 10),
        ("~", None),
        ("null", None),
        ("", None),
        ("True", True),
        ("'1'", "1"),
        ('"true"', "true"),
        ("|\n  a\n  b\n", "a\nb\n"),
        ("!!str 1", "1"),
        ("!!int 7", 7),
        ("!!float 7", 7),
        ("! 7", "7"),
        ("!!null ~", None),
        ("!!bool true", True),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("日本", "日本"),
        (r'"\ud83d\ude00 \u00e9"', "😀 é"),
        (r'"\\ud83d"', r"\ud83d"),
    ],
)
def test_words_mean_what_yaml_1_2_says_and_json_can_carry(
    text: str, meant: Any
) -> None:
    found = value(f"x: {text}")["x"]
    assert (found, type(found)) == (meant, type(meant))


def test_keys_are_the_texts_as_written() -> None:
    text = "{200: a, on: b, null: c, 1e3: d, '404': e, !!str x: f, true: g, 0x1: h}"
    keys = ["200", "on", "null", "1e3", "404", "x", "true", "0x1"]
    assert list(value(f"x: {text}")["x"]) == keys


def test_lists_and_mappings_nest() -> None:
    text = """
        a:
          - b: [1, {c: d}]
          - []
        e: {}
    """
    assert value(text) == {"a": [{"b": [1, {"c": "d"}]}, []], "e": {}}


def test_aliases_stand_for_their_values() -> None:
    text = """
        a: &shared {x: [1, 2]}
        b: *shared
        c: [*shared, &word w, *word]
        d: {&key k: 1, *key : 2, other: *key}
    """
    found, repeated = load_tree(textwrap.dedent(text), Allowance(), is_root=False)
    assert found["b"] == {"x": [1, 2]}
    assert found["c"] == [{"x": [1, 2]}, "w", "w"]
    assert found["d"] == {"k": 2, "other": "k"}
    assert [p.path for p in repeated] == ["d.k"]


def test_an_anchor_may_be_used_again_for_another_value() -> None:
    assert value("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]
    inner_is_later = "[&a {x: &a 1, y: *a}, *a]"
    assert value(inner_is_later) == [{"x": 1, "y": 1}, 1]


def test_a_merge_key_brings_members_that_the_mapping_does_not_have() -> None:
    text = """
        one: &one {a: 1, b: 1}
        two: &two {b: 2, c: 2}
        both: {<<: [*one, *two], c: own}
        single: {d: own, <<: *two}
        text: {"<<": *one}
        word: {<<: word}
    """
    found = value(text)
    assert found["both"] == {"a": 1, "b": 1, "c": "own"}
    assert found["single"] == {"b": 2, "c": 2, "d": "own"}
    assert found["text"] == {"<<": {"a": 1, "b": 1}}
    assert found["word"] == {"<<": "word"}
    assert found["one"] == {"a": 1, "b": 1}


def test_of_a_repeated_key_the_last_value_counts_with_a_warning() -> None:
    text = "paths:\n  /a: 1\n  /b: [{x: 1, x: 2}]\n  /a: 2\n"
    found, repeated = load_tree(text, Allowance())
    assert found == {"paths": {"/a": 2, "/b": [{"x": 2}]}}
    assert [(p.level, p.path) for p in repeated] == [
        ("warning", "paths./b.0.x"),
        ("warning", "paths./a"),
    ]
    assert "line 4" in repeated[1].message


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000, "0o" + "7" * 6000])
def test_a_number_that_cannot_be_written_out_is_refused(number: str) -> None:
    said = refusal(f"openapi: 3.0.3\noperationId: {number}\n")
    assert said == "a number has too many digits, at line 2, column 14"


def test_there_is_an_end_to_warnings_of_repeated_keys() -> None:
    _, repeated = load_tree("a: 1\n" * 1_000, Allowance())
    assert len(repeated) == 50


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system ['touch /tmp/never']",
        "!!python/name:os.system",
        "!!js/function 'x'",
        "!ruby/object:Gem {}",
        "!!binary aGk=",
        "!!timestamp 2024-01-01",
        "!!set {a}",
        "!<tag:x,tag:yaml.org,2002:str> a",
        "!own a",
    ],
)
def test_tags_beyond_the_core_are_refused_with_their_line(tag: str) -> None:
    said = refusal(f"a: 1\nb: {tag}\n")
    assert "the tag" in said
    assert "line 2" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [1", "line 2"),
        ("a: b: c", "line 1, column 5"),
        ("a: 'x", "line"),
        ("a: *nothing", "*nothing"),
        ("a: &a [*a]", "holds itself"),
        ("&a {b: *a}", "holds itself"),
        ("? [a]\n: b", "a key is a list or a mapping"),
        ("? {a: b}\n: c", "a key is a list or a mapping"),
        ("a: &x [1]\n*x : c", "a key is a list or a mapping"),
        ("a: 1\n---\nb: 2", "second YAML document"),
        ("a:\n\t- b", "line 2"),
        ("a: !!int x", "not what its tag says"),
        ("a: !!int true", "not what its tag says"),
        (f"a: {'9' * 5_000}", "too many digits"),
        ("a: 1\nb: \x07", "line 2"),
        ('a: "\\ud83d"', "not YAML"),
        ("%TAG !a! tag:x\n" * 100 + "--- a", "many tags"),
        ("a: @b", "line 1"),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_place(text: str, words: str) -> None:
    assert words in refusal(text)


def bomb(levels: int = 9, width: int = 9) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        names = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"a{level}: &a{level} [{names}]")
    return "\n".join(lines)


@pytest.mark.parametrize("text", [bomb(), bomb(60, 2)])
def test_a_bomb_of_aliases_takes_no_memory(text: str) -> None:
    tracemalloc.start()
    try:
        assert f"more than {MAX_VALUES:,} values" in refusal(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a: &a {b: 1, c: 2}\nx: [*a, *a]", 11),
        ("a: &a {b: 1}\nx: [{<<: *a}, {<<: *a}]", 10),
        ("a: &a [1]\nx: &x [*a]\ny: [*x, *x]", 13),
    ],
)
def test_values_under_aliases_count_again(text: str, count: int) -> None:
    assert load_tree(text, Allowance(values=count), is_root=False)
    with pytest.raises(InvalidInputError):
        load_tree(text, Allowance(values=count - 1), is_root=False)


def test_a_value_under_aliases_is_one_value_in_memory() -> None:
    found = value(bomb(5))
    assert found["a4"][0] is found["a4"][1]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 201 + "]" * 201,
        "- " * 300 + "x",
        "? " * 300 + "x",
        "{a: " * 201 + "}" * 201,
        "[" * 100_000,
        "a: &a " + "[" * 150 + "]" * 150 + "\nb: " + "[" * 60 + "*a" + "]" * 60,
        '{"a":' * 100_000,
    ],
)
def test_a_text_that_nests_too_deeply_is_refused(text: str) -> None:
    said = refusal(text)
    assert "deep" in said or "a key is a list" in said or "early" in said


def test_two_hundred_levels_are_read() -> None:
    assert value("[" * 199 + "{a: b}" + "]" * 199)


def test_the_time_for_a_text_grows_no_faster_than_the_text() -> None:
    part = "  /p%d: {get: {summary: 'Some text of a usual length', tags: [a, b]}}\n"

    def seconds(count: int) -> float:
        text = "paths:\n" + "".join(part % n for n in range(count))
        return cpu_seconds(lambda: load_tree(text, Allowance()), runs=2)

    assert seconds(2_400) < 24 * seconds(300)  # eight times as long a text
