"""What a YAML text says, with the line of everything in it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sparknb.core.wording import join_path

__all__ = [
    "Entry",
    "Items",
    "Node",
    "Pairs",
    "Value",
    "as_json",
    "optional_marked",
    "parts",
    "with_raw",
]


@dataclass(frozen=True, slots=True)
class Value:
    """A text, number, boolean or null.

    Attributes:
        raw: As written: a text before its variables are filled in, a number with its
            digits.
        is_block: Whether it is a text whose own lines follow on the lines below.
    """

    value: Any
    raw: str
    line: int
    is_block: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value.

    Attributes:
        key: The key, without the `?` of an optional parameter.
        line: Where the key stands.
    """

    key: str
    line: int
    node: "Node"
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Pairs:
    """A mapping; no two entries have the same key."""

    entries: tuple[Entry, ...]
    line: int

    def get(self, key: str) -> "Entry | None":
        """Give the entry with a key."""
        return next((e for e in self.entries if e.key == key), None)


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    nodes: tuple["Node", ...]
    line: int


Node: TypeAlias = Value | Pairs | Items


def as_json(node: Node) -> Any:
    """Give the JSON value that a part of the text stands for."""
    match node:
        case Value():
            return node.value
        case Items():
            return [as_json(item) for item in node.nodes]
    return {entry.key: as_json(entry.node) for entry in node.entries}


def with_raw(root: Pairs) -> Pairs:
    """Give the same text with its variables not filled in."""
    return replace(root, entries=tuple(map(_raw_entry, root.entries)))


def _raw_entry(entry: Entry) -> Entry:
    return replace(entry, node=_raw(entry.node))


def _raw(node: Node) -> Node:
    match node:
        case Value():
            is_text = isinstance(node.value, str)
            return replace(node, value=node.raw) if is_text else node
        case Items():
            return replace(node, nodes=tuple(map(_raw, node.nodes)))
    return with_raw(node)


def optional_marked(node: Node) -> Node:
    """Give a mapping with the `?` at the end of its keys read as what it means."""
    if not isinstance(node, Pairs):
        return node
    return replace(node, entries=tuple(map(_optional, node.entries)))


def _optional(entry: Entry) -> Entry:
    bare = entry.key.removesuffix("?")
    return replace(entry, key=bare, is_optional=bare != entry.key)


def parts(node: Node, path: str = "") -> Iterator[tuple[str, int, Node]]:
    """Yield path, line and value of each part, parents first."""
    if isinstance(node, Pairs):
        for entry in node.entries:
            here = join_path(path, entry.key)
            yield here, entry.line, entry.node
            yield from parts(entry.node, here)
    elif isinstance(node, Items):
        for position, item in enumerate(node.nodes):
            here = join_path(path, str(position))
            yield here, item.line, item
            yield from parts(item, here)
