"""A parameter as the input schema of a tool declares it (ST-6, ST-107).

What cannot be declared there is said in words.
"""

from collections.abc import Iterable
from typing import Any

from sparknb.core.input_schema import is_finite_number
from sparknb.core.secret_scan import contains_secret
from sparknb.importers.openapi.schemas import Schema
from sparknb.importers.openapi.shapes import Shape, enum_of
from sparknb.importers.openapi.texts import clean, cut, listed, sentences, spelled

__all__ = ["LONGEST_TEXT", "declare"]

LONGEST_TEXT = 1000
_MOST_ENUM = 50
_MOST_LOOKED_AT = 1000  # some may be there twice
_LONGEST_ENUM_TEXT = 200
_PLAIN_FORMATS = frozenset({"int32", "int64", "float", "double", "string", "binary"})
_LONGEST_FORMAT = 40


def declare(
    shape: Shape, schema: Schema | None, *texts: str, deprecated: bool = False
) -> dict[str, Any]:
    """Give the entry of an input schema: type, items, enum and description.

    Args:
        shape: A scalar or a list of scalars.
        schema: What it was made of, for what is said in words.
        texts: Cleaned texts in front; without any the schema's own is used.
        deprecated: Say so.
    """
    wire: dict[str, Any] = {"type": shape.kind}
    if shape.kind == "array":
        wire["items"] = {"type": shape.items}
    declared = _declarable(shape)
    if declared is not None:
        wire["enum"] = declared
    said = sentences(*texts)
    if not said and schema is not None:
        said = clean(schema.first("description"), LONGEST_TEXT)
    if deprecated or (schema is not None and schema.is_marked("deprecated")):
        said = f"Deprecated. {said}".rstrip()
    notes = " ".join(_notes(shape, schema, is_listed=declared is None))
    said = cut(said, LONGEST_TEXT - len(notes) - 2) if notes else said
    if said or notes:
        wire["description"] = cut(sentences(said, notes), LONGEST_TEXT)
    return wire


def _declarable(shape: Shape) -> list[Any] | None:
    """Give the enum in the form of ours, None when it has to be said in words."""
    if not shape.enum or len(shape.enum) > _MOST_LOOKED_AT:
        return None
    fits = _FITS.get(shape.kind)
    if fits is None or not all(fits(value) for value in shape.enum):
        return None
    values = list(dict.fromkeys(shape.enum))
    return values if len(values) <= _MOST_ENUM else None


def _is_enum_text(value: Any) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_ENUM_TEXT
        and not contains_secret(value)
        and "\0" not in value
        and value.isprintable()
    )


def _is_number(value: Any) -> bool:
    return is_finite_number(value)


def _is_whole(value: Any) -> bool:
    return is_finite_number(value) and value == int(value)


_FITS = {"string": _is_enum_text, "number": _is_number, "integer": _is_whole}


def _notes(shape: Shape, schema: Schema | None, *, is_listed: bool) -> Iterable[str]:
    """Yield in words what is not declared."""
    if shape.enum and is_listed:
        yield f"One of: {listed(shape.enum)}."
    if schema is not None:
        yield from _limits(schema)
        default = schema.first("default")
        if default is not None and (value := spelled(default)):
            yield f"Default: {value}."
        if shape.kind == "array":
            values = enum_of(schema.items())
            if values:
                yield f"Each one of: {listed(values)}."
    if shape.nullable:
        yield "(null cannot be sent)"


def _limits(schema: Schema) -> Iterable[str]:
    form = schema.first("format")
    if isinstance(form, str) and form and form not in _PLAIN_FORMATS:
        yield f"Format: {clean(form, _LONGEST_FORMAT)}."
    least, most = (schema.first(key) for key in ("minimum", "maximum"))
    if is_finite_number(least):
        yield f"At least {spelled(least)}."
    if is_finite_number(most):
        yield f"At most {spelled(most)}."
