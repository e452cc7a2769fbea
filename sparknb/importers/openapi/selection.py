"""Which operations there are, and which of them are meant."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sparknb.core.errors import NotFoundError
from sparknb.importers.openapi.ids import proposed_id
from sparknb.importers.openapi.model import Description, Operation
from sparknb.importers.openapi.outcomes import Listed, SkipError
from sparknb.importers.openapi.servers import checked_base_url
from sparknb.importers.openapi.sizes import tokens_of
from sparknb.importers.openapi.sketches import Sketcher
from sparknb.importers.openapi.texts import clean, shown

__all__ = ["listing", "select"]

_MOST_TAGS = 20
_LONGEST = 160


def listing(
    description: Description, *, base_url: str | None = None
) -> Sequence[Listed]:
    """List every operation, with what it costs an agent and whether it can be had.

    Raises:
        InvalidInputError: The base URL cannot be called.
    """
    base = None if base_url is None else checked_base_url(base_url)
    sketcher = Sketcher(description, base)
    return [_listed(operation, sketcher) for operation in description.operations()]


def _listed(operation: Operation, sketcher: Sketcher) -> Listed:
    node = operation.node
    skip, tokens = None, 0
    try:
        made = sketcher.sketch(operation).definition
        tool_id = proposed_id(operation)
        tokens = tokens_of(tool_id, made["description"], made["inputSchema"])
    except SkipError as error:
        skip = error.reason
    named = node.get("operationId")
    return Listed(
        operation=operation.name,
        operation_id=named if isinstance(named, str) else None,
        summary=clean(node.get("summary"), _LONGEST)
        or clean(node.get("description"), _LONGEST),
        tags=tuple(clean(tag, _LONGEST) for tag in _tags(node)[:_MOST_TAGS]),
        deprecated=node.get("deprecated") is True,
        skip=skip,
        tokens=tokens,
    )


def select(
    description: Description,
    operations: Iterable[str] = (),
    tags: Iterable[str] = (),
) -> Sequence[Operation]:
    """Give the operations that are named, or have a tag, in the document's order.

    Args:
        description: As `read_description` gives it.
        operations: Operation ids, or `METHOD /path` with the method in any case.
        tags: Tags, as in the document.

    Returns:
        Each once; all of them when nothing is named.

    Raises:
        NotFoundError: A name or tag is not in the document; names the nearest.
    """
    everything = description.operations()
    names, wanted_tags = [_normal(o) for o in operations], list(tags)
    if not names and not wanted_tags:
        return everything
    by_name = [(operation, _names(operation)) for operation in everything]
    known = {name for _, own in by_name for name in own}
    for name in names:
        _check(name, known, "operation")
    known_tags = {tag for operation in everything for tag in _tags(operation.node)}
    for tag in wanted_tags:
        _check(tag, known_tags, "tag")
    return [
        operation
        for operation, own in by_name
        if not own.isdisjoint(names)
        or any(tag in wanted_tags for tag in _tags(operation.node))
    ]


def _names(operation: Operation) -> set[str]:
    names = {_normal(operation.name)}
    named = operation.node.get("operationId")
    if isinstance(named, str | int):
        names.add(_normal(str(named)))
    return names


def _normal(name: str) -> str:
    """Give one spelling of `METHOD /path`; an operation id stays as it is."""
    method, blank, path = name.strip().partition(" ")
    return f"{method.upper()} {path.strip()}" if blank else method


def _tags(node: Mapping[str, Any]) -> list[str]:
    tags = node.get("tags")
    return [t for t in tags if isinstance(t, str)] if isinstance(tags, list) else []


def _check(name: str, known: set[str], kind: str) -> None:
    if name in known:
        return
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.4)
    hint = f"did you mean '{shown(near[0])}'?" if near else None
    raise NotFoundError(
        f"the document has no {kind} '{shown(name)}'",
        hint=hint or "list what there is with: sparknb import openapi SOURCE --list",
    )
