"""What is wrong with a cell that nbval lets pass, and how a failure is told."""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbval.plugin import NbCellError, coalesce_streams

from sparknb.testing.difference import difference
from sparknb.testing.hiding import redactor

if TYPE_CHECKING:
    import pytest

__all__ = ["Fault", "cell_fault", "explained"]

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_HEAD = re.compile(r"Traceback \(most recent call last\)|^-{20,}$")
_LONGEST = 4_000
_MOST_PLACES = 5
_RAISED = "Cell execution caused an exception"  # as nbval says it
_DIFFERS = "Cell outputs differ"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a cell fails although its outputs may be equal.

    Attributes:
        explains_more: It is likely the cause of a difference that was found too.
    """

    message: str
    explains_more: bool = False


def cell_fault(
    item: Any, reply: Mapping[str, Any], refused: Sequence[str]
) -> Fault | None:
    """Judge a cell that was run.

    Args:
        item: nbval's item of the cell, with its outputs.
        reply: The kernel's reply to the cell.
        refused: Places elsewhere that the cell wanted to reach.
    """
    if refused:
        shown = ", ".join(refused[:_MOST_PLACES])
        more = len(refused) - _MOST_PLACES
        shown += f" and {more} more" if more > 0 else ""
        return Fault(
            f"The cell wanted to leave this machine: {shown}", explains_more=True
        )
    outputs = item.test_outputs or []
    is_shown = any(output["output_type"] == "error" for output in outputs)
    raised = is_shown or reply.get("status") == "error"
    wants_error = item.options["check_exception"]
    if wants_error and not raised:
        return Fault("The cell is tagged to raise an exception, and raised none")
    if raised and not is_shown and not wants_error:
        kind, text = reply.get("ename", "an error"), reply.get("evalue", "")
        said = f"The cell failed and only printed it: {kind}: {text}"
        return Fault(said, explains_more=True)
    return None


def explained(
    item: Any, caught: "pytest.ExceptionInfo[BaseException] | None", report: Any
) -> str | None:
    """Give in plain words why a cell failed or was skipped."""
    if caught is None:
        return None
    error = caught.value
    if report.skipped:
        if hasattr(report, "wasxfail"):
            return "not compared: a cell before it ran into the time limit"
        return "tagged to be skipped"
    if isinstance(error, NbCellError):
        said = _said(item, error)
    elif type(error).__name__ == "NoSuchKernel":
        name = item.parent.nb.metadata.get("kernelspec", {}).get("name", "")
        said = (
            f"There is no kernel {name!r} here: install it, or choose another in"
            " JupyterLab and save the notebook"
        )
    elif report.when == "setup":
        said = f"The kernel did not start: {error}"
    else:
        said = str(error) or type(error).__name__
    return _clipped(_hidden(said))


def _said(item: Any, error: Any) -> str:
    """Give nbval's finding, with what was raised or the difference in our form."""
    traceback = _ANSI.sub("", error.inner_traceback or "").strip("\n")
    said = str(error)
    raised = [o for o in item.test_outputs or () if o["output_type"] == "error"]
    if said == _RAISED and raised:
        said = f"The cell raised {raised[-1]['ename']}: {raised[-1]['evalue']}"
    elif said == _DIFFERS:
        stored = coalesce_streams(deepcopy(item.cell.outputs))
        found = difference(stored, item.test_outputs or (), item.sanitize, hide=_hidden)
        said = "The outputs differ (- stored, + now)"
        traceback = found or traceback
    lines = [line for line in traceback.splitlines() if not _HEAD.search(line)]
    return "\n".join([said, *lines])


def _hidden(text: str) -> str:
    """Give the text without colours and secrets; before anything is cut off it."""
    return redactor().text(_ANSI.sub("", text))


def _clipped(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
