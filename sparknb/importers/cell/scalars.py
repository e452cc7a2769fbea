"""What a plain word of YAML is: the core schema of YAML 1.2, no more.

`on`, `no`, `2024-01-01`, `1_000` and `12:30` are texts; `1e3` is a number.
"""

import re
from collections.abc import Callable
from typing import Any

__all__ = ["json_number", "plain_value"]

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_BASES = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def _of_other_base(text: str) -> int:
    value = int(text, 0)
    str(value)  # raises for what could not be written out in decimal digits
    return value


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (_INTEGER, int),
    (_OTHER_BASES, _of_other_base),
    (_FLOAT, float),
    (_NOT_FINITE, lambda text: float(text.replace(".", ""))),
)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


def plain_value(text: str) -> Any:
    """Give the value of a word that stands without quotes.

    Raises:
        ValueError: A whole number has more digits than Python reads.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "-+.0123456789":
        for pattern, read in _NUMBERS:
            if pattern.fullmatch(text):
                return read(text)
    return text


def json_number(value: float, raw: str) -> str:
    """Give a number as JSON spells it, with the digits as written where JSON can.

    Raises:
        ValueError: JSON has no such number.
    """
    if _JSON_NUMBER.fullmatch(raw):
        return raw
    if isinstance(value, float) and value - value != 0:
        raise ValueError(raw)
    return repr(value)
