"""A definition as its author wrote it: a file of JSON, or a cell of a notebook."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sparknb.commands.cases import is_of_cases
from sparknb.commands.context import Context
from sparknb.core.errors import SparknbError, refusal
from sparknb.core.problems import Problem

if TYPE_CHECKING:
    from sparknb.core.validation import Report
    from sparknb.host.outcomes import DraftOutcome
    from sparknb.importers.cell import Cell

__all__ = ["Written", "in_cell", "in_file", "judged", "saved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What is needed of a definition, whatever it is written in.

    Attributes:
        subject: How a refusal calls it.
        document: What the host takes.
        flaws: Gives everything that is wrong when the text itself is broken; the
            host then never sees it.
        told: Gives problems of the definition in the words of its author.
        says: Whether the author wrote a key such as `risk`; of a valid one only.
        renamed: How texts are shown that hold a variable.
    """

    subject: str
    document: Any
    says: Callable[[str], bool]
    flaws: Callable[[], Sequence[Problem]] = tuple
    told: Callable[[Sequence[Problem]], Sequence[Problem]] = tuple
    renamed: Mapping[str, str] = field(default_factory=dict)


def in_file(data: bytes) -> Written:
    """Give a definition written as JSON."""
    return Written(
        subject="the definition",
        document=data,
        says=lambda key: key in json.loads(data),
    )


def in_cell(cell: "Cell") -> Written:
    """Give a definition written in a cell."""
    return Written(
        subject="the cell",
        document=cell.document,
        says=cell.says,
        flaws=lambda: cell.check() if cell.problems else (),
        told=cell.told,
        renamed=cell.renamed,
    )


async def judged(context: Context, written: Written) -> "Report":
    """Give the verdict on a definition; stores nothing.

    A host is opened for programs alone: only their runtime sees all of them.
    """
    from sparknb.core.validation import Report, validate, validate_text

    flaws = written.flaws()
    if flaws:
        return Report(tuple(flaws), None)
    document = written.document
    is_text = isinstance(document, bytes)
    report = validate_text(document) if is_text else validate(document)
    if report.definition is not None and report.definition.type == "code":
        report = await (await context.host()).studio.validate(document)
    return replace(report, problems=tuple(written.told(report.problems)))


async def saved(
    context: Context,
    written: Written,
    revision: int | None = None,
    cases: Any = None,
) -> "DraftOutcome":
    """Save a definition as a draft; its cases are kept as they are without new ones.

    Raises:
        InvalidInputError: It breaks rules (also its sub-kinds).
        ConflictError: The draft is not at `revision`.
    """
    flaws = written.flaws()
    if flaws:
        raise refusal(flaws, written.subject)
    studio = (await context.host()).studio
    try:
        outcome = await studio.draft(
            written.document, cases, expected_revision=revision
        )
    except SparknbError as error:
        if not error.problems:
            raise
        is_about_cases = all(is_of_cases(p) for p in error.problems)
        subject = "the list of cases" if is_about_cases else written.subject
        raise refusal(written.told(error.problems), subject) from None
    return replace(outcome, warnings=written.told(outcome.warnings))
