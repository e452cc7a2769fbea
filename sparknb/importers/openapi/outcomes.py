"""What comes of the operations of a description: drafts, skips, a list of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.secret_scan import mask_secrets
from sparknb.importers.openapi.sizes import tokens_of

__all__ = ["Draft", "Imported", "Listed", "Skip", "SkipError", "notice"]


class SkipError(Exception):
    """Why no tool can be made of an operation.

    Attributes:
        reason: A code of the use `skip`.
        message: One plain sentence.
        issues: What the validator said, for `INVALID_DEFINITION`.
    """

    def __init__(
        self, reason: str, message: str, issues: Iterable[Problem] = ()
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.issues = tuple(issues)


def notice(message: str) -> Problem:
    """Give the notice of something that is done otherwise, or left out."""
    return Problem(code="IMPORT_NOTICE", message=message, level="notice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A tool made of one operation; it has passed the validator.

    Attributes:
        operation: `METHOD /path` as in the document.
        definition: The normal form, as JSON.
        notices: What is done otherwise or left out, and the validator's warnings.
        secrets: Secret names and what a person enters for each, such as
            `Bearer <token>`.
    """

    operation: str
    definition: dict[str, Any]
    notices: Sequence[Problem] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """About how many tokens of o200k_base an agent reads of it."""
        return tokens_of(
            self.definition["id"],
            self.definition["description"],
            self.definition["inputSchema"],
        )

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{operation, definition, notices, secrets, tokens}`."""
        return {
            "operation": mask_secrets(self.operation),
            "definition": self.definition,
            "notices": [n.to_wire() for n in self.notices],
            "secrets": dict(self.secrets),
            "tokens": self.tokens,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """An operation that no tool was made of.

    Attributes:
        operation: `METHOD /path` as in the document.
        reason: A code of the use `skip`, such as `NO_SERVER`.
        message: One plain sentence.
        issues: The problems of the tool, for `INVALID_DEFINITION`.
    """

    operation: str
    reason: str
    message: str
    issues: Sequence[Problem] = ()

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{operation, reason, message, issues?}`."""
        wire: dict[str, Any] = {
            "operation": mask_secrets(self.operation),
            "reason": self.reason,
            "message": self.message,
        }
        if self.issues:
            wire["issues"] = [p.to_wire() for p in self.issues]
        return wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One draft or one skip for each operation that was asked for.

    Attributes:
        notices: What concerns the document as a whole.
    """

    drafts: Sequence[Draft]
    skipped: Sequence[Skip]
    notices: Sequence[Problem] = ()

    @property
    def operations(self) -> int:
        """How many operations were asked for."""
        return len(self.drafts) + len(self.skipped)

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{drafts, skipped, notices, operations}`."""
        return {
            "drafts": [draft.to_wire() for draft in self.drafts],
            "skipped": [skip.to_wire() for skip in self.skipped],
            "notices": [n.to_wire() for n in self.notices],
            "operations": self.operations,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An operation to choose from.

    Attributes:
        operation: `METHOD /path` as in the document.
        operation_id: As in the document, None without one.
        summary: Cleaned, one line; empty without one.
        skip: The reason why importing it would give a skip, None if it would not.
        tokens: About how many tokens of o200k_base an agent would read of it; 0
            where it would be skipped.
    """

    operation: str
    operation_id: str | None
    summary: str
    tags: Sequence[str]
    deprecated: bool
    skip: str | None
    tokens: int

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form, with the keys in camelCase."""
        return {
            "operation": mask_secrets(self.operation),
            "operationId": self.operation_id,
            "summary": self.summary,
            "tags": list(self.tags),
            "deprecated": self.deprecated,
            "skip": self.skip,
            "tokens": self.tokens,
        }
