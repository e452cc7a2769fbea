"""Definitions as people and programs hand them in, and what the rules make of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import refusal
from sparknb.core.problems import Problem
from sparknb.core.validation import Report, validate, validate_text

__all__ = ["Cases", "Document", "accepted", "report", "strict"]

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


def strict(stored: Mapping[str, Any]) -> ToolDefinition:
    """Check a stored definition against today's rules.

    Raises:
        InvalidInputError: It breaks rules (also the sub-kinds of ST-14).
    """
    return accepted(stored)[0]
