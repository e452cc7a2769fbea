"""What a tool call ends in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sparknb.core.errors import ToolCallError
from sparknb.core.problems import Problem

__all__ = ["Approval", "CallStatus", "ResultMeta", "Source", "ToolResult"]

CallStatus = Literal["ok", "error", "timeout", "denied", "cancelled"]
Approval = Literal["none", "once", "session", "flag"]
Source = Literal["model", "test", "direct", "mcp", "workflow", "nested"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultMeta:
    """Measures of one call.

    Attributes:
        duration_ms: Wall-clock time of the run, in milliseconds.
        bytes: UTF-8 length of the capped body text.
        truncated: Whether the body was cut or the text clipped.
    """

    duration_ms: int = 0
    bytes: int = 0
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The outcome of one tool call; a failure is a value here, never an exception.

    Attributes:
        ok: Whether the tool did its work.
        text: What an agent reads: the formatted result, or the failure's sentence.
        data: The JSON value behind the text, where there is one, else None.
        error_code: Code of the failure (docs/errors.md), None when `ok`.
        problems: All causes, each with a path, where the failure has several.
        meta: Time and size.
        request: The request as sent, secrets as `[secret]`; for people, not agents.
        status: HTTP status of the answer, None where there is none.
        trace_id: Id of the trace row, None when none was written.
        printed: What a program printed, for its author, not for agents (ST-43).
    """

    ok: bool
    text: str
    data: Any = None
    error_code: str | None = None
    problems: Sequence[Problem] = ()
    hint: str | None = None
    meta: ResultMeta = field(default_factory=ResultMeta)
    request: Mapping[str, Any] | None = None
    status: int | None = None
    trace_id: str | None = None
    printed: str = ""

    def unwrap(self) -> Any:
        """Give `data`, or the text where there is no data.

        Raises:
            ToolCallError: The call failed; carries the code and the problems.
        """
        if not self.ok:
            code = self.error_code or "EXECUTION_FAILED"
            raise ToolCallError(code, self.text, hint=self.hint, problems=self.problems)
        return self.text if self.data is None else self.data

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{ok, text, printed?, errorCode?, problems?, meta, …}`."""
        wire: dict[str, Any] = {"ok": self.ok, "text": self.text}
        if self.printed:
            wire["printed"] = self.printed
        if self.error_code is not None:
            wire["errorCode"] = self.error_code
        if self.problems:
            wire["problems"] = [p.to_wire() for p in self.problems]
        if self.hint is not None:
            wire["hint"] = self.hint
        wire["meta"] = {
            "durationMs": self.meta.duration_ms,
            "bytes": self.meta.bytes,
            "truncated": self.meta.truncated,
        }
        if self.trace_id is not None:
            wire["traceId"] = self.trace_id
        return wire
