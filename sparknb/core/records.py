"""What a registry keeps: tools, versions, traces."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sparknb.core.definitions import Effect, Idempotency, Risk, ToolType
from sparknb.core.errors import ConflictError
from sparknb.core.results import Approval, CallStatus, Source

__all__ = [
    "RETENTION_DAYS",
    "ToolLinks",
    "ToolRecord",
    "TraceRecord",
    "VersionRecord",
]

RETENTION_DAYS = (7, 30, 90, 365)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecord:
    """The state of one tool (ST-70), without its definitions.

    `title`, `description` and the risk triple are those of the pending draft, else
    of the published version: what lists show. Times are UTC.
    """

    id: str
    type: ToolType
    title: str
    description: str
    risk: Risk
    effect: Effect
    idempotency: Idempotency
    enabled: bool
    published_version: int | None
    draft_version: int | None
    draft_revision: int
    origin: Literal["local", "imported"]
    last_test_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def is_pending(self) -> bool:
        """Whether there is a draft that is not published."""
        if self.draft_version is None:
            return False
        published = self.published_version
        return published is None or self.draft_version > published

    @property
    def name(self) -> str:
        """The name an agent sees (ST-74)."""
        return f"custom_{self.id}"

    def require_as(self, seen: "ToolRecord | None") -> None:
        """Let a step pass only in the state that a person was shown, if one was.

        Raises:
            ConflictError: What agents use, the draft, or whether the tool is enabled
                is not as it was `seen`; a tool made anew is another one.
        """
        changes = [] if seen is None else list(self._since(seen))
        if changes:
            raise ConflictError(
                f"{self.id} changed elsewhere meanwhile, so nothing was done: "
                f"{', '.join(changes)}",
                path="id",
                hint="look at it as it is now, then decide again",
            )

    def _since(self, seen: "ToolRecord") -> Iterator[str]:
        """Yield in words what differs, as far as a step depends on it."""
        if self.created_at != seen.created_at:
            yield "it was deleted and made anew"
            return
        if self.published_version != seen.published_version:
            yield f"version {self.published_version} is published by now"
        elif self.is_pending and (self.draft_version, self.draft_revision) != (
            seen.draft_version,
            seen.draft_revision,
        ):
            yield "a draft was saved"
        elif seen.is_pending and not self.is_pending:
            yield "its draft is gone"
        if self.enabled != seen.enabled:
            yield "it is enabled by now" if self.enabled else "it is disabled by now"

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form, camelCase, without times (promise 3)."""
        return {
            "id": self.id,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "type": self.type,
            "risk": self.risk,
            "effect": self.effect,
            "idempotency": self.idempotency,
            "enabled": self.enabled,
            "publishedVersion": self.published_version,
            "draftVersion": self.draft_version,
            "draftRevision": self.draft_revision,
            "pending": self.is_pending,
            "origin": self.origin,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRecord:
    """One version of a tool. `definition` is the normal form as JSON."""

    tool_id: str
    version: int
    status: Literal["draft", "published", "archived"]
    source_version: int | None
    definition: Mapping[str, Any]
    digest: str
    cases: Sequence[Mapping[str, Any]]
    case_run: Mapping[str, Any] | None
    created_at: datetime
    published_at: datetime | None

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form of a row in a version list, without times."""
        return {
            "version": self.version,
            "status": self.status,
            "sourceVersion": self.source_version,
            "specDigest": self.digest,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLinks:
    """Which other tools a version may call.

    Attributes:
        is_published: Whether it is what agents use; else it is a pending draft.
        tool_ids: In the order of the definition, at least one.
    """

    tool_id: str
    version: int
    is_published: bool
    tool_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRecord:
    """One call, without input, output, URL or secret (ST-88)."""

    id: str
    tool_id: str
    tool_version: int | None
    session_id: str | None
    turn_id: str | None
    input_sha256: str
    source: Source
    status: CallStatus
    duration_ms: int
    error_code: str | None
    output_bytes: int
    approval: Approval
    created_at: datetime

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form, camelCase; `createdAt` is ISO 8601 in UTC."""
        wire: dict[str, Any] = {"id": self.id, "toolId": self.tool_id}
        wire["toolVersion"] = self.tool_version
        if self.session_id is not None:
            wire["sessionId"] = self.session_id
        if self.turn_id is not None:
            wire["turnId"] = self.turn_id
        wire |= {
            "inputSha256": self.input_sha256,
            "source": self.source,
            "status": self.status,
            "durationMs": self.duration_ms,
        }
        if self.error_code is not None:
            wire["errorCode"] = self.error_code
        return wire | {
            "outputBytes": self.output_bytes,
            "approval": self.approval,
            "createdAt": self.created_at.isoformat(timespec="milliseconds"),
        }
