"""A small reader of JSON shapes, driven by tables.

A reader takes a value, its path and a function to tell problems to, and returns the
value in normal form: known keys only, in the order of the table, defaults filled.
A part that cannot be used is replaced by `BROKEN`, so later checks see at once what
they must leave alone.

Rules, elsewhere, are generators of problems. A reader has a value to give as well and
runs for every field of every definition; being told costs least when all is well.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, kind_of, show, show_key

__all__ = [
    "BROKEN",
    "OPTIONAL",
    "REQUIRED",
    "Field",
    "Reader",
    "Tell",
    "at",
    "bad_value",
    "boolean",
    "choice",
    "closed",
    "exactly",
    "integer",
    "listing",
    "missing",
    "text",
    "wrong_type",
]

Tell = Callable[[Problem], object]
Reader = Callable[[Any, str, Tell], Any]


class _Mark(Enum):
    BROKEN = "broken"
    REQUIRED = "required"
    OPTIONAL = "optional"


BROKEN: Final = _Mark.BROKEN
REQUIRED: Final = _Mark.REQUIRED
OPTIONAL: Final = _Mark.OPTIONAL


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a closed object; `absent` is a mark, or the value it stands for."""

    name: str
    read: Reader
    absent: Any = REQUIRED


def missing(path: str) -> Problem:
    """Give the problem of a key that must be there."""
    message = f"{_last(path)} is missing"
    return Problem(code="FIELD_MISSING", message=message, path=path)


def wrong_type(path: str, wanted: str, value: Any) -> Problem:
    """Give the problem of a value of another JSON type than `wanted`."""
    message = f"{_last(path)} must be {wanted}, not {kind_of(value)}"
    return Problem(code="FIELD_TYPE", message=message, path=path)


def bad_value(
    path: str, rule: str, *, hint: str | None = None, strict: bool = False
) -> Problem:
    """Give the problem of a value that breaks a rule ("must be …")."""
    message = f"{_last(path)} {rule}"
    return Problem(
        code="FIELD_VALUE", message=message, path=path, hint=hint, strict=strict
    )


def _tell_unknown(
    value: dict[Any, Any], path: str, known: Collection[str], tell: Tell
) -> None:
    for key in value:
        if key not in known:
            problem = Problem(
                code="FIELD_UNKNOWN",
                message=f"'{show(show_key(key))}' is not a key of this object",
                path=join_path(path, key),
                hint=f"known keys: {', '.join(known)}",
            )
            tell(problem)


def text(
    least: int, most: int, pattern: re.Pattern[str] | None = None, rule: str = ""
) -> Reader:
    """Read a string of that many characters; `rule` says what `pattern` demands."""

    def read(value: Any, path: str, tell: Tell) -> Any:
        if not isinstance(value, str):
            tell(wrong_type(path, "a string", value))
        elif not least <= len(value) <= most:
            tell(
                bad_value(
                    path, f"must have {least} to {most} characters, not {len(value)}"
                )
            )
        elif pattern is not None and not pattern.fullmatch(value):
            tell(bad_value(path, f"must {rule}, not '{show(value)}'"))
        else:
            return value
        return BROKEN

    return read


def choice(*values: str) -> Reader:
    """Read one of these strings."""
    known = ", ".join(values)

    def read(value: Any, path: str, tell: Tell) -> Any:
        if not isinstance(value, str):
            tell(wrong_type(path, "a string", value))
        elif value not in values:
            tell(bad_value(path, f"must be one of {known}; not '{show(value)}'"))
        else:
            return value
        return BROKEN

    return read


def exactly(wanted: str | bool) -> Reader:  # noqa: FBT001  # the value, no flag
    """Read exactly this string or boolean."""
    kind = kind_of(wanted)
    shown = str(wanted).lower() if isinstance(wanted, bool) else f"'{wanted}'"

    def read(value: Any, path: str, tell: Tell) -> Any:
        if not isinstance(value, type(wanted)):
            tell(wrong_type(path, kind, value))
        elif value != wanted:
            tell(bad_value(path, f"must be {shown}"))
        else:
            return value
        return BROKEN

    return read


def boolean(value: Any, path: str, tell: Tell) -> Any:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    tell(wrong_type(path, "a boolean", value))
    return BROKEN


def integer(least: int, most: int) -> Reader:
    """Read a whole number in a range; 5.0 is one and becomes 5."""

    def read(value: Any, path: str, tell: Tell) -> Any:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or (isinstance(value, float) and not value.is_integer()):
            tell(wrong_type(path, "an integer", value))
        elif not least <= value <= most:
            tell(bad_value(path, f"must be from {least} to {most}"))
        else:
            return int(value)
        return BROKEN

    return read


def listing(item: Reader, *, most: int, least: int = 0) -> Reader:
    """Read an array; of one that is too long the first `most` elements."""

    def read(value: Any, path: str, tell: Tell) -> Any:
        if not isinstance(value, list):
            tell(wrong_type(path, "an array", value))
            return BROKEN
        fits = least <= len(value) <= most
        if not fits:
            rule = f"must have {least} to {most} elements, not {len(value)}"
            tell(bad_value(path, rule))
        sound = []
        for position, element in enumerate(value[:most]):
            sound.append(item(element, f"{path}.{position}", tell))
        return sound if fits else BROKEN

    return read


def closed(*fields: Field) -> Reader:
    """Read an object with these keys and no others."""
    known = [field.name for field in fields]
    table = [(field.name, field.read, field.absent) for field in fields]

    def read(value: Any, path: str, tell: Tell) -> Any:
        if not isinstance(value, dict):
            tell(wrong_type(path, "an object", value))
            return BROKEN
        start = f"{path}." if path else ""
        sound: dict[str, Any] = {}
        for name, read_field, absent in table:
            if name in value:
                sound[name] = read_field(value[name], start + name, tell)
            elif absent is REQUIRED:
                tell(missing(start + name))
                sound[name] = BROKEN
            elif absent is not OPTIONAL:
                sound[name] = read_field(absent, start + name, tell)
        # A key that is known was read; more keys than that are unknown ones.
        if not value.keys() <= sound.keys():
            _tell_unknown(value, path, known, tell)
        return sound

    return read


def at(value: Any, *keys: str) -> Any:
    """Give the part under these keys: None if absent, `BROKEN` if it is beyond use."""
    for key in keys:
        if not isinstance(value, dict):
            return value
        value = value.get(key)
    return value


def _last(path: str) -> str:
    """Name a place: its key, or for an array element also that of the array."""
    keys = path.rsplit(".", 2)
    if keys[-1].isdigit():
        return ".".join(keys[-2:])
    return keys[-1] or "the definition"
