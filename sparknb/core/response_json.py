"""JSON as a server sent it: read it, and write it again with the digits it had.

What is more than 128 levels deep counts as not JSON (ST-31).
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Self

__all__ = ["DEPTH_LIMIT", "NOT_JSON", "compact", "indented", "json_value", "read_json"]

DEPTH_LIMIT = 128

_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]')
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]+')
_LINES = tuple("\n" + "  " * depth for depth in range(DEPTH_LIMIT + 1))
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


NOT_JSON: Any = object()


class _Spelled(float):
    """A number that remembers how it was written."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        self = super().__new__(cls, text)
        self.text = text
        return self


def read_json(text: str, *, keep_digits: bool = False) -> Any:
    """Read a JSON text; a byte order mark in front is passed over.

    Half a surrogate pair, which no text can hold, becomes U+FFFD.

    Args:
        text: Any text.
        keep_digits: Whether numbers remember their spelling for `compact`. Else a
            number that no Python number of its kind can hold is given as its text.

    Returns:
        The value, or `NOT_JSON`.
    """
    text = text.removeprefix("\ufeff")
    to_float = _Spelled if keep_digits else _float
    to_int = _spelled_int if keep_digits else _int
    try:
        value = json.loads(
            text, parse_float=to_float, parse_int=to_int, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        return NOT_JSON
    if _is_too_deep(text):
        return NOT_JSON
    return _whole(value) if _SURROGATE_ESCAPE.search(text) else value


def json_value(text: str) -> Any:
    """Give the value of a JSON text, None for any other text."""
    value = read_json(text)
    return None if value is NOT_JSON else value


def _float(text: str) -> Any:
    number = float(text)
    return number if math.isfinite(number) else text


def _int(text: str) -> Any:
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        return text


def _spelled_int(text: str) -> Any:
    try:
        return _Spelled(text) if text == "-0" else int(text)
    except ValueError:
        return _Spelled(text)


def _refuse(constant: str) -> Any:
    """Refuse NaN and the infinities, which Python reads but JSON does not know."""
    raise ValueError(constant)


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= DEPTH_LIMIT:
        return False
    depth = 0
    for found in _BRACKET.finditer(text):
        bracket = found[0]
        if bracket in "[{":
            depth += 1
            if depth > DEPTH_LIMIT:
                return True
        elif bracket in "]}":
            depth -= 1
    return False


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


def indented(text: str) -> Iterator[str]:
    """Write a JSON text that `read_json` could read with an indent of 2 spaces.

    Works on the text itself: numbers and repeated members stay as they were
    received; escapes in strings are written as characters where they can be.
    """
    depth, is_fresh = 0, False  # fresh: just behind an opening bracket
    for found in _TOKEN.finditer(text.removeprefix("\ufeff")):
        part = found[0]
        if part in "]}":
            depth -= 1
            if not is_fresh:
                yield _LINES[depth]
        elif is_fresh:
            yield _LINES[depth]
        is_fresh = part in "[{"
        depth += is_fresh
        if part == ",":
            yield "," + _LINES[depth]
        elif part == ":":
            yield ": "
        else:
            yield _readable(part) if "\\" in part else part


def _readable(part: str) -> str:
    written = json.dumps(json.loads(part), ensure_ascii=False)
    return part if _SURROGATE.search(written) else written


def compact(value: Any, check: Callable[[], None]) -> str:
    """Write a value of `read_json` on one line without spaces.

    `check` is called for each container; it may raise to stop a long work.
    """
    pieces: list[str] = []
    _write(value, pieces.append, check)
    return "".join(pieces)


def _write(value: Any, put: Callable[[str], None], check: Callable[[], None]) -> None:
    if isinstance(value, dict):
        check()
        mark = "{"
        for key, item in value.items():
            put(f"{mark}{json.dumps(key, ensure_ascii=False)}:")
            _write(item, put, check)
            mark = ","
        put("}" if value else "{}")
    elif isinstance(value, list):
        check()
        mark = "["
        for item in value:
            put(mark)
            _write(item, put, check)
            mark = ","
        put("]" if value else "[]")
    elif isinstance(value, _Spelled):
        put(value.text)
    else:
        put(json.dumps(value, ensure_ascii=False))
