"""One description of a value for three uses: read it, document it, send it.

Requests and answers of the example service are dataclasses. From their type hints
and from the notes that `described` adds come the checks of incoming values and the
schemas of the OpenAPI document, so the two cannot differ.
"""

import dataclasses
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = [
    "Fault",
    "described",
    "document_schema",
    "field_schema",
    "fields_of",
    "read",
    "wire",
]

_MAX_INTEGER = 2**53

_NAMES: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one incoming value."""

    name: str
    message: str


def described(
    text: str,
    *,
    default: Any = dataclasses.MISSING,
    minimum: float | None = None,
    maximum: float | None = None,
    max_length: int | None = None,
    alias: str | None = None,
) -> Any:
    """Give a dataclass field with its description and limits.

    Args:
        text: One sentence for the OpenAPI document.
        default: The value when it is absent; without one the field is required.
        minimum: Smallest number allowed.
        maximum: Largest number allowed.
        max_length: Longest text allowed, in characters.
        alias: The name on the wire when it is no Python name.
    """
    limits = {"minimum": minimum, "maximum": maximum, "maxLength": max_length}
    notes = {
        "description": text,
        "limits": {key: value for key, value in limits.items() if value is not None},
        "alias": alias,
    }
    return dataclasses.field(default=default, metadata=notes)


@dataclasses.dataclass(frozen=True, slots=True)
class _Field:
    """A dataclass field seen from the wire."""

    name: str
    attribute: str
    kind: Any
    required: bool
    default: Any
    description: str
    limits: Mapping[str, Any]


def fields_of(shape: type) -> list[_Field]:
    """Give the fields of a dataclass as the wire knows them, in order."""
    hints = get_type_hints(shape)
    return [
        _Field(
            name=f.metadata.get("alias") or f.name,
            attribute=f.name,
            kind=hints[f.name],
            required=f.default is dataclasses.MISSING,
            default=f.default,
            description=f.metadata.get("description", ""),
            limits=f.metadata.get("limits", {}),
        )
        for f in dataclasses.fields(shape)
    ]


# ------------------------------------------------------------------- documenting
def document_schema(kind: Any, components: dict[str, Any]) -> dict[str, Any]:
    """Give the JSON Schema of a type; dataclasses land in `components` by name."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in components:
            components[kind.__name__] = {}  # taken, so that a cycle would end
            components[kind.__name__] = _object_schema(kind, components)
        return {"$ref": f"#/components/schemas/{kind.__name__}"}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": _NAMES[type(arguments[0])], "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": document_schema(arguments[0], components)}
    if origin in (Union, types.UnionType):
        rest = [a for a in arguments if a is not type(None)]
        schema = document_schema(rest[0], components)
        if "type" in schema:
            return {**schema, "type": [schema["type"], "null"]}
        return {"anyOf": [schema, {"type": "null"}]}
    return {"type": _NAMES[kind]} if kind in _NAMES else {}


def field_schema(field: _Field, components: dict[str, Any]) -> dict[str, Any]:
    """Give the JSON Schema of one field, with its limits and default."""
    schema = document_schema(field.kind, components) | dict(field.limits)
    if not field.required and field.default is not None:
        schema["default"] = field.default
    return schema


def _object_schema(shape: type, components: dict[str, Any]) -> dict[str, Any]:
    fields = fields_of(shape)
    properties = {}
    for field in fields:
        schema = field_schema(field, components)
        if field.description:
            schema["description"] = field.description
        properties[field.name] = schema
    result: dict[str, Any] = {"type": "object", "properties": properties}
    required = [f.name for f in fields if f.required]
    return result | ({"required": required} if required else {})


# ----------------------------------------------------------------------- reading
def read(
    shape: type, values: Mapping[str, Any], *, from_text: bool
) -> tuple[Any, list[Fault]]:
    """Make a `shape` of incoming values, or say everything that is wrong with them.

    Args:
        shape: The dataclass to make.
        values: JSON values; with `from_text` lists of strings, as in a query.
        from_text: Whether numbers and booleans arrive as text.

    Returns:
        The instance, or None when the list of faults is not empty.
    """
    faults: list[Fault] = []
    made: dict[str, Any] = {}
    for field in fields_of(shape):
        if field.name not in values:
            if field.required:
                faults.append(Fault(field.name, "is required"))
            continue
        value, message = _value(field.kind, values[field.name], from_text=from_text)
        message = message or _limit(field.limits, value)
        if message:
            faults.append(Fault(field.name, message))
        else:
            made[field.attribute] = value
    return (None if faults else shape(**made)), faults


def _value(kind: Any, value: Any, *, from_text: bool) -> tuple[Any, str]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None:
            return None, ""
        kind = next(a for a in arguments if a is not type(None))
        return _value(kind, value, from_text=from_text)
    if origin is list:
        return _elements(arguments[0], value, from_text=from_text)
    if from_text:
        value = value[-1] if isinstance(value, list) else value
        value = _from_text(type(arguments[0]) if arguments else kind, value)
    if origin is Literal:
        known = ", ".join(str(a) for a in arguments)
        return value, "" if value in arguments else f"must be one of {known}"
    if kind is float and type(value) is int:
        value = float(value) if abs(value) <= _MAX_INTEGER else None
    if type(value) is not kind:
        return None, f"must be of type {_NAMES[kind]}"
    return value, ""


def _elements(kind: Any, value: Any, *, from_text: bool) -> tuple[Any, str]:
    if not isinstance(value, list):
        return None, "must be of type array"
    read_ones = [
        _value(kind, [v] if from_text else v, from_text=from_text) for v in value
    ]
    message = next((m for _, m in read_ones if m), "")
    return [v for v, _ in read_ones], message and f"has an element that {message}"


def _from_text(kind: Any, text: str) -> Any:
    if kind is bool:
        return {"true": True, "false": False}.get(text)
    if kind is str:
        return text
    try:
        return kind(text) if text.isascii() and len(text) <= 40 else None  # noqa: PLR2004 - longer than any number we take
    except ValueError:
        return None


def _limit(limits: Mapping[str, Any], value: Any) -> str:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            most = limits.get("maxLength")
            if most is not None and len(each) > most:
                return f"must have at most {most} characters"
        elif isinstance(each, int | float):
            least = limits.get("minimum", each)
            most = limits.get("maximum", each)
            if not least <= each <= most:  # not-a-number fails here too
                return f"must be {_range(limits)}"
    return ""


def _range(limits: Mapping[str, Any]) -> str:
    if "minimum" not in limits:
        return f"at most {limits['maximum']}"
    if "maximum" not in limits:
        return f"at least {limits['minimum']}"
    return f"between {limits['minimum']} and {limits['maximum']}"


# ----------------------------------------------------------------------- sending
def wire(value: Any) -> Any:
    """Give the JSON form of a dataclass, or of a sequence of them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: wire(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [wire(v) for v in value]
    return value
