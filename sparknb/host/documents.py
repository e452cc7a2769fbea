"""Definitions as people and programs hand them in, and what the rules make of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.core.cases import read_cases
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import refusal
from sparknb.core.problems import Problem
from sparknb.core.validation import Report, validate, validate_text

__all__ = ["Cases", "Document", "accepted", "accepted_draft", "report", "strict"]

Document = Mapping[str, Any] | str | bytes
Cases = Sequence[Mapping[str, Any]]


def report(document: Document) -> Report:
    """Check a definition, given as JSON text or as parsed JSON."""
    if isinstance(document, str | bytes):
        return validate_text(document)
    return validate(document)


def accepted(document: Document) -> tuple[ToolDefinition, Sequence[Problem]]:
    """Give a definition that breaks no rule, and the warnings about it.

    Raises:
        InvalidInputError: It breaks rules (also the sub-kinds of ST-14).
    """
    found = report(document)
    if found.definition is None:
        raise refusal(found.problems)
    return found.definition, found.warnings


def accepted_draft(
    document: Document, cases: Cases | None
) -> tuple[ToolDefinition, Sequence[Problem], Cases | None]:
    """Give a definition, the warnings about it, and its cases; None stays None.

    Raises:
        InvalidInputError: The definition or the cases break rules; all are told.
    """
    found = report(document)
    sound, problems = ([], []) if cases is None else read_cases(_as_list(cases))
    if found.definition is None or problems:
        subject = "the draft" if problems else "the definition"
        raise refusal([*found.problems, *problems], subject)
    return found.definition, found.warnings, None if cases is None else sound


def _as_list(cases: Any) -> Any:
    return list(cases) if isinstance(cases, tuple) else cases


def strict(stored: Mapping[str, Any]) -> ToolDefinition:
    """Check a stored definition against today's rules.

    Raises:
        InvalidInputError: It breaks rules (also the sub-kinds of ST-14).
    """
    return accepted(stored)[0]
