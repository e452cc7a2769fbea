"""What a JSON template is made of.

A node is compact JSON text where nothing is to be filled in, a placeholder in value
position, or one of the three below.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sparknb.core.templates.placeholder import Parts, Placeholder

__all__ = ["ArrayNode", "Node", "ObjectNode", "StringNode", "array_of", "object_of"]


@dataclass(frozen=True, slots=True)
class StringNode:
    """A string with placeholders inside; literals stay escaped as written."""

    parts: Parts


@dataclass(frozen=True, slots=True)
class ArrayNode:
    """An array with a placeholder somewhere inside."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class ObjectNode:
    """An object with a placeholder somewhere inside; keys are `"name":` as written."""

    members: tuple[tuple[str, "Node"], ...]


Node: TypeAlias = str | Placeholder | StringNode | ArrayNode | ObjectNode


def array_of(items: Sequence[Node]) -> Node:
    """Give an array, as text where nothing is to be filled in."""
    literal = [item for item in items if isinstance(item, str)]
    if len(literal) == len(items):
        return f"[{','.join(literal)}]"
    return ArrayNode(tuple(items))


def object_of(members: Sequence[tuple[str, Node]]) -> Node:
    """Give an object, as text where nothing is to be filled in."""
    literal = [key + node for key, node in members if isinstance(node, str)]
    if len(literal) == len(members):
        return f"{{{','.join(literal)}}}"
    return ObjectNode(tuple(members))
