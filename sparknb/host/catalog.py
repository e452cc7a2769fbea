"""The published tools, kept parsed as long as the registry has not changed."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import DeniedError, NotFoundError, RegistryUnavailableError
from sparknb.core.protocols import Registry
from sparknb.core.records import ToolRecord, VersionRecord
from sparknb.core.validation import read_definition

__all__ = ["Catalog", "Published"]

_KEPT_DEFINITIONS = 4096


@dataclass(frozen=True, slots=True)
class Published:
    """A published tool, ready to be called."""

    record: ToolRecord
    version: int
    definition: ToolDefinition


class Catalog:
    """A read cache over the registry; every answer is as fresh as the registry.

    The registry's change mark is compared at each question, so a change made by
    another process is seen at once.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._mark: Hashable = None
        self._records: dict[str, ToolRecord | None] = {}
        self._published: dict[str, Published] = {}
        self._parsed: OrderedDict[str, ToolDefinition] = OrderedDict()

    def record(self, tool_id: str) -> ToolRecord | None:
        """Give the state of a tool, or None."""
        self._refresh()
        if tool_id not in self._records:
            self._records[tool_id] = self._registry.get(tool_id)
        return self._records[tool_id]

    def require_enabled(self, tool_id: str) -> None:
        """Let a call go on only while its tool is there and enabled.

        Raises:
            NotFoundError: It was deleted.
            DeniedError: It was disabled.
        """
        record = self.record(tool_id)
        if record is None:
            raise NotFoundError(f"{tool_id} was deleted while the call waited")
        if not record.enabled:
            raise DeniedError(
                f"{tool_id} was disabled while the call waited",
                hint="enable the tool first",
            )

    def resolve(self, name: str) -> str:
        """Give the tool id for an agent's name (`custom_x`) or an id (`x`)."""
        tool_id = name.removeprefix("custom_")
        is_name = tool_id != name and self.record(tool_id) is not None
        return tool_id if is_name else name

    def published(self, tool_id: str) -> Published | None:
        """Give a tool with its published version; None when there is none."""
        self._refresh()
        found = self._published.get(tool_id)
        if found is not None:
            return found
        record = self.record(tool_id)
        if record is None or record.published_version is None:
            return None
        version = self._registry.version(tool_id, record.published_version)
        if version is None:
            return None  # deleted or republished between the two reads
        found = Published(record, version.version, self.definition(version))
        self._published[tool_id] = found
        return found

    def definition(self, version: VersionRecord) -> ToolDefinition:
        """Give the parsed definition of a stored version."""
        return self.parsed(version.digest, version.definition)

    def parsed(self, digest: str, wire: Mapping[str, Any]) -> ToolDefinition:
        """Give the parsed form of a stored normal form, which has this digest.

        Raises:
            RegistryUnavailableError: It is none: the registry was edited by hand.
        """
        known = self._parsed.get(digest)
        if known is None:
            known = self._parsed[digest] = _read(wire)
            if len(self._parsed) > _KEPT_DEFINITIONS:
                self._parsed.popitem(last=False)
        return known

    def _refresh(self) -> None:
        mark = self._registry.change_mark()
        if mark != self._mark:
            self._mark = mark
            self._records.clear()
            self._published.clear()


def _read(wire: Mapping[str, Any]) -> ToolDefinition:
    try:
        return read_definition(wire)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RegistryUnavailableError(
            "a stored definition is damaged: it is not in normal form",
            hint="put a backup of the registry in its place",
        ) from error
