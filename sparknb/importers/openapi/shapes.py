"""What values a schema allows, as far as a parameter can say it (ST-107)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sparknb.importers.openapi.model import RefError
from sparknb.importers.openapi.schemas import Key, Schema

__all__ = ["Kind", "Shape", "enum_of", "shape_of"]

Kind = Literal[
    "string", "number", "integer", "boolean", "array", "object", "null", "other"
]
Values = tuple[Any, ...]

_SCALARS: tuple[Kind, ...] = ("string", "number", "integer", "boolean")
_MOST_LEVELS = 8  # of alternatives within alternatives, and arrays within arrays


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What values a schema allows.

    Attributes:
        kind: The type; `other` when no single one of ours covers the values.
        items: The type of the elements of an array; None when they are no scalars.
        enum: The only values besides null, None when there are others.
        nullable: Whether null is among the values.
        is_free: Whether no type is named at all; `string` stands for it.
    """

    kind: Kind
    items: Kind | None = None
    enum: Values | None = None
    nullable: bool = False
    is_free: bool = False

    @property
    def is_scalar(self) -> bool:
        """Whether a single text, number or boolean carries the value."""
        return self.kind in _SCALARS

    @property
    def is_list(self) -> bool:
        """Whether it is an array of such values."""
        return self.kind == "array" and self.items is not None


_OTHER = Shape(kind="other")
_NULL = Shape(kind="null")


def shape_of(schema: Schema, level: int = 0) -> Shape:
    """Tell what a schema allows.

    Raises:
        RefError: A reference that matters cannot be followed.
    """
    if not schema.is_whole or schema.is_never or level > _MOST_LEVELS:
        return _OTHER
    # Alternatives may name each other: each schema is looked at once, and one that is
    # met while it is looked at is nothing that we can declare.
    known: dict[Key, Shape] = schema.book.known("shapes")
    if schema.key not in known:
        known[schema.key] = _OTHER
        try:
            known[schema.key] = _look(schema, level)
        except RefError:
            del known[schema.key]
            raise
    return known[schema.key]


def _look(schema: Schema, level: int) -> Shape:
    if next(schema.values("$dynamicRef"), None) is not None:
        return _OTHER  # what it stands for depends on who asks
    types = _types(schema)
    enum = enum_of(schema)
    nullable = schema.is_marked("nullable")
    if (types is not None and "null" in types) or (enum is not None and None in enum):
        nullable = True
        types, enum = _without_null(types, enum)
        if types == set() or (types is None and enum == ()):
            return _NULL
    choices = schema.choices()
    shape: Shape | None
    if types is None and not choices:
        shape = _implied(schema, enum, level)
    else:
        shape = None if types is None else _of_types(types, schema, level)
    for options in choices:
        chosen = _one_of([shape_of(option, level + 1) for option in options])
        nullable = nullable or chosen.nullable
        shape = chosen if shape is None else _both(shape, chosen)
    if shape is None:
        return _OTHER
    if enum is not None:
        shape = replace(shape, enum=_common(shape.enum, enum))
    return replace(shape, nullable=nullable)


# ---------------------------------------------------------------- types and values
def _types(schema: Schema) -> set[str] | None:
    """Give the types that every facet allows, None when none says any."""
    types: set[str] | None = None
    for value in schema.values("type"):
        listed: Sequence[Any] = value if isinstance(value, list) else [value]
        named = {t for t in listed if isinstance(t, str)}
        if named:
            types = named if types is None else _narrower(types, named)
    return types


def _narrower(one: set[str], other: set[str]) -> set[str]:
    common = one & other
    # An integer is a number too.
    if "integer" in one | other and "number" in one | other and "number" not in common:
        common = common | {"integer"}
    return common


def enum_of(schema: Schema) -> Values | None:
    """Give the values that every enum and const allows, null too."""
    enum: Values | None = None
    for facet, _ in schema.facets:
        constant = [facet["const"]] if "const" in facet else None
        for values in (facet.get("enum"), constant):
            if isinstance(values, list) and values:
                enum = _common(enum, tuple(values))
    return enum


def _common(one: Values | None, other: Values) -> Values:
    if one is None:
        return other
    keys = {_key(value) for value in other}
    return tuple(value for value in one if _key(value) in keys)


def _key(value: Any) -> Any:
    """Give what tells JSON values apart: true is not 1, but 1.0 is."""
    if isinstance(value, dict | list):
        return repr(value)
    return (isinstance(value, bool), value)


def _without_null(
    types: set[str] | None, enum: Values | None
) -> tuple[set[str] | None, Values | None]:
    rest = None if enum is None else tuple(v for v in enum if v is not None)
    return (None if types is None else types - {"null"}), rest


def _implied(schema: Schema, enum: Values | None, level: int) -> Shape:
    """Give the shape of a schema that names no type."""
    members = [*schema.values("properties"), *schema.values("additionalProperties")]
    if any(isinstance(m, Mapping) for m in members):
        return Shape(kind="object")
    if any(True for _ in schema.values("items")):
        return _of_types({"array"}, schema, level)
    if enum:
        return _of_types({_type_of(enum)}, schema, level)
    return Shape(kind="string", is_free=True)


def _type_of(values: Iterable[Any]) -> str:
    kinds = {_kind_of(value) for value in values}
    if kinds == {"integer", "number"}:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "string"


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, dict | list):
        return "object"
    return "number" if isinstance(value, float) else "string"


def _of_types(types: set[str], schema: Schema, level: int) -> Shape:
    if types == {"integer", "number"}:
        return Shape(kind="number")
    if len(types) != 1:  # none is left of types that contradict each other
        return Shape(kind="string") if types and types <= set(_SCALARS) else _OTHER
    [name] = types
    if name == "array":
        return Shape(kind="array", items=_items(schema, level))
    if name == "object":
        return Shape(kind="object")
    kind: Kind = next((k for k in _SCALARS if k == name), "string")
    return Shape(kind=kind)


def _items(schema: Schema, level: int) -> Kind | None:
    if any(schema.values("prefixItems")):
        return None
    shape = shape_of(schema.items(), level + 1)
    return shape.kind if shape.is_scalar else None


# ------------------------------------------------------------------- alternatives
def _one_of(options: list[Shape]) -> Shape:
    """Give the shape that covers all alternatives."""
    real = [o for o in options if o != _NULL]
    nullable = len(real) < len(options) or any(o.nullable for o in real)
    if not real:
        return _NULL
    kinds = {o.kind for o in real}
    if len(kinds) == 1 and len({o.items for o in real}) == 1:
        is_free = all(o.is_free for o in real)
        whole = replace(real[0], enum=_all_values(real), is_free=is_free)
    elif kinds <= {"integer", "number"}:
        whole = Shape(kind="number")
    elif kinds <= set(_SCALARS):
        whole = Shape(kind="string")
    else:
        whole = _OTHER
    return replace(whole, nullable=nullable)


def _all_values(options: list[Shape]) -> Values | None:
    values: list[Any] = []
    for option in options:
        if option.enum is None:
            return None
        values += option.enum
    return tuple(values)


def _both(one: Shape, other: Shape) -> Shape:
    """Give the shape of values that fit both."""
    if one.is_free or other.is_free:
        return other if one.is_free else one
    kinds = _narrower({one.kind}, {other.kind})
    if len(kinds) != 1 or one.items != other.items:
        return _OTHER
    narrow = one if one.kind in kinds else other
    enum = one.enum if other.enum is None else _common(one.enum, other.enum)
    return replace(narrow, enum=enum)
