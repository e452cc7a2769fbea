"""How problems quote what they found."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.wording import join_path, kind_of, show, show_key


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("a" * 40, "a" * 40),
        ("a" * 41, "a" * 39 + "…"),
        ("\x1b[31mred\n", r"\x1b[31mred\n"),
        ("\u202eabc\u200b", r"\u202eabc\u200b"),
        ("\ud800", r"\ud800"),
        ("key sk-aaaaaaaaaaaaaaaaaaaa", "key [REDACTED]"),
        ("x" * 30 + " ghp_" + "a1" * 900, "x" * 30 + " [REDACTE…"),
    ],
)
def test_texts_are_shown_short_printable_and_without_secrets(
    text: str, shown: str
) -> None:
    assert show(text) == shown


@given(st.text())
def test_what_is_shown_is_printable_and_bounded(text: str) -> None:
    shown = show(text)
    assert shown.isprintable()
    assert len(shown) <= 40 * 10


@pytest.mark.parametrize(
    ("path", "key", "joined"),
    [
        ("", "a", "a"),
        ("a.0", "b c", "a.0.b c"),
        ("a", 5, "a.<int>"),
        ("a", None, "a.<NoneType>"),
        ("a", "k" * 129, "a." + "k" * 127 + "…"),
    ],
)
def test_foreign_keys_become_segments_of_paths(
    path: str, key: Any, joined: str
) -> None:
    assert join_path(path, key) == joined


def test_a_huge_number_as_key_can_be_shown() -> None:
    assert show_key(10**6000) == "<int>"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("", "a string"),
        (True, "a boolean"),
        (1, "a number"),
        (1.5, "a number"),
        ([], "an array"),
        ({}, "an object"),
        (None, "null"),
        ((), "a Python tuple"),
        (b"", "a Python bytes"),
    ],
)
def test_values_are_named_by_their_json_type(value: Any, name: str) -> None:
    assert kind_of(value) == name
