"""The steps that change what agents use, or drop something for good.

What needs other stores is checked here; the registry then takes the step in one
transaction, if the state is still the one that was checked, and the one that a person
was shown.
"""

import asyncio
from collections.abc import Sequence

from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import ConflictError, InvalidInputError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Registry
from sparknb.core.records import ToolRecord, VersionRecord
from sparknb.host.cleanup import Cleanup
from sparknb.host.dependencies import Dependencies, goes_live
from sparknb.host.documents import strict
from sparknb.host.gate import Gate
from sparknb.host.lookup import Lookup
from sparknb.host.outcomes import StepOutcome

__all__ = ["Lifecycle"]


class Lifecycle:
    """Steps of a tool's life; `Studio` documents what each of them refuses."""

    def __init__(
        self,
        *,
        registry: Registry,
        lookup: Lookup,
        gate: Gate,
        dependencies: Dependencies,
        cleanup: Cleanup,
    ) -> None:
        self._registry = registry
        self._lookup = lookup
        self._gate = gate
        self._dependencies = dependencies
        self._cleanup = cleanup

    async def publish(
        self,
        tool_id: str,
        *,
        expected_version: int | None = None,
        expected_revision: int | None = None,
        require_cases: bool = False,
        seen: ToolRecord | None = None,
    ) -> StepOutcome:
        """See `Studio`."""
        await self._lookup.record(tool_id, seen)
        record, draft, definition = await self._publishable(
            tool_id, expected_version, expected_revision, require_cases=require_cases
        )
        record = await asyncio.to_thread(
            lambda: self._registry.publish(
                tool_id,
                expected_version=draft.version,
                expected_revision=record.draft_revision,
                drop_secrets=self._cleanup.references_beyond(definition),
                seen=seen,
            )
        )
        return await self._published(record)

    async def require_publishable(
        self,
        tool_id: str,
        *,
        expected_version: int | None = None,
        require_cases: bool = False,
    ) -> ToolRecord:
        """See `Studio`."""
        found = await self._publishable(
            tool_id, expected_version, None, require_cases=require_cases
        )
        return found[0]

    async def _publishable(
        self,
        tool_id: str,
        version: int | None,
        revision: int | None,
        *,
        require_cases: bool,
    ) -> tuple[ToolRecord, VersionRecord, ToolDefinition]:
        record = await self._lookup.record(tool_id)
        if not record.is_pending or record.draft_version is None:
            if version is not None or revision is not None:
                raise _changed(tool_id)
            raise InvalidInputError(
                f"{tool_id} has no pending draft",
                path="id",
                hint="save a change first; what agents use is published already",
            )
        if version not in (None, record.draft_version):
            raise _changed(tool_id)
        if revision not in (None, record.draft_revision):
            raise _changed(tool_id)
        draft = await self._lookup.version(tool_id, record.draft_version, "draft")
        definition = strict(draft.definition)
        await self._gate.open_for(
            definition,
            draft,
            goes_live=goes_live(record),
            require_cases=require_cases,
        )
        return record, draft, definition

    async def set_enabled(
        self, tool_id: str, *, enabled: bool, seen: ToolRecord | None = None
    ) -> StepOutcome:
        """See `Studio`."""
        await self._lookup.record(tool_id, seen)
        number = None
        if enabled:
            number = (await self.require_enableable(tool_id)).published_version
        record = await asyncio.to_thread(
            lambda: self._registry.set_enabled(
                tool_id, enabled=enabled, expected_version=number, seen=seen
            )
        )
        left = [] if enabled else await self._left(tool_id)
        return StepOutcome(tool=record, warnings=left)

    async def require_enableable(self, tool_id: str) -> ToolRecord:
        """See `Studio`."""
        record = await self._lookup.record(tool_id)
        number = self._gate.require_published(record)
        version = await self._lookup.version(tool_id, number, "published version")
        await self._gate.open_for(strict(version.definition), goes_live=True)
        return record

    async def rollback(
        self, tool_id: str, version: int, *, seen: ToolRecord | None = None
    ) -> StepOutcome:
        """See `Studio`."""
        await self._lookup.record(tool_id, seen)
        current, definition = await self._earlier(tool_id, version)
        record = await asyncio.to_thread(
            lambda: self._registry.rollback(
                tool_id,
                version,
                expected_version=current,
                drop_secrets=self._cleanup.references_beyond(definition),
                seen=seen,
            )
        )
        return await self._published(record)

    async def require_earlier(self, tool_id: str, version: int) -> int:
        """See `Studio`."""
        return (await self._earlier(tool_id, version))[0]

    async def _earlier(self, tool_id: str, version: int) -> tuple[int, ToolDefinition]:
        record = await self._lookup.record(tool_id)
        current = record.published_version
        if current is None or record.is_pending:
            what = "a pending draft" if record.is_pending else "no published version"
            raise InvalidInputError(
                f"{tool_id} has {what}", path="id", hint="publish or discard it first"
            )
        if version == current:
            raise InvalidInputError(
                f"version {version} is the published one already", path="version"
            )
        target = await self._lookup.version(tool_id, version)
        definition = strict(target.definition)
        await self._gate.open_for(definition, goes_live=record.enabled)
        return current, definition

    async def discard(
        self, tool_id: str, *, seen: ToolRecord | None = None
    ) -> StepOutcome:
        """See `Studio`."""
        await self._lookup.record(tool_id, seen)
        await asyncio.to_thread(self._cleanup.note_dropped, tool_id)
        record = await asyncio.to_thread(
            lambda: self._registry.discard_draft(tool_id, seen=seen)
        )
        return StepOutcome(tool=record, warnings=await self._cleanup.finish())

    async def delete(
        self, tool_id: str, *, seen: ToolRecord | None = None
    ) -> Sequence[Problem]:
        """See `Studio`."""
        record = await self._lookup.record(tool_id, seen)
        references = await asyncio.to_thread(self._cleanup.all_references, tool_id)
        if record.enabled:
            await asyncio.to_thread(
                lambda: self._registry.set_enabled(tool_id, enabled=False, seen=record)
            )
        await self._cleanup.remove(references)
        await asyncio.to_thread(
            lambda: self._registry.delete(
                tool_id, expected_revision=record.draft_revision
            )
        )
        await self._cleanup.remove_again(references)
        return await self._left(tool_id)

    async def _published(self, record: ToolRecord) -> StepOutcome:
        """Tidy up after a step that changed what agents use, and tell whom it met."""
        stale = await self._cleanup.finish()
        used = await self._dependencies.of_use(record.id)
        return StepOutcome(tool=record, warnings=[*stale, *used])

    async def _left(self, tool_id: str) -> Sequence[Problem]:
        return await self._dependencies.of_use(tool_id, is_leaving=True)


def _changed(tool_id: str) -> ConflictError:
    return ConflictError(
        f"the draft of {tool_id} was changed elsewhere",
        path="expectedDraftVersion",
        hint="load it again, look at the change, then publish",
    )
