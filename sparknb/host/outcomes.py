"""What host operations give back; each knows its JSON form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sparknb.core.definitions import ToolDefinition
from sparknb.core.problems import Problem
from sparknb.core.protocols import Preview
from sparknb.core.records import ToolRecord, VersionRecord

__all__ = [
    "CallCheck",
    "Difference",
    "DraftOutcome",
    "StepOutcome",
    "ToolDetail",
    "ToolList",
]


def _problems(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    return [p.to_wire() for p in problems]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOutcome:
    """A stored draft.

    Attributes:
        created: Whether the tool is new.
        unchanged: Whether nothing had to be stored.
        warnings: Warnings of the validation, and what happened to secrets.
        secrets: Whether each declared secret has a value; None for a name when
            the keychain could not be asked.
    """

    tool: ToolRecord
    definition: ToolDefinition
    created: bool
    unchanged: bool
    warnings: Sequence[Problem] = ()
    secrets: Mapping[str, bool | None]

    def to_wire(self) -> dict[str, Any]:
        """Give `{tool, created, unchanged, warnings, secretStatus}`."""
        return {
            "tool": self.tool.to_wire(),
            "created": self.created,
            "unchanged": self.unchanged,
            "warnings": _problems(self.warnings),
            "secretStatus": dict(self.secrets),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """A step in a tool's life that happened."""

    tool: ToolRecord
    warnings: Sequence[Problem] = ()

    def to_wire(self) -> dict[str, Any]:
        """Give `{tool, warnings}`."""
        return {"tool": self.tool.to_wire(), "warnings": _problems(self.warnings)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDetail:
    """All there is to know about one tool.

    Attributes:
        shown: The version asked for, else the pending draft, else the published one.
        secret_status: As in `DraftOutcome.secrets`.
    """

    tool: ToolRecord
    draft: VersionRecord | None
    published: VersionRecord | None
    shown: VersionRecord
    versions: Sequence[VersionRecord]
    secret_status: Mapping[str, bool | None]

    def to_wire(self) -> dict[str, Any]:
        """Give `{tool, shown, draft, published, versions, secretStatus, …}`."""
        last_run = self.shown.case_run
        return {
            "tool": self.tool.to_wire(),
            "shown": {"version": self.shown.version, "status": self.shown.status},
            "definition": dict(self.shown.definition),
            "draft": _definition(self.draft),
            "published": _definition(self.published),
            "versions": [v.to_wire() for v in self.versions],
            "secretStatus": dict(self.secret_status),
            "cases": list(self.shown.cases),
            "lastCaseRun": None if last_run is None else dict(last_run),
        }


def _definition(version: VersionRecord | None) -> dict[str, Any] | None:
    return None if version is None else dict(version.definition)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolList:
    """A page of tools; `total` counts all that match."""

    tools: Sequence[ToolRecord]
    total: int

    def to_wire(self) -> dict[str, Any]:
        """Give `{tools, total, truncated}`."""
        return {
            "tools": [t.to_wire() for t in self.tools],
            "total": self.total,
            "truncated": self.total > len(self.tools),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two versions of a tool, compared line by line.

    Attributes:
        a: Number of the older side.
        b: Number of the newer side.
        lines: Unified diff of the two normal forms as JSON; empty when equal.
        shown: The same for people: a program stands by its own lines.
    """

    tool_id: str
    a: int
    b: int
    lines: Sequence[str]
    shown: Sequence[str]

    def to_wire(self) -> dict[str, Any]:
        """Give `{id, a, b, equal, diff}`."""
        return {
            "id": self.tool_id,
            "a": self.a,
            "b": self.b,
            "equal": not self.lines,
            "diff": "\n".join(self.lines),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCheck:
    """What would become of a call (ST-65).

    Attributes:
        decision: `allow` runs at once, `ask` needs a person, `deny` is refused.
        reason: One sentence.
        error_code: Code of the refusal, None unless `deny`.
        preview: What would be done, None when it cannot be rendered.
    """

    decision: Literal["allow", "ask", "deny"]
    reason: str
    error_code: str | None = None
    problems: Sequence[Problem] = ()
    preview: Preview | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give `{decision, reason, errorCode?, problems, preview}`."""
        wire: dict[str, Any] = {"decision": self.decision, "reason": self.reason}
        if self.error_code is not None:
            wire["errorCode"] = self.error_code
        wire["problems"] = _problems(self.problems)
        shown = self.preview
        wire["preview"] = shown and {
            "method": shown.method,
            "url": shown.url,
            "body": shown.body,
            "dependencies": list(shown.dependencies),
        }
        return wire
