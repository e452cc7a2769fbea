"""Titles and descriptions: clean, of bounded length, never empty."""

import pytest

from sparknb.importers.openapi.texts import clean, cut, listed, sentences, spelled
from tests.costs import cpu_seconds
from tests.importers.openapi.documents import draft_of, parameter

KEY = "sk-proj-" + "FAKEfake" * 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("  two\r\n\tlines\u2028and\u00a0more ", "two lines and more"),
        ("bell\x07 nul\0 esc\x1b[31m", "bell nul esc[31m"),
        ("\u202eevil\u202c \u2066x\u2069 \u200fy", "evil x y"),
        ("ze\u200bro\u200dwi\u2060dth\ufeff so\xadft", "zerowidth soft"),
        ("tag\U000e0041\U000e007f", "tag"),
        ("half \ud800 of one", "half of one"),
        ("e\u0301 👍🏽 日本語", "e\u0301 👍🏽 日本語"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        (f"use {KEY} now", "use [REDACTED] now"),
        (f"use {KEY[:12]}\u200b{KEY[12:]} now", "use [REDACTED] now"),
        ("", ""),
        (None, ""),
        (7, ""),
        (["x"], ""),
    ],
)
def test_texts_lose_what_hides_reorders_or_is_secret(
    text: object, expected: str
) -> None:
    assert clean(text, 100) == expected


def test_what_is_too_long_ends_at_a_word() -> None:
    assert cut("one two three", 13) == "one two three"
    assert cut("one two three", 12) == "one two…"
    assert cut("one two three", 8) == "one two…"
    assert cut("abcdefghij", 5) == "abcd…"
    assert cut("日本語日本語", 4) == "日本語…"


def test_an_accent_is_not_torn_from_its_letter() -> None:
    assert cut("abe\u0301\u0302cdef", 4) == "ab…"
    assert cut("ab✊\ufe0fcdef", 4) == "ab…"


def test_a_megabyte_of_text_is_cut_at_no_cost() -> None:
    text = "word \u202e" * 170_000
    made = draft_of({"description": text, "parameters": [parameter("q")]})
    assert len(made.definition["description"]) <= 4000
    assert made.definition["description"].endswith("…")
    assert cpu_seconds(lambda: clean(text, 4000)) < 0.1


def test_the_title_is_the_summary_or_the_id_or_the_path() -> None:
    both = {"summary": " Reads\nall ", "operationId": "readAll"}
    assert draft_of(both).definition["title"] == "Reads all"
    assert draft_of({"operationId": "readAll"}).definition["title"] == "readAll"
    blank = {"summary": "\n \u200b", "operationId": "readAll"}
    assert draft_of(blank).definition["title"] == "readAll"
    assert draft_of({}).definition["title"] == "GET /things"
    long = draft_of({"summary": "word " * 60}).definition["title"]
    assert 150 < len(long) <= 160


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({}, "Calls GET /things."),
        ({"summary": "List"}, "List. Calls GET /things."),
        ({"summary": "Lists all things"}, "Lists all things"),
        ({"summary": "Lists.", "description": "All of them."}, "Lists. All of them."),
        (
            {"summary": "Lists all", "description": "Lists all things."},
            "Lists all things.",
        ),
        (
            {"summary": "取得列表", "description": "返回所有订单，按时间排序。"},
            "取得列表. 返回所有订单，按时间排序。",
        ),
        ({"description": "\n\n", "summary": "    "}, "Calls GET /things."),
        ({"description": "{{secret:X}} ${env.HOME}"}, "{{secret:X}} ${env.HOME}"),
    ],
)
def test_the_description_says_what_the_document_says(
    node: dict[str, str], expected: str
) -> None:
    assert draft_of(node).definition["description"] == expected


def test_a_description_has_at_most_4000_characters_and_ends_at_a_word() -> None:
    made = draft_of({"deprecated": True, "description": "sentence " * 1000})
    text = made.definition["description"]
    assert text.startswith("Deprecated. sentence ")
    assert 3980 < len(text) <= 4000
    assert text.endswith("sentence…")


def test_descriptions_of_parameters_have_at_most_1000_characters() -> None:
    long = parameter("q", description="word " * 1000, schema={"default": 5})
    made = draft_of({"parameters": [long]})
    text = made.definition["inputSchema"]["properties"]["q"]["description"]
    assert 950 < len(text) <= 1000
    assert text.endswith("word… Default: 5.")


def test_sentences_are_joined_as_sentences() -> None:
    assert sentences("", "a", "", "b.", "c") == "a. b. c"
    assert sentences() == ""


def test_values_are_spelled_short_and_never_when_secret() -> None:
    assert spelled("a\u202eb") == '"ab"'
    assert spelled([1, None, True]) == "[1, null, true]"
    assert spelled(float("nan")) == ""
    assert spelled({"key": KEY}) == ""
    assert len(spelled("x" * 1000)) == 100
    assert listed(["a", 1]) == '"a", 1'
    many = listed([f"value {n}" for n in range(1000)])
    assert len(many) < 630
    assert many.endswith("more")
