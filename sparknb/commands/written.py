"""A definition as its author wrote it: a file of JSON, or a cell of a notebook."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sparknb.commands.cases import is_of_cases
from sparknb.commands.context import Context
from sparknb.core.definitions import SOURCE_PATH
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
        flaws: Gives everything that is wrong when the text itself, or what is said
            beside a program, is broken: what else was seen in the program is given.
        program: A definition with the program of this one that is sound in all else;
            None where there is none.
        told: Gives problems of the definition in the words of its author.
        says: Whether the author wrote a key such as `risk`; of a valid one only.
        renamed: How texts are shown that hold a variable.
    """

    subject: str
    document: Any
    says: Callable[[str], bool]
    flaws: Callable[[Sequence[Problem]], Sequence[Problem]] = tuple
    program: Mapping[str, Any] | None = None
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

    def flaws(seen: Sequence[Problem]) -> Sequence[Problem]:
        if not cell.problems and cell.program is None:
            return ()
        found = cell.check(seen)
        return found if any(p.level == "error" for p in found) else ()

    return Written(
        subject="the cell",
        document=cell.document,
        says=cell.says,
        flaws=flaws,
        program=cell.program,
        told=cell.told,
        renamed=cell.renamed,
    )


async def judged(context: Context, written: Written) -> "Report":
    """Give the verdict on a definition; stores nothing.

    A host is opened for programs alone: only their runtime sees all of them.
    """
    from sparknb.core.validation import Report, validate, validate_text

    flaws = await _flaws(context, written)
    if flaws:
        return Report(tuple(flaws), None)
    document = written.document
    is_text = isinstance(document, bytes)
    report = validate_text(document) if is_text else validate(document)
    if report.definition is not None and report.definition.type == "code":
        report = await (await context.host()).studio.validate(document)
    return replace(report, problems=tuple(written.told(report.problems)))


async def _flaws(context: Context, written: Written) -> Sequence[Problem]:
    """Give all that is wrong with a text the host is not to see as it is.

    Its program is looked at all the same, so that nothing waits for the next attempt.
    """
    flaws = written.flaws(())
    if not flaws or written.program is None:
        return flaws
    report = await (await context.host()).studio.validate(written.program)
    return written.flaws([p for p in report.errors if p.path == SOURCE_PATH])


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
    flaws = await _flaws(context, written)
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
