"""One of the tools that agents may call, as they see it (ST-74)."""

import logging
from functools import cached_property
from typing import Any

from sparknb.core.definitions import Effect, Idempotency, Risk
from sparknb.core.errors import SparknbError
from sparknb.core.protocols import SurfaceRow
from sparknb.core.records import ToolRecord, VersionRecord

__all__ = ["SurfaceEntry", "agent_name", "is_sound"]

_log = logging.getLogger("sparknb.host")


class SurfaceEntry:
    """One tool as an agent sees it: the published version at the time of the snapshot.

    What it shows is read at first use, since most of the entries of a large surface
    are never looked at.
    """

    def __init__(self, row: SurfaceRow) -> None:
        self._row = row

    @property
    def id(self) -> str:
        """The tool's id in the registry."""
        return self._row.id

    @property
    def name(self) -> str:
        """The name an agent calls it by, `custom_<id>`."""
        return agent_name(self._row)

    @property
    def version(self) -> int:
        """The captured version."""
        return self._row.number

    @cached_property
    def record(self) -> ToolRecord:
        """The tool's state when the snapshot was taken."""
        return self._row.tool()

    @cached_property
    def stored(self) -> VersionRecord:
        """The captured version as it is stored."""
        return self._row.version()

    @property
    def title(self) -> str:
        """The label for people."""
        return str(self.stored.definition["title"])

    @property
    def description(self) -> str:
        """When to use the tool."""
        return str(self.stored.definition["description"])

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, closed to unknown names (ST-5)."""
        return {**self._field("inputSchema"), "additionalProperties": False}

    @property
    def risk(self) -> Risk:
        """The declared risk."""
        return self.record.risk if self._is_shown else self._field("risk")

    @property
    def effect(self) -> Effect:
        """The declared effect."""
        return self.record.effect if self._is_shown else self._field("effect")

    @property
    def idempotency(self) -> Idempotency:
        """The declared idempotency."""
        shown = self._is_shown
        return self.record.idempotency if shown else self._field("idempotency")

    @property
    def open_world(self) -> bool:
        """Whether the tool reaches outside: all but code without dependencies."""
        definition = self.stored.definition
        if definition["type"] != "code":
            return True
        return bool(definition["spec"].get("permissions", {}).get("toolIds"))

    @property
    def _is_shown(self) -> bool:
        """Whether the record's triple is that of the captured version."""
        return not self.record.is_pending

    def _field(self, key: str) -> Any:
        return self.stored.definition[key]


def agent_name(row: SurfaceRow) -> str:
    """Give the name that agents call a tool by, without reading all of it."""
    return f"custom_{row.id}"


def is_sound(entry: SurfaceEntry) -> bool:
    """Whether all of what an agent sees of a tool can be read; else it is logged."""
    try:
        _ = entry.title, entry.description, entry.input_schema, entry.open_world
        _ = entry.risk, entry.effect, entry.idempotency
    except (AttributeError, KeyError, TypeError, SparknbError) as error:
        _log.warning(
            "%s is left out of the surface, it is damaged: %s", entry.id, error
        )
        return False
    return True
