"""What property tests of templates draw, and what must come of it.

Values hold delimiters, escapes, control characters, any script, huge integers and
odd floats. What a template of drawn parts must give is said by means of its own.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import rfc8785
from hypothesis import strategies as st

Part = tuple[str, str]  # ("text", literal) or ("name", parameter)

_HOSTILE = [
    *(
        "",
        ".",
        "..",
        "/",
        "../",
        "%2e",
        "%2e%2e",
        "%",
        "%00",
        "?",
        "#",
        "&",
        "=",
        "a=b",
    ),
    *("&x=1", "@evil.test", ":80", "\\", "//", ";", "+", " ", "\t", "\r\n", "\n", "\0"),
    *("\r\nX-Evil: 1", '"', '"}', '","x":"', "\\", "\\u0022", "{{q}}", "}}", "{{", "{"),
    *("null", "[]", "\ufffc", "\u2028", "\x7f", "\x85", "ÿ", "Ā", "😀", "\u202e", "．"),
]
texts = st.lists(
    st.sampled_from(_HOSTILE) | st.text(st.characters(exclude_categories=["Cs"])),
    max_size=4,
).map("".join)
_numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
_integers = st.integers() | st.integers(min_value=-(10**300), max_value=10**300)
arguments_ = st.fixed_dictionaries(
    {
        "q": texts,
        "n": _integers | st.integers(-9, 9).map(float),
        "x": _numbers,
        "b": st.booleans(),
        "list": st.lists(texts, max_size=3),
    },
    optional={"o": texts, "p": texts},
)
NAMES = st.sampled_from(["q", "n", "x", "b", "list", "o", "p"])


def display_form(value: Any) -> str:
    """Say by other means than the program what the display form is."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return rfc8785.dumps(value).decode()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of(parts: list[Part]) -> str:
    return "".join(f"{{{{{t}}}}}" if kind == "name" else t for kind, t in parts)


def is_absent(parts: list[Part], arguments: Mapping[str, Any]) -> bool:
    """Tell whether the parts are one absent value."""
    return len(parts) == 1 and parts[0][0] == "name" and parts[0][1] not in arguments


def misses(parts: list[Part], arguments: Mapping[str, Any]) -> bool:
    return any(kind == "name" and t not in arguments for kind, t in parts)


def filled(
    parts: list[Part],
    arguments: Mapping[str, Any],
    encode: Callable[[str], str] = str,
    encode_literal: Callable[[str], str] = str,
) -> str:
    return "".join(
        encode(display_form(arguments[t])) if kind == "name" else encode_literal(t)
        for kind, t in parts
    )


def parts_of(literals: st.SearchStrategy[str]) -> Any:
    literal = st.tuples(st.just("text"), literals)
    slot = st.tuples(st.just("name"), NAMES)
    parts = st.lists(literal | slot | slot, max_size=3)
    return parts.map(lambda drawn: [part for part in drawn if part[1]])


NASTY = st.lists(
    st.sampled_from(
        [
            *("{{", "}}", "{", "}", "{{q}}", "{{ o }}", "{{list | csv}}", "{{q|json}}"),
            *("http://", "https://h", "/", "?", "#", "&", "=", ":", "@", "[", "]", "%"),
            *(
                "..",
                '"',
                "\\",
                ",",
                "\n",
                "\0",
                "\ud800",
                "é",
                "１",
                "1",
                "-",
                "e",
                " ",
            ),
        ]
    )
    | st.text(max_size=3),
    max_size=14,
).map("".join)
