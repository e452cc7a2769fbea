"""Finding tools and versions; what is not there is said in one way."""

import asyncio
import difflib
import json
from collections.abc import Callable, Mapping

from sparknb.core.errors import InvalidInputError, NotFoundError
from sparknb.core.protocols import Registry
from sparknb.core.records import ToolRecord, VersionRecord
from sparknb.host.outcomes import Difference

__all__ = ["Lookup"]

_SOURCE = '      "source": '  # where the line of spec.runtime.source begins


class Lookup:
    """Reads of the registry that refuse what is not there, off the event loop."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def record(self, tool_id: str, seen: ToolRecord | None = None) -> ToolRecord:
        """Give a tool's state.

        Raises:
            NotFoundError: No such tool.
            ConflictError: It is not as it was seen.
        """
        record = await asyncio.to_thread(self._registry.get, tool_id)
        if record is None:
            raise NotFoundError(
                f"no tool has the id {tool_id[:80]!a}",
                path="id",
                hint="sparknb list shows the tools",
            )
        record.require_as(seen)
        return record

    async def version(
        self, tool_id: str, number: int | None, what: str = "version"
    ) -> VersionRecord:
        """Give a version of a tool that is there.

        Raises:
            NotFoundError: No such version.
        """
        found = None
        if number is not None:
            found = await asyncio.to_thread(self._registry.version, tool_id, number)
        if found is None:
            which = "draft or published version" if number is None else what
            number_shown = "" if number is None else f" {number}"
            raise NotFoundError(
                f"{tool_id} has no {which}{number_shown}",
                path="version",
                hint=f"sparknb show {tool_id} lists its versions",
            )
        return found

    async def shown(self, tool_id: str, number: int | None) -> VersionRecord:
        """Give a version; without a number the pending draft, else the published.

        Raises:
            NotFoundError: No such tool or version.
        """
        record = await self.record(tool_id)
        if number is None:
            pending = record.draft_version if record.is_pending else None
            number = pending or record.published_version
        return await self.version(tool_id, number)

    async def difference(
        self, tool_id: str, a: int | None, b: int | None
    ) -> Difference:
        """Compare two versions; without numbers the published one with the draft.

        Raises:
            NotFoundError: No such tool or version.
            InvalidInputError: No numbers given and there is only one version.
        """
        record = await self.record(tool_id)
        if a is None:
            a = record.published_version if record.is_pending else None
        if a is None:
            raise _nothing_beside(record)
        older = await self.version(tool_id, a)
        newer = await self.version(tool_id, record.draft_version if b is None else b)
        return Difference(
            tool_id=tool_id,
            a=older.version,
            b=newer.version,
            lines=_compared(older, newer, _pretty),
            shown=_compared(older, newer, _spread),
        )


def _nothing_beside(record: ToolRecord) -> InvalidInputError:
    """Give the refusal to compare where only one version counts."""
    if record.published_version is None:
        said = f"{record.id} is only a draft: no version is published to compare with"
        hint = f"sparknb show {record.id} shows it"
        return InvalidInputError(said, path="a", hint=hint)
    number = record.published_version
    return InvalidInputError(
        f"version {number} of {record.id} is published and there is no draft",
        path="a",
        hint="name two versions to compare them",
    )


def _compared(
    older: VersionRecord,
    newer: VersionRecord,
    written: Callable[[VersionRecord], list[str]],
) -> list[str]:
    names = (f"version {older.version}", f"version {newer.version}")
    return list(
        difflib.unified_diff(written(older), written(newer), *names, lineterm="")
    )


def _pretty(version: VersionRecord) -> list[str]:
    return _text(version).splitlines()


def _spread(version: VersionRecord) -> list[str]:
    """Give the same lines, with a program by its own lines instead of as one text."""
    lines = _text(version).split("\n")  # a JSON text has no other line ends
    spec = version.definition.get("spec")
    runtime = spec.get("runtime") if isinstance(spec, Mapping) else None
    source = runtime.get("source") if isinstance(runtime, Mapping) else None
    if not isinstance(source, str):
        return lines
    whole = _SOURCE + json.dumps(source, ensure_ascii=False)
    for at, line in enumerate(lines):
        if line.removesuffix(",") == whole:
            own = [f"        {part}" for part in source.split("\n")]
            return [*lines[:at], _SOURCE.rstrip(), *own, *lines[at + 1 :]]
    return lines


def _text(version: VersionRecord) -> str:
    return json.dumps(dict(version.definition), indent=2, ensure_ascii=False)
