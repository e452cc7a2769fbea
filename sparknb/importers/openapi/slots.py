"""The places of a request that a parameter fills, before they have names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sparknb.importers.openapi.texts import shown

__all__ = ["Slot", "SlotPlace", "named", "placeholder"]

SlotPlace = Literal["path", "query", "header", "body"]

_ORDER: tuple[SlotPlace, ...] = ("path", "query", "header", "body")
_LONGEST_NAME = 64
_OTHER = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One parameter of a tool, and where its value goes.

    Attributes:
        wire: The name in the request, as in the document.
        base: What the parameter's own name is made of, usually the same.
        schema: The entry of the input schema.
        form: Of the placeholder (`repeat`, `csv`, ...), None for the plain one.
        lead: Text in front of the value in a path.
    """

    place: SlotPlace
    wire: str
    base: str
    schema: Mapping[str, Any]
    required: bool
    form: str | None = None
    lead: str = ""

    def __str__(self) -> str:
        """Give words for a notice."""
        kind = "body member" if self.place == "body" else f"{self.place} parameter"
        return f"{kind} '{shown(self.wire)}'"


def placeholder(name: str, slot: Slot) -> str:
    """Give the placeholder of a slot."""
    return f"{{{{{name}}}}}" if slot.form is None else f"{{{{{name} | {slot.form}}}}}"


def named(slots: Sequence[Slot]) -> list[tuple[str, Slot]]:
    """Give each slot a parameter name of its own, in the same order (ST-105)."""
    taken: set[str] = set()
    names: dict[int, str] = {}
    for place in _ORDER:
        for position, slot in enumerate(slots):
            if slot.place == place:
                names[position] = _free(_name(slot.base), place, taken)
                taken.add(names[position])
    return [(names[position], slot) for position, slot in enumerate(slots)]


def _name(base: str) -> str:
    name = _OTHER.sub("_", base[:200])
    return f"_{name}" if not name or name[0].isdigit() else name


def _free(name: str, place: SlotPlace, taken: set[str]) -> str:
    if name not in taken and len(name) <= _LONGEST_NAME:
        return name
    candidates = _candidates(name, "" if place == "path" else f"_{place}")
    return next(c for c in candidates if c not in taken)


def _candidates(name: str, suffix: str) -> Iterable[str]:
    yield name[:_LONGEST_NAME]
    if suffix:
        yield _with(name, suffix)
    number = 2
    while True:
        yield _with(name, f"{suffix}_{number}")
        number += 1


def _with(name: str, suffix: str) -> str:
    return name[: _LONGEST_NAME - len(suffix)] + suffix
