"""How values are written: the display form (ST-22) and compact JSON.

Numbers are spelled as in RFC 8785 (5.0 as 5, 1e21 as 1e+21), but integers of any
size keep all their digits.
"""

import math
from json.encoder import encode_basestring
from typing import Any

from sparknb.core.canonical import spell_double
from sparknb.core.errors import InvalidInputError
from sparknb.core.json_text import LONE_SURROGATE

__all__ = ["display", "escape", "json_value"]


def display(value: Any) -> str:
    """Give the display form: text as is, scalars as JSON, arrays as compact JSON.

    Raises:
        InvalidInputError: The value has no such form: NaN, half a character, an
            integer beyond Python's digit limit, an object, an array in an array. The
            error has no path.
    """
    return _sound(value) if isinstance(value, str) else json_value(value)


def json_value(value: Any) -> str:
    """Give compact JSON of a scalar or an array.

    Raises:
        InvalidInputError: As `display`.
    """
    if isinstance(value, list | tuple):
        return f"[{','.join([_scalar(element) for element in value])}]"
    return _scalar(value)


def escape(text: str) -> str:
    """Give the text as it stands between the quotes of a JSON string."""
    return encode_basestring(text)[1:-1]


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return encode_basestring(_sound(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    raise InvalidInputError("this type of value cannot be sent")


def _sound(text: str) -> str:
    if not text.isascii() and LONE_SURROGATE.search(text):
        raise InvalidInputError("the text holds half a character (a lone surrogate)")
    return text


def _integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        raise InvalidInputError("the number has too many digits") from None


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise InvalidInputError("NaN and infinities cannot be sent")
    return spell_double(value)
