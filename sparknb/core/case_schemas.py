"""JSON Schema (2020-12) as an expectation: safe to check a stranger's answer with.

The schema may come from a model and the answer from any server, so two things are
seen to beforehand: that nothing outside the schema is referred to, and that checking
ends soon. References make a small schema arbitrarily much work; how much is bounded
by counting, level by level of the answer, how many ways lead there.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.json_text import MAX_DEPTH
from sparknb.core.wording import show

__all__ = ["flaw_of", "mismatch"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_MOST_STEPS = 2_000_000  # about a second
_MOST_PATTERN_BYTES = 1 << 20

_HERE_ONE = ("not", "if", "then", "else")
_HERE_MANY = ("allOf", "anyOf", "oneOf", "dependentSchemas")
_BELOW_ONE = (
    "additionalProperties",
    "contains",
    "items",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_BY_NAME = ("properties", "prefixItems")
_PARTS = (*_HERE_ONE, *_BELOW_ONE)
_GROUPS = (*_HERE_MANY, *_BY_NAME, "patternProperties", "$defs", "definitions")
_FOREIGN = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef")
_WALKS_AGAIN = ("unevaluatedItems", "unevaluatedProperties")


def flaw_of(schema: Any) -> str | None:
    """Give why the value is no schema that can be used, or None."""
    from jsonschema_rs import ReferencingError, ValidationError

    for part in _schemas(schema):
        if (flaw := _foreign(part)) is not None:
            return flaw
    try:
        _validator(schema)
        _read(schema)
    except (ValidationError, ReferencingError, ValueError) as error:
        return _first_line(error)
    except RecursionError:
        return "it has too many levels"
    return None


def mismatch(schema: Any, value: Any) -> str | None:
    """Give the first thing about the value that the schema refuses, or None.

    Args:
        schema: One that `flaw_of` found nothing wrong with.
        value: A JSON value.
    """
    if _steps(schema, value) > _MOST_STEPS:
        return "the schema refers to itself in too many ways for so deep an answer"
    for error in _validator(schema).iter_errors(value):
        place = ".".join(map(str, error.instance_path))
        where = f"at {show(place, 120)}: " if place else ""
        return f"{where}{show(error.message, 200)}"
    return None


def _validator(schema: Any) -> Any:
    from jsonschema_rs import Draft202012Validator, RegexOptions

    linear = RegexOptions(
        size_limit=_MOST_PATTERN_BYTES, dfa_size_limit=_MOST_PATTERN_BYTES
    )
    return Draft202012Validator(schema, pattern_options=linear, retriever=_nothing)


def _nothing(uri: str) -> Any:
    """Fetch nothing: a schema of a case stands alone."""
    raise ValueError(f"{show(uri)} is outside the schema")


def _foreign(part: Mapping[str, Any]) -> str | None:
    named = [key for key in _FOREIGN if key in part]
    if named:
        return f"{named[0]} is not used here: refer by place, such as #/$defs/name"
    if part.get("$schema", _DRAFT) not in (_DRAFT, f"{_DRAFT}#"):
        return "$schema must be that of 2020-12, or left out"
    target = part.get("$ref")
    if isinstance(target, str) and not target.startswith("#"):
        return "$ref must stay inside the schema and begin with #"
    return None


def _schemas(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every schema inside a schema, itself first."""
    waiting = [(schema, 0)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, Mapping) and depth <= MAX_DEPTH:
            yield part
            found = [part[key] for key in _PARTS if key in part]
            for key in _GROUPS:
                found += _members(part.get(key))
            waiting += [(member, depth + 1) for member in found]


def _members(group: Any) -> list[Any]:
    if isinstance(group, Mapping):
        return list(group.values())
    return list(group) if isinstance(group, list | tuple) else []


# ------------------------------------------------------------- how much work it is
@dataclass(slots=True)
class _Below:
    """What a schema checks at one place, and which schemas it applies further down.

    Attributes:
        steps: Schemas checked in place, references followed.
        named: For each schema below, how many members or elements by name or place
            go to it; a value has one name, so no value meets it twice for that.
        ways: For each schema below, how often one and the same value may meet it.
        each: The part of `ways` that applies to every value of the level below.
    """

    steps: int = 1
    named: Counter[int] = field(default_factory=Counter)
    ways: Counter[int] = field(default_factory=Counter)
    each: Counter[int] = field(default_factory=Counter)

    def add(self, other: "_Below", times: int = 1) -> None:
        """Count another one in."""
        self.steps += times * other.steps
        for mine, theirs in (
            (self.named, other.named),
            (self.ways, other.ways),
            (self.each, other.each),
        ):
            for key, number in theirs.items():
                mine[key] += times * number


class _Graph:
    """The schemas inside a schema, and what leads from each to others."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._open: set[int] = set()
        self._known: dict[int, _Below] = {}
        self.parts: dict[int, Any] = {}

    def below(self, part: Any) -> _Below:
        """Give what a schema does.

        Raises:
            ValueError: A reference leads nowhere, or in a circle at one place.
        """
        key = id(part)
        self.parts[key] = part
        if key in self._known:
            return self._known[key]
        if key in self._open:
            raise ValueError("a $ref leads back to itself at the same place")
        self._open.add(key)
        found = _Below()
        if isinstance(part, Mapping):
            self._look_below(part, found)
            for member in self._here(part):
                found.add(self.below(member))
            if any(name in part for name in _WALKS_AGAIN):
                found.add(found)
        self._open.discard(key)
        self._known[key] = found
        return found

    def _here(self, part: Mapping[str, Any]) -> Iterator[Any]:
        yield from (part[key] for key in _HERE_ONE if key in part)
        for key in _HERE_MANY:
            yield from _members(part.get(key))
        if isinstance(part.get("$ref"), str):
            yield self._target(part["$ref"])

    def _look_below(self, part: Mapping[str, Any], found: _Below) -> None:
        for key in _BY_NAME:
            targets = [self._resolved(m) for m in _members(part.get(key))]
            for target in targets:
                found.named[target] += 1
            for target in set(targets):
                found.ways[target] += 1
        members = [part[key] for key in _BELOW_ONE if key in part]
        members += _members(part.get("patternProperties"))
        for target in map(self._resolved, members):
            found.ways[target] += 1
            found.each[target] += 1

    def _resolved(self, part: Any) -> int:
        """Give the key of a schema; of one that is only a reference, its target's."""
        seen = set()
        while isinstance(part, Mapping) and list(part) == ["$ref"]:
            if id(part) in seen or not isinstance(part["$ref"], str):
                break
            seen.add(id(part))
            part = self._target(part["$ref"])
        self.parts[id(part)] = part
        return id(part)

    def _target(self, reference: str) -> Any:
        found = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            try:
                found = found[int(key) if isinstance(found, list) else key]
            except (LookupError, TypeError, ValueError):
                said = f"{show(reference)} is nowhere in the schema"
                raise ValueError(said) from None
        return found


def _read(schema: Any) -> _Graph:
    """Give the graph of a schema, all of it looked at; raises as `_Graph.below`."""
    graph = _Graph(schema)
    waiting = [schema]
    while waiting:
        known = set(graph.parts)
        graph.below(waiting.pop())
        waiting += [graph.parts[key] for key in graph.parts.keys() - known]
    return graph


def _steps(schema: Any, value: Any) -> int:
    """Give a bound on the steps of checking the value; stops above the limit."""
    graph = _read(schema)
    meets, ways = Counter({id(schema): 1}), Counter({id(schema): 1})
    total = 0
    level = [value]
    while level and meets and total <= _MOST_STEPS:
        level = [member for outer in level for member in _members(outer)]
        below: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
        for key, number in meets.items():
            found = graph.below(graph.parts[key])
            total += number * found.steps
            for inner, often in found.named.items():
                below[0][inner] += number * often
            for inner, often in found.each.items():
                below[0][inner] += ways[key] * often * len(level)
            for inner, often in found.ways.items():
                below[1][inner] += ways[key] * often
        ways = below[1]
        meets = Counter({k: min(n, ways[k] * len(level)) for k, n in below[0].items()})
    return total


def _first_line(error: Exception) -> str:
    message = getattr(error, "message", None) or str(error)
    return show(str(message).partition("\n")[0], 200)
