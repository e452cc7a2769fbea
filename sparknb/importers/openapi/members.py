"""Objects whose properties become one parameter each (ST-105, ST-108)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sparknb.importers.openapi.schemas import Key, Schema
from sparknb.importers.openapi.shapes import Shape, shape_of

__all__ = ["Member", "is_open", "members_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One property of an object."""

    name: str
    schema: Schema
    shape: Shape
    required: bool

    @property
    def is_flat(self) -> bool:
        """Whether one parameter can carry it."""
        return self.shape.is_scalar or self.shape.is_list


def is_open(schema: Schema) -> bool:
    """Tell whether an object may hold what its properties do not list."""
    if schema.has_choices or not schema.is_whole:
        return True
    keys = ("additionalProperties", "patternProperties")
    return any(isinstance(v, Mapping) for key in keys for v in schema.values(key))


def members_of(schema: Schema) -> list[Member] | None:
    """Give the properties that can be sent; None when the schema is no object.

    Those that only the server writes (`readOnly`) are left out. A property that is
    required and not described is one of no type.

    Raises:
        RefError: A reference cannot be followed.
    """
    known: dict[Key, list[Member] | None] = schema.book.known("members")
    if schema.key not in known:
        is_object = shape_of(schema).kind == "object"
        known[schema.key] = list(_members(schema)) if is_object else None
    return known[schema.key]


def _members(schema: Schema) -> Iterator[Member]:
    nodes = schema.property_nodes()
    required = dict.fromkeys(schema.required())
    for name in required:
        nodes.setdefault(name, [])
    for name, said in nodes.items():
        inner = schema.book.open(said)
        if not inner.is_never and not inner.is_marked("readOnly"):
            yield Member(
                name=name,
                schema=inner,
                shape=shape_of(inner),
                required=name in required,
            )
