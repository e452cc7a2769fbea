"""Running the test cases of a tool: all of them, in order, and what came of it kept."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sparknb.core.canonical import digest
from sparknb.core.cases import CaseRun, judge, read_cases
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import InvalidInputError, refusal
from sparknb.core.protocols import ApprovalRequest, Approver, Decision, Registry
from sparknb.core.records import VersionRecord
from sparknb.core.results import Source
from sparknb.host.approval import ask_about, question
from sparknb.host.calls import Caller, CallTarget
from sparknb.host.execution import Execution
from sparknb.host.lookup import Lookup
from sparknb.host.rules import Rules

__all__ = ["CaseRunner"]

_INPUTS_SHOWN = 5

Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Granted:
    """The answer to the question about all cases, given again for each of them."""

    decision: Decision

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Give it."""
        del request
        return Decision(outcome="allow", kind=self.decision.kind)


class CaseRunner:
    """Runs the cases that a version carries, against that version."""

    def __init__(
        self,
        registry: Registry,
        lookup: Lookup,
        execution: Execution,
        rules: Rules,
    ) -> None:
        self._registry = registry
        self._lookup = lookup
        self._execution = execution
        self._rules = rules

    async def run(
        self,
        tool_id: str,
        *,
        version: int | None,
        approver: Approver | None,
        source: Source,
        must_ask: bool,
    ) -> CaseRun:
        """See `Studio.run_cases`."""
        stored = await self._lookup.shown(tool_id, version)
        definition = await self._rules.strict(stored.definition)
        cases = _cases(stored)
        target = CallTarget(
            definition=definition,
            version=stored.version,
            hide_patterns=True,
            must_ask=must_ask,
        )
        caller = Caller(
            source=source, approver=await self._grant(target, cases, approver)
        )
        results = []
        for case in cases:
            result = await self._execution.call(target, case["input"], caller)
            results.append(await asyncio.to_thread(judge, case, result))
        run = CaseRun(
            tool_id=tool_id,
            version=stored.version,
            results=results,
            spec_digest=definition.digest,
            cases_digest=digest(cases),
            ran_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        await asyncio.to_thread(
            self._registry.record_case_run, tool_id, stored.version, run.to_record()
        )
        return run

    async def _grant(
        self, target: CallTarget, cases: Sequence[Case], approver: Approver | None
    ) -> Approver | None:
        """Ask once for all cases, if any of them would come to a question."""
        definition = target.definition
        if definition.risk == "read" and not target.must_ask:
            return approver
        checks = [await self._execution.check(target, case["input"]) for case in cases]
        if all(check.decision == "deny" for check in checks):
            return approver
        request = await self._question(definition, target.version, cases)
        return _Granted(await ask_about(approver, request))

    async def _question(
        self, definition: ToolDefinition, version: int | None, cases: Sequence[Case]
    ) -> ApprovalRequest:
        redactor = await self._execution.redactor([definition])
        shown = {
            "cases": len(cases),
            "inputs": [case["input"] for case in cases[:_INPUTS_SHOWN]],
        }
        return question(definition, version, "cases", redactor, arguments=shown)


def _cases(stored: VersionRecord) -> list[Case]:
    """Give the cases of a version, checked again: they may be older than the rules."""
    cases, problems = read_cases([dict(case) for case in stored.cases])
    if problems:
        raise refusal(problems, f"version {stored.version} of {stored.tool_id}")
    if not cases:
        raise InvalidInputError(
            f"version {stored.version} of {stored.tool_id} has no test cases",
            path="cases",
            hint="save the draft with some (docs/testing.md)",
        )
    return cases
