"""A schema of the document as one thing: its references and its allOf are followed.

A schema is kept as all objects that hold together (facets), each with the place its
references count from; nothing is copied, so recursive schemas and schemas that are
used a thousand times cost what is looked at.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparknb.importers.openapi.model import Description, Place

__all__ = ["Key", "Node", "Schema", "SchemaBook"]

Node = tuple[Any, Place]
Key = tuple[int, ...]
Facets = tuple[tuple[Mapping[str, Any], Place], ...]

_MOST_FACETS = 500
# What stands beside `$ref`: before 3.1 only these words are read there, because they
# say something about the use of a schema and not about its values.
_ANNOTATIONS = ("description", "deprecated", "readOnly", "writeOnly", "default")


@dataclass(frozen=True, slots=True)
class Schema:
    """All objects that a value has to fit at the same time.

    Attributes:
        facets: With their places; those that come first say more about the use.
        key: The same for all uses of the same facets.
        is_whole: False when there were too many to look at.
        is_never: Whether no value fits at all (`false`).
        names: Last words of the references followed, such as `Pet`.
    """

    book: "SchemaBook" = field(repr=False)
    facets: Facets
    key: Key
    is_whole: bool = True
    is_never: bool = False
    names: tuple[str, ...] = ()

    def values(self, key: str) -> Iterator[Any]:
        """Yield what each facet says under a key."""
        for facet, _ in self.facets:
            if key in facet:
                yield facet[key]

    def first(self, key: str) -> Any:
        """Give what the first facet says that says anything, else None."""
        return next(self.values(key), None)

    def is_marked(self, key: str) -> bool:
        """Tell whether a facet says true under a key."""
        return any(value is True for value in self.values(key))

    @property
    def has_choices(self) -> bool:
        """Whether there are alternatives."""
        return next(self._alternatives(), None) is not None

    def choices(self, most: int | None = None) -> list[list["Schema"]]:
        """Give the alternatives of each anyOf and oneOf, the first `most` of them."""
        return [
            [self.book.open([(option, place)]) for option in options[:most]]
            for options, place in self._alternatives()
        ]

    def _alternatives(self) -> Iterator[tuple[list[Any], Place]]:
        for facet, place in self.facets:
            for key in ("anyOf", "oneOf"):
                options = facet.get(key)
                if isinstance(options, list) and options:
                    yield options, place

    def items(self) -> "Schema":
        """Give the schema of the elements of an array."""
        nodes = [(f["items"], place) for f, place in self.facets if "items" in f]
        return self.book.open(nodes)

    def others(self) -> "Schema":
        """Give the schema of members that the properties do not list."""
        key = "additionalProperties"
        return self.book.open([(f[key], place) for f, place in self.facets if key in f])

    def property_nodes(self) -> dict[str, list[Node]]:
        """Give the properties in order, each with all that is said about it."""
        found: dict[str, list[Node]] = {}
        for facet, place in self.facets:
            members, where = facet.get("properties"), place
            if isinstance(members, Mapping) and isinstance(members.get("$ref"), str):
                resolved = self.book.description.resolve(members, place)
                members, where = resolved.node, resolved.place
            if isinstance(members, Mapping):
                for name, node in members.items():
                    found.setdefault(str(name), []).append((node, where))
        return found

    def required(self) -> list[str]:
        """Give the names of required properties, each once."""
        names: dict[str, None] = {}
        for value in self.values("required"):
            if isinstance(value, list):
                names |= dict.fromkeys(n for n in value if isinstance(n, str))
        return list(names)


class SchemaBook:
    """Opens the schemas of one description, and keeps what was found out about them."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self._has_siblings = description.version.startswith("3.1")
        self._known: dict[str, dict[Key, Any]] = {}
        self._besides: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._facets: dict[Key, Facets] = {}  # kept, so that no identity comes twice

    def known(self, subject: str) -> dict[Key, Any]:
        """Give what is known about a subject, by the key of a schema."""
        return self._known.setdefault(subject, {})

    def open(self, nodes: Iterable[Node]) -> Schema:
        """Follow references and allOf until nothing is left to follow.

        Raises:
            RefError: A reference cannot be followed.
        """
        waiting = deque(nodes)
        facets: list[tuple[Mapping[str, Any], Place]] = []
        names: list[str] = []
        seen: set[int] = set()
        is_never = False
        while waiting and len(facets) < _MOST_FACETS:
            node, place = waiting.popleft()
            if isinstance(node, Mapping):
                if isinstance(node.get("$ref"), str):
                    names.append(node["$ref"].rsplit("/", 1)[-1])
                    if beside := self._beside(node):
                        facets.append((beside, place))
                resolved = self.description.resolve(node, place)
                node, place = resolved.node, resolved.place
            if not isinstance(node, Mapping):
                is_never = is_never or node is False
            elif id(node) not in seen:  # a schema that names itself says nothing new
                seen.add(id(node))
                facets.append((node, place))
                parts = node.get("allOf")
                if isinstance(parts, list):
                    waiting.extendleft((part, place) for part in reversed(parts))
        key = tuple([id(facet) for facet, _ in facets])
        kept = self._facets.setdefault(key, tuple(facets))
        return Schema(self, kept, key, not waiting, is_never, tuple(names))

    def _beside(self, node: Mapping[str, Any]) -> dict[str, Any]:
        """Give what is said beside a reference; from 3.1 on, resolving joins it."""
        if len(node) == 1 or self._has_siblings:
            return {}
        if id(node) not in self._besides:
            said = {key: node[key] for key in _ANNOTATIONS if key in node}
            self._besides[id(node)] = (node, said)
        return self._besides[id(node)][1]
