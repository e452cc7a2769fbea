"""Tools out to export files, and in from them (ST-83 to ST-87)."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import InvalidInputError
from sparknb.core.exchange import (
    Entry,
    Export,
    Skip,
    Source,
    read_export,
    write_export,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import Registry
from sparknb.core.records import ToolRecord
from sparknb.host.dependencies import Dependencies
from sparknb.host.files import write_whole
from sparknb.host.lookup import Lookup
from sparknb.host.rules import Rules

__all__ = ["Exchange", "Imported", "ImportedTool"]

Incoming = Mapping[str, Any] | str | bytes
"""An export file: its text, or what was read of it as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTool:
    """A draft that was made of an entry of a file.

    Attributes:
        position: The entry's index in the file.
        warnings: What the draft would be refused for or warned about when it is
            published; paths are those of the definition.
        case_count: How many test cases came with it.
    """

    tool: ToolRecord
    definition: ToolDefinition
    position: int
    warnings: Sequence[Problem] = ()
    case_count: int = 0

    @property
    def is_refused(self) -> bool:
        """Whether test and publish refuse it until it is saved clean (ST-87)."""
        return any(p.strict for p in self.warnings)

    @property
    def secret_names(self) -> Sequence[str]:
        """Its secrets; none of them has a value yet."""
        return self.definition.secrets

    def to_wire(self) -> dict[str, Any]:
        """Give `{id, draftVersion, warnings, secretNames, cases}`."""
        return {
            "id": self.tool.id,
            "draftVersion": self.tool.draft_version,
            "warnings": [p.to_wire() for p in self.warnings],
            "secretNames": list(self.secret_names),
            "cases": self.case_count,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of an export file.

    Attributes:
        imported: The new drafts, in the order of the file.
        skipped: What stayed out, and why; nothing is ever overwritten.
        notices: What is to be known of the file as a whole.
    """

    imported: Sequence[ImportedTool]
    skipped: Sequence[Skip]
    notices: Sequence[Problem] = ()

    def to_wire(self) -> dict[str, Any]:
        """Give `{imported, skipped, notices}`."""
        return {
            "imported": [tool.to_wire() for tool in self.imported],
            "skipped": [skip.to_wire() for skip in self.skipped],
            "notices": [p.to_wire() for p in self.notices],
        }

    def __repr__(self) -> str:
        """Give the ids: whole definitions would fill pages."""
        ids = ", ".join(each.tool.id for each in self.imported) or "no drafts"
        return f"<Imported: {ids}; {len(self.skipped)} skipped>"


class Exchange:
    """Writes and reads the export files of Spark Work's Tool Studio."""

    def __init__(
        self,
        registry: Registry,
        lookup: Lookup,
        dependencies: Dependencies,
        rules: Rules,
    ) -> None:
        self._registry = registry
        self._lookup = lookup
        self._dependencies = dependencies
        self._rules = rules

    async def export(
        self,
        ids: Iterable[str],
        *,
        for_original: bool,
        with_cases: bool,
        out: Path | None,
    ) -> Export:
        """Write tools as an export file; see `Studio.export`."""
        wanted = list(dict.fromkeys(ids)) or await self._all()
        sources = [await self._source(tool_id) for tool_id in wanted]
        made = await asyncio.to_thread(
            lambda: write_export(
                sources, for_original=for_original, with_cases=with_cases
            )
        )
        if out is None:
            return made
        await asyncio.to_thread(write_whole, out, made.text)
        return replace(made, file=str(out))

    async def import_(self, file: Incoming) -> Imported:
        """Make drafts of an export file; see `Studio.import_`."""
        read = await asyncio.to_thread(lambda: read_export(_text(file)))
        entries, refused = await self._judged(read.entries)
        stored = await asyncio.to_thread(
            lambda: self._registry.create_drafts(
                [(entry.definition, entry.cases) for entry in entries],
                origin="imported",
            )
        )
        saved = {tool.id: tool for tool in stored}
        there = [e for e in entries if e.definition.id not in saved]
        return Imported(
            imported=[
                await self._imported(saved[e.definition.id], e)
                for e in entries
                if e.definition.id in saved
            ],
            skipped=sorted(
                [*read.skipped, *refused, *map(_taken, there)],
                key=lambda skip: skip.position or 0,
            ),
            notices=read.notices,
        )

    async def _judged(
        self, entries: Sequence[Entry]
    ) -> tuple[Sequence[Entry], Sequence[Skip]]:
        """Let the runtimes look at the programs; give what stays and what does not."""
        kept, refused = [], []
        for entry in entries:
            found = await self._rules.imported(entry.definition)
            errors = [problem for problem in found if problem.level == "error"]
            if errors:
                refused.append(_refused(entry, errors))
            else:
                kept.append(replace(entry, warnings=[*entry.warnings, *found]))
        return kept, refused

    async def _imported(self, tool: ToolRecord, entry: Entry) -> ImportedTool:
        """Give a new draft with its warnings; tools that it calls may not be here."""
        absent = await self._dependencies.warnings(entry.definition)
        return ImportedTool(
            tool=tool,
            definition=entry.definition,
            position=entry.position,
            warnings=[*entry.warnings, *absent],
            case_count=len(entry.cases),
        )

    async def _all(self) -> list[str]:
        tools, _ = await asyncio.to_thread(self._registry.tools)
        return sorted(tool.id for tool in tools)

    async def _source(self, tool_id: str) -> Source:
        """Give what is published of a tool, or the draft of one that never was."""
        record = await self._lookup.record(tool_id)
        number = record.published_version or record.draft_version
        version = await self._lookup.version(tool_id, number)
        return Source(
            version=version.version,
            definition=version.definition,
            cases=version.cases,
        )


def _text(file: Incoming) -> str | bytes:
    if isinstance(file, str | bytes):
        return file
    if not isinstance(file, Mapping):
        raise InvalidInputError(
            "an export file is a text, or a mapping read from one",
            path="file",
            hint='pass what it holds: Path("tools.json").read_bytes()',
        )
    try:
        return json.dumps(dict(file))
    except (TypeError, ValueError, RecursionError):
        raise InvalidInputError("the mapping is not JSON", path="file") from None


def _refused(entry: Entry, errors: Sequence[Problem]) -> Skip:
    count = "one problem" if len(errors) == 1 else f"{len(errors):,} problems"
    return Skip(
        id=entry.definition.id,
        reason="INVALID_DEFINITION",
        position=entry.position,
        message=f"the definition has {count}: {errors[0].message}",
        issues=errors,
    )


def _taken(entry: Entry) -> Skip:
    tool_id = entry.definition.id
    return Skip(
        id=tool_id,
        reason="ALREADY_EXISTS",
        position=entry.position,
        message=f"there is a tool with the id {tool_id} already; it stays as it is",
    )
