"""How values are written: the display form (ST-22) and compact JSON.

Numbers are spelled as in RFC 8785 (5.0 as 5, 1e21 as 1e+21), but integers of any
size keep all their digits.
"""

import math
import re
from json.encoder import encode_basestring
from typing import Any

from sparknb.core.errors import InvalidInputError

__all__ = ["LONE_SURROGATE", "display", "escape", "json_value"]

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_EXACT = 1e16  # from here on repr uses an exponent


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
    if value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    # The float's own method: subclasses such as numpy's print their type.
    text = float.__repr__(value)
    mantissa, letter, power = text.partition("e")
    if not letter:
        return text
    return _plain(mantissa, int(power)) or f"{mantissa}e{int(power):+d}"


def _plain(mantissa: str, power: int) -> str | None:
    """Write a number without exponent where ECMAScript does so."""
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.removeprefix("-").replace(".", "")
    if 0 < power <= 20:  # noqa: PLR2004 -- the limit that ECMAScript sets
        return sign + digits.ljust(power + 1, "0")
    if -6 <= power < 0:  # noqa: PLR2004 -- the limit that ECMAScript sets
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    return None
