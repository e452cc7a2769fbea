"""What a check of notebooks found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["CellReport", "CheckReport", "NotebookReport", "Verdict"]

Verdict = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReport:
    """One code cell.

    Attributes:
        id: The cell's id in the notebook, else its number among the code cells.
        number: Its number among the code cells, from 1.
        line: Its first line.
        message: Why it failed or was skipped.
    """

    id: str
    number: int
    line: str
    outcome: Verdict
    message: str | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give `{id, outcome, message?}`."""
        wire = {"id": self.id, "outcome": self.outcome}
        return wire if self.message is None else wire | {"message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookReport:
    """One notebook.

    Attributes:
        path: As it was named, or found in a folder that was named.
        message: What is wrong with the notebook as a whole.
    """

    path: str
    cells: Sequence[CellReport]
    message: str | None = None
    is_unusable: bool = False

    @property
    def outcome(self) -> Verdict:
        """Failed if anything failed; skipped if nothing ran."""
        outcomes = {cell.outcome for cell in self.cells}
        if self.is_unusable or "failed" in outcomes:
            return "failed"
        return "passed" if "passed" in outcomes else "skipped"

    def to_wire(self) -> dict[str, Any]:
        """Give `{path, outcome, cells, message?}`."""
        cells = [cell.to_wire() for cell in self.cells]
        wire = {"path": self.path, "outcome": self.outcome, "cells": cells}
        return wire if self.message is None else wire | {"message": self.message}


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All notebooks of one check, in the order in which they were named."""

    notebooks: Sequence[NotebookReport]

    @property
    def is_good(self) -> bool:
        """Whether nothing failed."""
        return all(notebook.outcome != "failed" for notebook in self.notebooks)

    def count(self, outcome: Verdict) -> int:
        """Give the number of cells with this outcome.

        A notebook that could not be read, or run to its end, is one failure more.
        """
        cells = [cell for notebook in self.notebooks for cell in notebook.cells]
        found = sum(cell.outcome == outcome for cell in cells)
        if outcome == "failed":
            found += sum(notebook.is_unusable for notebook in self.notebooks)
        return found

    def to_wire(self) -> dict[str, Any]:
        """Give `{passed, failed, skipped, notebooks}`; the numbers count cells."""
        return {
            "passed": self.count("passed"),
            "failed": self.count("failed"),
            "skipped": self.count("skipped"),
            "notebooks": [notebook.to_wire() for notebook in self.notebooks],
        }
