"""Reads JSON from outside: strict, bounded, and with the place of each flaw."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, show

__all__ = [
    "LONE_SURROGATE",
    "MAX_BYTES",
    "MAX_DEPTH",
    "find_flaws",
    "parse_json",
    "readable_json",
    "repetitions",
]

MAX_BYTES = 1_048_576
MAX_DEPTH = 128
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_FLAWS = 100  # of these kinds; more would say nothing new, at a great length
_LAST_COMMA = re.compile(r"[}\]]?\s*,")  # read backwards from the place
_ODD_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_ODD_TEXT = re.compile("[\0\ud800-\udfff]")

# What hides, reverses or separates text; in JSON it stands in strings only, where it
# can be escaped.
_HIDING = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

_Repeated = Mapping[int, list[str]]  # id of an object -> its repeated keys
_TOO_DEEP = Problem(
    code="FIELD_VALUE", message=f"the JSON has more than {MAX_DEPTH} levels"
)


def readable_json(value: Any) -> str:
    """Give a value as JSON to read, with nothing in it that a page could act on."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _HIDING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def parse_json(
    text: str | bytes, max_bytes: int = MAX_BYTES
) -> tuple[Any, list[Problem]]:
    """Read a JSON text; a byte order mark in front is passed over.

    Args:
        text: The text, or its UTF-8 bytes.
        max_bytes: The most UTF-8 bytes that are read at all.

    Returns:
        The value, and all problems, each `FIELD_VALUE`. At a path: a member that is
        repeated (its last value stands), a text or number that JSON cannot carry.
        Without a path, and the value is None: too large, not JSON, a number above
        4300 digits, more than `MAX_DEPTH` levels.
    """
    if _size(text) > max_bytes:
        return None, [_flaw("", f"the JSON is larger than {max_bytes:,} bytes")]
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        return _read(decoded.removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        return None, [_flaw("", f"the text is not UTF-8 at byte {error.start}")]
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        message = f"the text is not JSON: {error.msg} at {where}"
        return None, [_flaw("", message, _likely_cause(error))]
    except RecursionError:
        return None, [_TOO_DEEP]
    except ValueError:
        return None, [_flaw("", "a number in the JSON has too many digits")]


def find_flaws(value: Any, repeated: _Repeated | None = None) -> list[Problem]:
    """Find what JSON cannot carry safely, and repeated keys, each at its path.

    These are NUL and halves of characters in texts, and numbers that are not finite.
    At most 100 are listed.
    """
    if flaw := _flaw_of(value):
        return [_flaw("", flaw)]
    return list(islice(_walk(value, "", repeated or {}), _MOST_FLAWS))


def _read(text: str) -> tuple[Any, list[Problem]]:
    repeated: dict[int, list[str]] = {}
    kept: list[Any] = []  # keeps the ids in `repeated` from being used again
    suspicious = bool(_ODD_ESCAPE.search(text)) or _ODD_TEXT.search(text) is not None

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            kept.append(value)
            repeated[id(value)] = repetitions(key for key, _ in pairs)
        return value

    def read_number(digits: str) -> float:
        nonlocal suspicious
        number = float(digits)
        suspicious = suspicious or not math.isfinite(number)
        return number

    value = json.loads(
        text,
        object_pairs_hook=read_object,
        parse_float=read_number,
        parse_constant=read_number,
    )
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(value):
        return None, [_TOO_DEEP]
    return value, find_flaws(value, repeated) if suspicious or repeated else []


def repetitions(keys: Iterable[str]) -> list[str]:
    """Give the keys that come more than once, each once."""
    seen: set[str] = set()
    repeated: dict[str, None] = {}
    for key in keys:
        if key in seen:
            repeated[key] = None
        seen.add(key)
    return list(repeated)


def _walk(value: Any, path: str, repeated: _Repeated) -> Iterator[Problem]:
    for key in repeated.get(id(value), ()):
        yield Problem(
            code="FIELD_VALUE",
            message=f"the key '{show(key)}' is repeated",
            path=join_path(path, key),
            hint="keep one of them; the last one would count",
            strict=True,
        )
    for key, member in _members(value):
        flaw = _flaw_of(member) or (isinstance(key, str) and _flaw_of(key))
        # Paths may be long, and most are never needed.
        if flaw:
            yield _flaw(join_path(path, key), flaw)
        if isinstance(member, dict | list):
            yield from _walk(member, join_path(path, key), repeated)


def _members(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return ((str(position), member) for position, member in enumerate(value))
    return ()


def _flaw_of(value: Any) -> str | None:
    if isinstance(value, str) and (match := _ODD_TEXT.search(value)):
        what = "a NUL character" if match[0] == "\0" else "half a character"
        return f"a text holds {what}"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number is not finite"
    return None


def _flaw(path: str, message: str, hint: str | None = None) -> Problem:
    return Problem(code="FIELD_VALUE", message=message, path=path, hint=hint)


def _likely_cause(error: json.JSONDecodeError) -> str | None:
    """Say which of the usual slips stands where the reader gave up."""
    before = error.doc[max(0, error.pos - 200) : error.pos + 1]
    if _LAST_COMMA.match(before[::-1]):
        return "no comma may stand before a closing bracket"
    if error.doc.startswith("'", error.pos):
        return "names and texts stand in double quotes"
    return None


def _size(text: str | bytes) -> int:
    if isinstance(text, bytes):
        return len(text)
    return len(text.encode("utf-8", "surrogatepass"))


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        members = [m for outer in level for _, m in _members(outer)]
        level = [m for m in members if isinstance(m, dict | list)]
        if not level:
            return False
    return True
