"""What an export file holds, on its way in and on its way out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.problems import Problem

__all__ = [
    "FORMAT_VERSION",
    "LONGEST_MOMENT",
    "MAX_BYTES",
    "MOST_NAMES",
    "MOST_TOOLS",
    "OUR_KEY",
    "Entry",
    "Export",
    "ExportFile",
    "Skip",
    "Source",
]

FORMAT_VERSION = 1
LONGEST_MOMENT = 64
MAX_BYTES = 32 * 1024 * 1024
MOST_NAMES = 16
MOST_TOOLS = 100
OUR_KEY = "x-sparknb"
"""Holds what the original does not know; it refuses a file with this key."""

Cases = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A tool that stays out, and why.

    Attributes:
        id: As written, made fit for a message; None when the entry has none.
        reason: A code.
        message: One sentence.
        issues: All that is wrong; paths are those of the definition, or begin with
            `tools.N` where the entry around it is meant.
        position: Its index among the tools of a file that was read.
    """

    id: str | None
    reason: str
    message: str
    issues: Sequence[Problem] = ()
    position: int | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give `{id, reason, message, issues?}`."""
        wire: dict[str, Any] = {"id": self.id, "reason": self.reason}
        wire["message"] = self.message
        if self.issues:
            wire["issues"] = [p.to_wire() for p in self.issues]
        return wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One tool of a file that can become a draft.

    Attributes:
        position: Its index among the file's tools.
        warnings: Warnings of the validation; rules that are stricter than the
            original's are among them (ST-87).
    """

    position: int
    definition: ToolDefinition
    cases: Cases = ()
    warnings: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile:
    """A file as it was read: what can be imported, and what cannot.

    Attributes:
        notices: What is to be known of the file as a whole.
    """

    entries: Sequence[Entry]
    skipped: Sequence[Skip] = ()
    notices: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A tool that is to be exported: a stored normal form with its test cases."""

    version: int
    definition: Mapping[str, Any]
    cases: Cases = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedTool:
    """A tool in the file.

    Attributes:
        notes: What the original does not do alike, each `NOT_IN_ORIGINAL`.
    """

    id: str
    version: int
    notes: Sequence[Problem] = ()

    def to_wire(self) -> dict[str, Any]:
        """Give `{id, version, notes}`."""
        notes = [p.to_wire() for p in self.notes]
        return {"id": self.id, "version": self.version, "notes": notes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export file as it was written.

    Attributes:
        text: The file; equal tools give equal text.
        payload: The same as a JSON value.
        left_out: Tools that are not in it, and why.
        for_original: Whether it was written for Spark Work's Tool Studio.
        file: Name of the file that holds it; None where none was written.
    """

    text: str
    payload: Mapping[str, Any]
    tools: Sequence[ExportedTool]
    left_out: Sequence[Skip] = ()
    for_original: bool = False
    file: str | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give `{tools, leftOut}`: what is in the file, not the file itself."""
        return {
            "tools": [t.to_wire() for t in self.tools],
            "leftOut": [s.to_wire() for s in self.left_out],
        }

    def __repr__(self) -> str:
        """Give ids and file: the whole text would fill a page."""
        place = f" in {self.file}" if self.file is not None else ""
        return f"<Export of {', '.join(t.id for t in self.tools) or 'no tools'}{place}>"
