"""The seams of the house: what the host needs from the world around it.

Each protocol has one contract test suite that every implementation passes.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NoReturn, Protocol

from sparknb.core.definitions import (
    Effect,
    Idempotency,
    Risk,
    ToolDefinition,
    ToolType,
)
from sparknb.core.records import ToolRecord, TraceRecord, VersionRecord
from sparknb.core.results import Approval, CallStatus

__all__ = [
    "ApprovalRequest",
    "Approver",
    "Decision",
    "Keychain",
    "KeychainKind",
    "PreparedCall",
    "Preview",
    "Registry",
    "RunOutcome",
    "Runtime",
    "StoredSecret",
    "SurfaceRow",
]

KeychainKind = Literal["os", "env", "memory"]


# ------------------------------------------------------------------ keychain
@dataclass(frozen=True, slots=True)
class StoredSecret:
    """A secret value and the origin it was given for (ST-67).

    `origin` is None when the keychain does not bind values (`env`).
    """

    value: str = field(repr=False)
    origin: str | None = None

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a pickle would show the value."""
        raise TypeError("a secret value cannot be pickled or copied")


class Keychain(Protocol):
    """Where secret values live. Calls may block: the host uses a worker thread.

    References are `custom-tool:<id>:<name>`. All methods raise
    `KeychainUnavailableError` when the store is locked, absent or refuses.
    """

    @property
    def kind(self) -> KeychainKind:
        """Which kind answers."""
        ...

    @property
    def label(self) -> str:
        """A short name for people, such as `gnome-keyring (Secret Service)`."""
        ...

    @property
    def is_read_only(self) -> bool:
        """Whether write and remove always refuse."""
        ...

    @property
    def fallback_reason(self) -> str | None:
        """Why `auto` fell back to memory; None when this kind was asked for."""
        ...

    def variable(self, reference: str) -> str | None:
        """Give the environment variable that holds the value, None where none does."""
        ...

    def read(self, reference: str) -> StoredSecret | None:
        """Give the value, or None when there is none."""
        ...

    def write(self, reference: str, secret: StoredSecret) -> None:
        """Store the value in place of the one before, all or nothing."""
        ...

    def remove(self, reference: str) -> bool:
        """Remove the value; False when there was none."""
        ...


# ------------------------------------------------------------------ approver
@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a call would do, for a person to read; secrets stand as `[secret]`.

    Attributes:
        method: HTTP method, None for other runtimes.
        url: Full rendered URL, None for other runtimes.
        body: The first 2000 characters of the body, None without one.
        dependencies: Ids of the tools that a code tool may call.
    """

    method: str | None = None
    url: str | None = None
    body: str | None = None
    dependencies: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One question to a person (ST-63)."""

    call_id: str
    tool_id: str
    title: str
    version: int | None
    risk: Risk
    effect: Effect
    idempotency: Idempotency
    arguments: Mapping[str, Any]
    preview: Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The person's answer.

    Attributes:
        outcome: `allow`, `reject`, or `unavailable` when nobody can be asked.
        kind: How it was given, for the trace (`flag` = `--yes`).
        arguments: Changed arguments, None when they stand.
        reason: A sentence of the person or of the door, for the refusal.
    """

    outcome: Literal["allow", "reject", "unavailable"]
    kind: Approval = "once"
    arguments: Mapping[str, Any] | None = None
    reason: str | None = None


class Approver(Protocol):
    """Who lets a call through."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Answer for this one call. May be cancelled while it waits."""
        ...


# ------------------------------------------------------------------- runtime
@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a runtime brings back.

    Attributes:
        text: The formatted text, neither redacted nor clipped.
        budget: Model tokens that the text may have, None for no limit; the host
            clips it, after redacting: a clip must not hide half of a secret.
        data: The JSON value behind it, or None.
        bytes: UTF-8 length of the capped body text.
        truncated: Whether the text was cut already.
        request: The request as sent, with `[secret]` for secret values; for tests.
        status: HTTP status, None for other runtimes.
    """

    text: str
    data: Any = None
    bytes: int = 0
    truncated: bool = False
    budget: int | None = None
    request: Mapping[str, Any] | None = None
    status: int | None = None


class PreparedCall(Protocol):
    """A call that is rendered and checked but has not touched the world."""

    @property
    def preview(self) -> Preview:
        """What an approver sees."""
        ...

    @property
    def secret_names(self) -> Sequence[str]:
        """Names of the secrets that the run needs."""
        ...

    @property
    def origin(self) -> str | None:
        """Where the secrets would go (`scheme://host:port`), None if nowhere."""
        ...

    async def run(self, secrets: Mapping[str, str]) -> RunOutcome:
        """Carry the call out; the host holds the clock and cancels this.

        Raises:
            SparknbError: `DENIED`, `UNREACHABLE`, `HTTP_ERROR`, `INVALID_INPUT`
                or `EXECUTION_FAILED`. Never a timeout of its own.
        """
        ...


class Runtime(Protocol):
    """What carries out calls of one type of tool."""

    def prepare(
        self, definition: ToolDefinition, arguments: Mapping[str, Any]
    ) -> PreparedCall:
        """Render the call; `arguments` passed the input check, defaults are in.

        Raises:
            SparknbError: `INVALID_INPUT` or `INVALID_TEMPLATE` with all problems,
                or `DENIED`; nothing was sent.
        """
        ...

    async def close(self) -> None:
        """Give back connections and processes."""
        ...


# ------------------------------------------------------------------ registry
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
    `ConflictError` means that the state is not the one the caller expected.
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
        self, *, query: str | None = None, limit: int | None = None
    ) -> tuple[Sequence[ToolRecord], int]:
        """Give tools, newest update first, then id, and how many match in all."""
        ...

    def surface(self) -> Sequence[SurfaceRow]:
        """Give enabled tools with their published versions, sorted by id."""
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

    def discard_draft(self, tool_id: str) -> ToolRecord:
        """Drop the pending draft of a published tool.

        Raises:
            NotFoundError: No such tool.
            InvalidInputError: No pending draft, or the tool was never published.
        """
        ...

    def publish(
        self,
        tool_id: str,
        *,
        expected_version: int,
        expected_revision: int,
        drop_secrets: Sequence[str] = (),
    ) -> ToolRecord:
        """Make the draft the published version; enable it on the first publish.

        `drop_secrets` are noted in the same transaction for `pending_removals`.

        Raises:
            NotFoundError: No such tool.
            ConflictError: Draft version or revision differ: it changed elsewhere.
        """
        ...

    def set_enabled(
        self, tool_id: str, *, enabled: bool, expected_version: int | None = None
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
