"""All that a definition must obey: the rules of core, and what its runtime sees.

A runtime looks at what the rules let through: it is given whole definitions only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.errors import refusal
from sparknb.core.problems import Problem
from sparknb.core.validation import Report
from sparknb.host.documents import (
    Cases,
    Document,
    accepted,
    accepted_draft,
    report,
    strict,
)
from sparknb.host.runtimes import Runtimes

__all__ = ["Rules"]


class Rules:
    """Judges definitions as they are handed in, and as they are stored."""

    def __init__(self, runtimes: Runtimes) -> None:
        self._runtimes = runtimes

    async def report(self, document: Document) -> Report:
        """Check a definition, given as JSON text or as parsed JSON."""
        found = report(document)
        if found.definition is None:
            return found
        return found.also(await self._runtimes.check(found.definition))

    async def accepted(
        self, document: Document
    ) -> tuple[ToolDefinition, Sequence[Problem]]:
        """Give a definition that breaks no rule, and the warnings about it.

        Raises:
            InvalidInputError: It breaks rules (also the sub-kinds of ST-14).
        """
        definition, warnings = accepted(document)
        return definition, [*warnings, *await self._seen(definition)]

    async def accepted_draft(
        self, document: Document, cases: Cases | None
    ) -> tuple[ToolDefinition, Sequence[Problem], Cases | None]:
        """Give a definition, the warnings about it, and its cases; None stays None.

        Raises:
            InvalidInputError: The definition or the cases break rules.
        """
        definition, warnings, sound = accepted_draft(document, cases)
        return definition, [*warnings, *await self._seen(definition)], sound

    async def strict(self, stored: Mapping[str, Any]) -> ToolDefinition:
        """Check a stored definition against today's rules.

        Raises:
            InvalidInputError: It breaks rules (also the sub-kinds of ST-14).
        """
        definition = strict(stored)
        await self._seen(definition)
        return definition

    async def live(self, definition: ToolDefinition) -> Sequence[Problem]:
        """Give what keeps agents from using a valid definition, as errors.

        What could not be looked at keeps them from it too: the draft waits.
        """
        found = await self._runtimes.check(definition)
        return [
            replace(problem, level="error")
            for problem in found
            if problem.level == "error" or problem.code == "CHECK_SKIPPED"
        ]

    async def imported(self, definition: ToolDefinition) -> Sequence[Problem]:
        """Give what a runtime sees in a definition of an export file (ST-87).

        The original read TypeScript less closely than we do: what is wrong with it
        only warns, until the draft is saved again.
        """
        found = await self._runtimes.check(definition)
        spec = definition.spec
        if not isinstance(spec, CodeSpec) or spec.language != "typescript":
            return found
        return [
            replace(problem, level="warning", strict=True)
            if problem.level == "error"
            else problem
            for problem in found
        ]

    async def _seen(self, definition: ToolDefinition) -> Sequence[Problem]:
        """Give the warnings of the runtime.

        Raises:
            InvalidInputError: It sees mistakes.
        """
        found = await self._runtimes.check(definition)
        if any(problem.level == "error" for problem in found):
            raise refusal(found)
        return found
