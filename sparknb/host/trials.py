"""Running a tool for its author: a draft, a version, a definition not yet saved."""

import asyncio
import logging
from typing import Any

from sparknb.core.cases import CaseRun
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import InvalidInputError, SparknbError
from sparknb.core.protocols import Approver, Registry
from sparknb.core.results import Source, ToolResult
from sparknb.host.cases import CaseRunner
from sparknb.host.cleanup import Cleanup
from sparknb.host.documents import Document
from sparknb.host.execution import Caller, CallTarget, Execution
from sparknb.host.lookup import Lookup
from sparknb.host.rules import Rules

__all__ = ["Trials"]

_log = logging.getLogger("sparknb.host")


class Trials:
    """Tests of tools; `Studio` documents what each of them refuses."""

    def __init__(
        self,
        *,
        registry: Registry,
        lookup: Lookup,
        execution: Execution,
        rules: Rules,
        cleanup: Cleanup,
        approver: Approver | None,
    ) -> None:
        self._registry = registry
        self._lookup = lookup
        self._execution = execution
        self._rules = rules
        self._cleanup = cleanup
        self._approver = approver
        self._cases = CaseRunner(registry, lookup, execution, rules)

    async def test(
        self,
        target: str | Document,
        arguments: Any,
        *,
        version: int | None,
        approver: Approver | None,
        source: Source,
        must_ask: bool,
    ) -> ToolResult:
        """See `Studio`."""
        if isinstance(target, str) and not target.lstrip().startswith("{"):
            stored = await self._lookup.shown(target, version)
            definition = await self._rules.strict(stored.definition)
            number = stored.version
        else:
            definition, _ = await self._rules.accepted(target)
            number = None
            await asyncio.to_thread(self.allow_unsaved, definition)
        tested = CallTarget(
            definition=definition,
            version=number,
            hide_patterns=True,
            must_ask=must_ask,
        )
        caller = Caller(source=source, approver=approver or self._approver)
        try:
            return await self._execution.call(tested, arguments, caller)
        finally:  # also after a failure or a cancellation
            await asyncio.to_thread(self._mark_tested, definition.id)

    async def run_cases(
        self,
        tool_id: str,
        *,
        version: int | None,
        approver: Approver | None,
        source: Source,
        must_ask: bool,
    ) -> CaseRun:
        """See `Studio`."""
        try:
            return await self._cases.run(
                tool_id,
                version=version,
                approver=approver or self._approver,
                source=source,
                must_ask=must_ask,
            )
        finally:
            await asyncio.to_thread(self._mark_tested, tool_id)

    def _mark_tested(self, tool_id: str) -> None:
        """Note the time of a test; what cannot be noted never changes its result."""
        try:
            self._registry.mark_tested(tool_id)
        except SparknbError as error:
            _log.warning("the time of a test was not noted: %s", error.message)

    def allow_unsaved(self, definition: ToolDefinition) -> None:
        """Refuse an unsaved definition that reaches for what it may not have.

        Raises:
            InvalidInputError: It is of another type than the saved tool, or uses a
                secret that this one does not declare.
        """
        record = self._registry.get(definition.id)
        if record is not None and record.type != definition.type:
            raise InvalidInputError(
                f"the saved tool {definition.id} is of type {record.type}", path="type"
            )
        allowed = self._cleanup.declared_names(definition.id) if record else set()
        foreign = [name for name in definition.secrets if name not in allowed]
        if foreign:
            raise InvalidInputError(
                f"an unsaved definition cannot use the secret {foreign[0]}",
                path=f"secretRefs.{foreign[0]}",
                hint="save the draft first, then set the secret",
            )
