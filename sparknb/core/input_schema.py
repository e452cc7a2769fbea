"""What a declared input accepts, and how a stored input schema is read."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sparknb.core.definitions import InputSchema, Parameter, ParameterType
from sparknb.core.wording import kind_of, show

__all__ = ["fits_type", "is_finite_number", "misfits", "read_input_schema"]

_HIGHEST = int(sys.float_info.max)  # JSON readers make infinity of what is above
_MOST_SHOWN = 10


def read_input_schema(wire: Mapping[str, Any]) -> InputSchema:
    """Build an input schema from its normal form, which is trusted."""
    required = frozenset(wire.get("required", ()))
    parameters = {
        name: _parameter(name, member, required=name in required)
        for name, member in wire["properties"].items()
    }
    return InputSchema(parameters, wire)


def fits_type(value: Any, wanted: ParameterType) -> bool:
    """Tell whether a value has this type; true is no number, 5.0 is an integer."""
    return _FITS[wanted](value)


def is_finite_number(value: Any) -> bool:
    """Tell whether a value is a number that every JSON reader can hold."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return -_HIGHEST <= value <= _HIGHEST
    return isinstance(value, float) and math.isfinite(value)


def misfits(parameter: Parameter, value: Any) -> Iterator[tuple[str, str]]:
    """Yield why a value is none for this parameter.

    Yields:
        Pairs of a path below the parameter (empty, or `.N` for an element) and a
        rule ("must be …"). The value itself is in neither.
    """
    if not fits_type(value, parameter.type):
        yield "", f"must be {_ARTICLES[parameter.type]}, not {_describe(value)}"
        return
    if parameter.item_type is not None:
        wanted = _ARTICLES[parameter.item_type]
        for position, element in enumerate(value):
            if not fits_type(element, parameter.item_type):
                rule = f"must be {wanted}, not {_describe(element)}"
                yield f".{position}", rule
    if parameter.enum is not None and value not in parameter.enum:
        yield "", f"must be one of {_listed(parameter.enum)}"


def _parameter(name: str, wire: Mapping[str, Any], *, required: bool) -> Parameter:
    items = wire.get("items")
    enum = wire.get("enum")
    bare = Parameter(
        name=name,
        type=wire["type"],
        required=required,
        item_type=None if items is None else items["type"],
        enum=None if enum is None else tuple(enum),
        title=wire.get("title"),
        description=wire.get("description"),
    )
    if "default" not in wire:
        return bare
    # An imported default may not fit; the call check would refuse it.
    default = wire["default"]
    if any(misfits(bare, default)):
        return bare
    return replace(bare, has_default=True, default=default)


def _describe(value: Any) -> str:
    kind = kind_of(value)
    if kind == "a number" and not is_finite_number(value):
        return "a number beyond all limits"
    return kind


def _listed(values: tuple[Any, ...]) -> str:
    shown = [show(str(v)) for v in values[:_MOST_SHOWN]]
    rest = len(values) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _is_integer(value: Any) -> bool:
    return is_finite_number(value) and value == int(value)


_FITS: Mapping[ParameterType, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": is_finite_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
}
_ARTICLES: Mapping[ParameterType, str] = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "array": "an array",
}
