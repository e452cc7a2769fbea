"""The one spelling of a JSON value (RFC 8785), and its digest.

Written here because the `rfc8785` package, which tests compare this with, takes
several times as long and refuses integers beyond 2**53.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from json.encoder import encode_basestring as quote
from typing import Any

from sparknb.core.errors import InvalidInputError

__all__ = ["canonical", "digest", "spell_double"]

_EXACT = 2**53
_HIGHEST_PLAIN_POWER = 20
_LOWEST_PLAIN_POWER = -6


def canonical(value: Any) -> bytes:
    """Give the RFC 8785 form of a JSON value, as UTF-8.

    An integer that no double equals has no such form; its digits are written, so
    that different values never share a digest.

    Raises:
        InvalidInputError: Not JSON: another type, a key that is no string, NaN, an
            infinity or as large, half a character, or too many levels.
    """
    try:
        return _write(value).encode()
    except RecursionError:
        raise _not_json("it has too many levels") from None
    except UnicodeEncodeError:
        raise _not_json("a text holds half a character") from None


def digest(value: Any) -> str:
    """Give the lower-case hex sha256 of the canonical form; raises as that does."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _not_json(reason: str) -> InvalidInputError:
    return InvalidInputError(f"the value is not JSON: {reason}")


def _write(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is dict:
        return _object(value)
    write = _WRITERS.get(kind)
    if write is None:
        # Subclasses (an enum, an ordered dict) are written as what they are.
        write = next((w for k, w in _WRITERS.items() if isinstance(value, k)), None)
    if write is None:
        raise _not_json(f"it holds a {kind.__name__}")
    return write(value)


def _constant(value: bool | None) -> str:  # noqa: FBT001  # the value itself, no flag
    return "null" if value is None else "true" if value else "false"


def _integer(value: int) -> str:
    if -_EXACT < value < _EXACT:
        return int.__repr__(value)
    try:
        is_double = int(float(value)) == value
    except OverflowError:
        raise _not_json("a number is too large") from None
    return _double(float(value)) if is_double else int.__repr__(value)


def _double(value: float) -> str:
    if not math.isfinite(value):
        raise _not_json("a number is not finite")
    return spell_double(value)


def spell_double(value: float) -> str:
    """Give a finite double as ECMAScript's `Number::toString` writes it."""
    if value.is_integer() and -_EXACT < value < _EXACT:
        return int.__repr__(int(value))
    # The float's own method: subclasses such as numpy's print their type.
    shortest = float.__repr__(value)
    mantissa, _, exponent = shortest.removesuffix(".0").partition("e")
    power = int(exponent or 0)
    if not power:
        return mantissa
    sign = "-" if mantissa[0] == "-" else ""
    digits = mantissa.lstrip("-").replace(".", "")
    # Python writes an exponent outside 1e-4 to 1e16, ECMAScript outside these.
    if 0 < power <= _HIGHEST_PLAIN_POWER:
        return sign + digits.ljust(power + 1, "0")
    if 0 > power >= _LOWEST_PLAIN_POWER:
        return f"{sign}0.{digits.rjust(len(digits) - power - 1, '0')}"
    return f"{mantissa}e{power:+d}"


def _array(value: Sequence[Any]) -> str:
    return f"[{','.join(map(_write, value))}]"


def _object(value: Mapping[Any, Any]) -> str:
    try:
        plain = "".join(value).isascii()
    except TypeError:
        raise _not_json("a key is no string") from None
    # The order is that of UTF-16 units, which differs above the basic plane only.
    keys = sorted(value) if plain else sorted(value, key=_utf16)
    return f"{{{','.join([f'{quote(key)}:{_write(value[key])}' for key in keys])}}}"


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")


_WRITERS: dict[type, Callable[[Any], str]] = {
    str: quote,
    bool: _constant,
    int: _integer,
    float: _double,
    list: _array,
    tuple: _array,
    Mapping: _object,
    type(None): _constant,
}
