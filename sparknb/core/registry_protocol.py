"""The seam to where definitions, versions, traces and provider profiles are kept.

`core.protocols` gives it with the others; one contract test suite holds it.
"""

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

from sparknb.core.definitions import ToolDefinition, ToolType
from sparknb.core.providers import ProviderProfile
from sparknb.core.records import ToolLinks, ToolRecord, TraceRecord, VersionRecord
from sparknb.core.results import CallStatus

__all__ = ["Registry", "SurfaceRow"]


class SurfaceRow(Protocol):
    """An enabled tool, its records made when they are asked for.

    A surface has thousands of rows, of which few are looked at; and one that is
    damaged must not take the others with it.
    """

    @property
    def id(self) -> str:
        """The tool's id."""
        ...

    @property
    def type(self) -> ToolType:
        """What carries the tool out."""
        ...

    @property
    def number(self) -> int:
        """The published version."""
        ...

    def tool(self) -> ToolRecord:
        """Give the state of the tool.

        Raises:
            RegistryUnavailableError: The row is damaged.
        """
        ...

    def version(self) -> VersionRecord:
        """Give the published version; its definition is read at its first use.

        Raises:
            RegistryUnavailableError: The row is damaged.
        """
        ...


class Registry(Protocol):
    """Where definitions, versions and traces are kept.

    Every writing method is one transaction: it happens whole or not at all.
    Methods may block for a short time: the host calls writers in a worker thread.
    `ConflictError` means that the state is not the one the caller expected: what a
    person was shown is given as `seen`, and compared in the same transaction.
    """

    @property
    def id(self) -> str:
        """Id of this registry, made once; the keychain's service name carries it."""
        ...

    def change_mark(self) -> Hashable:
        """Give a cheap value that differs whenever tools or versions may have."""
        ...

    def get(self, tool_id: str) -> ToolRecord | None:
        """Give the state of one tool."""
        ...

    def version(self, tool_id: str, version: int) -> VersionRecord | None:
        """Give one version of a tool."""
        ...

    def versions(self, tool_id: str) -> Sequence[VersionRecord]:
        """Give all versions of a tool, newest first."""
        ...

    def tools(
        self,
        *,
        query: str | None = None,
        limit: int | None = None,
        pending: bool = False,
    ) -> tuple[Sequence[ToolRecord], int]:
        """Give tools, newest update first, then id, and how many match in all.

        `pending` gives those only whose draft is not published.
        """
        ...

    def surface(self) -> Sequence[SurfaceRow]:
        """Give enabled tools with their published versions, sorted by id."""
        ...

    def links(self) -> Sequence[ToolLinks]:
        """Give which tools name others: what is published and what is pending.

        Sorted by id, then version; versions that name no tool are left out.
        """
        ...

    def create_draft(
        self,
        definition: ToolDefinition,
        cases: Sequence[Mapping[str, Any]] = (),
        *,
        origin: Literal["local", "imported"] = "local",
    ) -> ToolRecord:
        """Store a new tool: disabled, unpublished, draft version 1, revision 1.

        Raises:
            AlreadyExistsError: The id is taken.
        """
        ...

    def create_drafts(
        self,
        entries: Sequence[tuple[ToolDefinition, Sequence[Mapping[str, Any]]]],
        *,
        origin: Literal["local", "imported"] = "local",
    ) -> Sequence[ToolRecord]:
        """Store new tools with their cases in one transaction, as `create_draft`.

        Ids that are taken, also by an entry before, are left out of the answer.
        """
        ...

    def save_draft(
        self,
        definition: ToolDefinition,
        cases: Sequence[Mapping[str, Any]] | None = None,
        *,
        expected_revision: int | None = None,
    ) -> tuple[ToolRecord, bool]:
        """Overwrite the pending draft or open version max + 1 (ST-70).

        `cases` None keeps those of the draft or published version. The second
        value is True when nothing was stored because nothing changed.

        Raises:
            NotFoundError: No such tool.
            InvalidInputError: The type differs, at `type`.
            ConflictError: The revision is not the expected one.
        """
        ...

    def discard_draft(
        self, tool_id: str, *, seen: ToolRecord | None = None
    ) -> ToolRecord:
        """Drop the pending draft of a published tool.

        Raises:
            NotFoundError: No such tool.
            InvalidInputError: No pending draft, or the tool was never published.
            ConflictError: The tool is not as it was `seen`.
        """
        ...

    def publish(
        self,
        tool_id: str,
        *,
        expected_version: int,
        expected_revision: int,
        drop_secrets: Sequence[str] = (),
        seen: ToolRecord | None = None,
    ) -> ToolRecord:
        """Make the draft the published version; enable it on the first publish.

        `drop_secrets` are noted in the same transaction for `pending_removals`.

        Raises:
            NotFoundError: No such tool.
            ConflictError: Draft version or revision differ: it changed elsewhere.
        """
        ...

    def set_enabled(
        self,
        tool_id: str,
        *,
        enabled: bool,
        expected_version: int | None = None,
        seen: ToolRecord | None = None,
    ) -> ToolRecord:
        """Enable or disable; enabling expects this published version."""
        ...

    def rollback(
        self,
        tool_id: str,
        version: int,
        *,
        expected_version: int,
        drop_secrets: Sequence[str] = (),
        seen: ToolRecord | None = None,
    ) -> ToolRecord:
        """Publish a copy of `version` as max + 1, if `expected_version` is current.

        Raises:
            NotFoundError: No such tool or version.
            InvalidInputError: A draft is pending, or `version` is the current one.
            ConflictError: Another version is published by now.
        """
        ...

    def delete(self, tool_id: str, *, expected_revision: int | None = None) -> None:
        """Remove a disabled tool with versions, traces and pending removals.

        Raises:
            NotFoundError: No such tool.
            ConflictError: The tool was enabled in the meantime, or its draft is not
                at `expected_revision`.
        """
        ...

    def mark_tested(self, tool_id: str) -> None:
        """Set `last_test_at`; does nothing when the tool is gone."""
        ...

    def record_case_run(
        self, tool_id: str, version: int, case_run: Mapping[str, Any]
    ) -> None:
        """Keep the outcome of a run of all cases with the version (ST-80)."""
        ...

    def note_removals(self, references: Sequence[str]) -> None:
        """Note secret references for removal; those noted already stay noted."""
        ...

    def pending_removals(self) -> Sequence[str]:
        """Give secret references whose removal was noted and not yet confirmed."""
        ...

    def confirm_removals(self, references: Sequence[str]) -> None:
        """Forget noted removals."""
        ...

    def providers(self) -> Sequence[ProviderProfile]:
        """Give all provider profiles, sorted by id."""
        ...

    def provider(self, profile_id: str) -> ProviderProfile | None:
        """Give one provider profile, or None."""
        ...

    def add_provider(self, profile: ProviderProfile) -> None:
        """Store a new provider profile; its key is never part of it.

        Raises:
            AlreadyExistsError: The id is taken.
        """
        ...

    def remove_provider(self, profile_id: str) -> bool:
        """Remove a provider profile; False when there was none."""
        ...

    def add_traces(self, traces: Sequence[TraceRecord]) -> None:
        """Append traces; prunes at most every 6 hours."""
        ...

    def traces(
        self,
        *,
        tool_id: str | None = None,
        status: CallStatus | None = None,
        since: datetime | None = None,
        limit: int = 50,
    ) -> Sequence[TraceRecord]:
        """Prune, then give traces, newest first; `limit` is clamped to 1-200."""
        ...

    def clear_traces(self, tool_id: str | None = None) -> int:
        """Remove all traces, or those of one tool; give the count."""
        ...

    @property
    def retention_days(self) -> int:
        """How long traces are kept: 7, 30, 90 or 365 days."""
        ...

    def set_retention(self, days: int) -> None:
        """Change it and prune.

        Raises:
            InvalidInputError: Another number of days.
        """
        ...

    def close(self) -> None:
        """Write what waits and give back connections."""
        ...
