import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.displays.safe_text import printable, to_json

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31m",
    "a\rb",
    "\x08\x08\x08",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "zero\u200bwidth",
    "\ufeffmark",
    "\U000e0041tag",
    "line\u2028end",
    "nul\x00",
    "del\x7f",
    "soft\xadhyphen",
    "\ud800",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_could_steer_a_terminal_is_spelled_out(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert shown.encode()


def test_a_spelled_character_can_be_recognised() -> None:
    assert printable("\x1b[2J") == "\\x1b[2J"
    assert printable("\u202ex") == "\\u202ex"
    assert printable("\U000e0041") == "\\U000e0041"


@pytest.mark.parametrize(
    "text",
    ["Grüße, 日本語, 👩‍🚀", "tab\tand\nline", "[bold]markup[/]", "a·b → c"],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_line_ends_of_windows_become_plain_ones() -> None:
    assert printable("a\r\nb") == "a\nb"


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_safe_to_print_and_reads_back_the_same(text: str) -> None:
    document = {text: [text]}
    shown = to_json(document)
    assert all(c.isprintable() or c == "\n" for c in shown)
    assert json.loads(shown) == document


def test_a_number_that_json_lacks_is_never_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"x": float("nan")})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_any_document_reads_back_the_same(document: Any) -> None:
    assert json.loads(to_json(document)) == document
