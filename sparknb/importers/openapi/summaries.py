"""A schema in a few words, for the description of a body that is one JSON text.

It looks like `{name: string, tags?: [string], owner?: {id: integer}}`.
"""

from collections.abc import Iterator, Mapping

from sparknb.importers.openapi.members import Member, members_of
from sparknb.importers.openapi.schemas import Key, Schema
from sparknb.importers.openapi.shapes import shape_of
from sparknb.importers.openapi.texts import clean, spelled

__all__ = ["summarise"]

_MOST_LEVELS = 4
_MOST_VALUES = 8
_MOST_OPTIONS = 30
_LONGEST_NAME = 64


def summarise(schema: Schema, longest: int) -> str:
    """Give the structure of a schema in at most `longest` characters.

    Raises:
        RefError: A reference that would be shown cannot be followed.
    """
    return _Summary(longest).write(schema)


class _Summary:
    """One text in the making, which stops when there is no room left."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._room = longest
        self._open: list[Key] = []  # schemas around the one at hand
        self._back = _MOST_LEVELS  # the outermost of them that was met again

    def write(self, schema: Schema) -> str:
        text = "".join(self._kept(self._parts(schema)))
        return text if len(text) < self._longest else text[: self._longest - 1] + "…"

    def _kept(self, parts: Iterator[str]) -> Iterator[str]:
        for part in parts:
            yield part
            self._room -= len(part)
            if self._room <= 0:
                return

    def _parts(self, schema: Schema) -> Iterator[str]:
        level = len(self._open)
        is_around = schema.key in self._open
        if is_around or level > _MOST_LEVELS:
            if is_around:
                self._back = min(self._back, self._open.index(schema.key))
            yield clean(schema.names[0], _LONGEST_NAME) if schema.names else "…"
            return
        known: dict[Key, str] = schema.book.known(f"summaries at level {level}")
        if schema.key in known:
            yield known[schema.key]
            return
        outer, self._back = self._back, level
        said: list[str] = []
        self._open.append(schema.key)
        try:
            for part in self._inner(schema):
                said.append(part)
                yield part
        finally:
            self._open.pop()
        # What names a schema further out reads otherwise in another place.
        if self._back == level:
            known[schema.key] = "".join(said)
        self._back = min(outer, self._back)

    def _inner(self, schema: Schema) -> Iterator[str]:
        shape = shape_of(schema)
        members = None if shape.is_scalar else members_of(schema)
        options = [] if shape.is_scalar else self._options(schema, beside=bool(members))
        if members:
            yield from self._object(members, schema)
            if options:
                yield " and "
        if shape.enum and len(shape.enum) <= _MOST_VALUES:
            yield " | ".join(map(spelled, shape.enum))
        elif options:
            yield from self._choices(options)
        elif shape.kind == "array":
            yield "["
            yield from self._parts(schema.items())
            yield "]"
        elif shape.kind == "object" and not members:
            yield "{…: "
            yield from self._parts(schema.others())
            yield "}"
        elif not members:
            yield "any" if shape.is_free or shape.kind == "other" else shape.kind
        if shape.nullable:
            yield " | null"

    def _options(self, schema: Schema, *, beside: bool) -> list[Schema]:
        """Give the alternatives that say something, `beside` the properties."""
        choices = schema.choices(_MOST_OPTIONS)
        shaped = [(option, shape_of(option)) for option in (choices or [[]])[0]]
        return [
            option
            for option, shape in shaped
            if shape.kind != "null" and not (beside and shape.is_free)
        ]

    def _object(self, members: list[Member], schema: Schema) -> Iterator[str]:
        yield "{"
        ordered = sorted(members, key=lambda m: not m.required)
        for position, member in enumerate(ordered):
            mark = ": " if member.required else "?: "
            gap = ", " if position else ""
            yield f"{gap}{clean(member.name, _LONGEST_NAME)}{mark}"
            yield from self._parts(member.schema)
        if any(isinstance(v, Mapping) for v in schema.values("additionalProperties")):
            yield ", …"
        yield "}"

    def _choices(self, options: list[Schema]) -> Iterator[str]:
        for position, option in enumerate(options):
            if position:
                yield " | "
            yield from self._parts(option)
