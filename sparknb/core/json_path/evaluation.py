"""Functions that select nodes of a JSON value, one for each part of a path.

A JSON value is what `json.loads` gives; numbers may be subclasses of `float` that
remember their spelling.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import ge, gt, le, lt
from typing import Any

from sparknb.core.errors import ExecutionFailedError

__all__ = [
    "NODE_LIMIT",
    "NOTHING",
    "Query",
    "Select",
    "Stop",
    "Test",
    "Value",
    "Walk",
    "comparison",
    "count_of",
    "filtered",
    "index",
    "length_of",
    "name",
    "never",
    "only_value",
    "select_nodes",
    "sliced",
    "wildcard",
]

NODE_LIMIT = 100_000  # ST-29
_STEPS_BETWEEN_STOPS = 1024

Stop = Callable[[], bool]


def never() -> bool:
    """Say that nobody wants to stop."""
    return False


NOTHING: Any = object()
"""The RFC's `Nothing`: the result of a query without a node."""


class Walk:
    """One evaluation: the root it started from, and who may stop it."""

    __slots__ = ("_steps", "_stop", "root")

    def __init__(self, root: Any, stop: Stop = never) -> None:
        self.root = root
        self._stop = stop
        self._steps = 0

    def step(self) -> None:
        """Note one visited node; every so often ask whether to go on.

        Raises:
            ExecutionFailedError: The evaluation was stopped.
        """
        self._steps += 1
        if self._steps % _STEPS_BETWEEN_STOPS == 0 and self._stop():
            raise ExecutionFailedError("the evaluation of a JSONPath was stopped")


Select = Callable[[Any, Walk], Iterable[Any]]
Test = Callable[[Any, Walk], bool]
Value = Callable[[Any, Walk], Any]
Query = tuple[tuple[bool, tuple[Select, ...]], ...]
"""The segments of a path: whether it descends, and its selectors."""


def select_nodes(query: Query, start: Any, walk: Walk) -> Iterator[Any]:
    """Give the nodes that the segments of a path select, in the order of the RFC."""
    nodes: Iterator[Any] = iter((start,))
    for descends, selectors in query:
        nodes = _segment(nodes, selectors, walk, descends=descends)
    return nodes


def _segment(
    nodes: Iterator[Any], selectors: tuple[Select, ...], walk: Walk, *, descends: bool
) -> Iterator[Any]:
    for node in nodes:
        for place in _descendants(node, walk) if descends else (node,):
            for select in selectors:
                walk.step()
                yield from select(place, walk)


def _descendants(node: Any, walk: Walk) -> Iterator[Any]:
    """Give the containers from `node` down, each before what is in it."""
    waiting = [node]
    while waiting:
        walk.step()
        place = waiting.pop()
        yield place
        below = _children(place)
        waiting.extend(c for c in reversed(below) if isinstance(c, (dict, list)))


def _children(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []


# ----------------------------------------------------------------- selectors
def name(wanted: str) -> Select:
    """Select the member of an object with this name."""

    def select(node: Any, _: Walk) -> Iterable[Any]:
        return (node[wanted],) if isinstance(node, dict) and wanted in node else ()

    return select


def index(wanted: int) -> Select:
    """Select one element of an array; negative counts from the end."""

    def select(node: Any, _: Walk) -> Iterable[Any]:
        if isinstance(node, list) and -len(node) <= wanted < len(node):
            return (node[wanted],)
        return ()

    return select


def sliced(part: slice) -> Select:
    """Select a slice of an array; a step of 0 selects nothing."""

    def select(node: Any, _: Walk) -> Iterable[Any]:
        return node[part] if isinstance(node, list) and part.step != 0 else ()

    return select


def wildcard(node: Any, _: Walk) -> Iterable[Any]:
    """Select all children."""
    return _children(node)


def filtered(test: Test) -> Select:
    """Select the children for which the test holds."""

    def select(node: Any, walk: Walk) -> Iterator[Any]:
        for child in _children(node):
            walk.step()
            if test(child, walk):
                yield child

    return select


# -------------------------------------------------------- values and comparison
def only_value(query: Query, *, from_root: bool) -> Value:
    """Give the value of the one node that a query selects, else NOTHING."""

    def value(node: Any, walk: Walk) -> Any:
        start = walk.root if from_root else node
        found = list(islice(select_nodes(query, start, walk), 2))
        return found[0] if len(found) == 1 else NOTHING

    return value


def count_of(query: Query, *, from_root: bool) -> Value:
    """Give the number of nodes that a query selects."""

    def value(node: Any, walk: Walk) -> int:
        start = walk.root if from_root else node
        return sum(1 for _ in select_nodes(query, start, walk))

    return value


def length_of(argument: Value) -> Value:
    """Give the number of characters, elements or members, else NOTHING."""

    def value(node: Any, walk: Walk) -> Any:
        held = argument(node, walk)
        return len(held) if isinstance(held, (str, list, dict)) else NOTHING

    return value


def comparison(left: Value, operator: str, right: Value) -> Test:
    """Compare two values as the RFC says: no order between kinds, none for bools."""
    if operator in _ORDERS:
        order, with_equal = _ORDERS[operator], operator in {"<=", ">="}

        def in_order(node: Any, walk: Walk) -> bool:
            a, b = left(node, walk), right(node, walk)
            if _is_number(a) and _is_number(b):
                return bool(order(a, b))
            if isinstance(a, str) and isinstance(b, str):
                return bool(order(a, b))
            return with_equal and _equal(a, b)

        return in_order
    wanted = operator == "=="

    def is_equal(node: Any, walk: Walk) -> bool:
        return _equal(left(node, walk), right(node, walk)) is wanted

    return is_equal


_ORDERS: dict[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(a: Any, b: Any) -> bool:
    """Compare deeply; unlike Python, true is not 1."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(v, b[k]) for k, v in a.items())
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)
