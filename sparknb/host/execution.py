"""The single way for a call: check, ask, run, redact, trace (ST-47).

Every family of tools comes through here; a family only supplies how to run.
"""

import asyncio
import hashlib
import logging
import secrets as randomness
import time
import traceback
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sparknb.core.canonical import canonical, digest
from sparknb.core.clip import clip
from sparknb.core.definitions import ToolDefinition, VisionSpec
from sparknb.core.errors import (
    DeniedError,
    InvalidInputError,
    SparknbError,
    ToolTimeoutError,
)
from sparknb.core.inputs import apply_defaults, check_input
from sparknb.core.problems import Problem
from sparknb.core.protocols import (
    ApprovalRequest,
    PreparedCall,
    Registry,
    RunOutcome,
)
from sparknb.core.records import TraceRecord
from sparknb.core.redaction import Redactor
from sparknb.core.results import (
    Approval,
    CallStatus,
    ResultMeta,
    ToolResult,
)
from sparknb.core.wording import with_printed
from sparknb.host.approval import ask, question
from sparknb.host.calls import Caller, CallTarget
from sparknb.host.catalog import Catalog
from sparknb.host.dependencies import tools_below
from sparknb.host.nested import NestedCalls
from sparknb.host.outcomes import CallCheck
from sparknb.host.runtimes import Runtimes
from sparknb.host.vault import Vault

__all__ = ["CallTarget", "Caller", "Execution"]

_log = logging.getLogger("sparknb.host")

_LONG = 100_000  # characters; to hide secrets in more takes long
_WIDEST = 4  # bytes of a character; no token is shorter than a byte
_STATUS: dict[str, CallStatus] = {
    "TIMEOUT": "timeout",
    "CANCELLED": "cancelled",
    "DENIED": "denied",
    "APPROVAL_UNAVAILABLE": "denied",
}


@dataclass(slots=True)
class _Call:
    """The state of one call while it is under way."""

    target: CallTarget
    caller: Caller
    arguments: Any
    id: str
    started: float
    approval: Approval = "none"
    redactor: Redactor | None = None


class Execution:
    """Carries out calls; holds no state of its own between them."""

    def __init__(
        self,
        registry: Registry,
        vault: Vault,
        runtimes: Runtimes,
        catalog: Catalog | None = None,
    ) -> None:
        self._registry = registry
        self._vault = vault
        self._runtimes = runtimes
        self._catalog = catalog or Catalog(registry)

    async def call(
        self, target: CallTarget, arguments: Any, caller: Caller
    ) -> ToolResult:
        """Carry out one call; failures come back as data.

        Raises:
            asyncio.CancelledError: The task was cancelled; the trace says so.
        """
        call = _Call(
            target, caller, arguments, randomness.token_hex(16), time.monotonic()
        )
        try:
            outcome = await self._carry_out(call)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and not task.cancelling():
                return self._broken(call, error)  # nobody stopped the call
            self._trace(call, "CANCELLED", 0)
            raise
        except SparknbError as error:
            return self._failed(call, error.code, error)
        except Exception as error:  # noqa: BLE001  # a call never raises out of the host
            return self._broken(call, error)
        return self._succeeded(call, outcome)

    async def check(self, target: CallTarget, arguments: Any) -> CallCheck:
        """Say what would become of the call; asks, sends and traces nothing."""
        try:
            if target.barred is not None:
                raise DeniedError(target.barred)  # one place that maps refusals
            prepared = self._prepare(target, arguments)
            await self._runtimes.require_sound(target.definition)
        except SparknbError as error:
            return CallCheck(
                decision="deny",
                reason=error.message,
                error_code=error.code,
                problems=error.problems,
            )
        risk = target.definition.risk
        if risk == "read":
            reason = "a tool of risk read runs without asking"
            return CallCheck(decision="allow", reason=reason, preview=prepared.preview)
        reason = f"a tool of risk {risk} runs only after a person approved the call"
        return CallCheck(decision="ask", reason=reason, preview=prepared.preview)

    async def redactor(self, definitions: Iterable[ToolDefinition]) -> Redactor:
        """Give what hides the tools' secrets, and whatever looks like one (ST-69).

        Raises:
            KeychainUnavailableError: The keychain cannot be asked.
        """
        found = [await self._vault.known_values(each) for each in definitions]
        return Redactor([v for values in found for v in values], patterns=True)

    # -------------------------------------------------------------- the steps
    async def _carry_out(self, call: _Call) -> RunOutcome:
        target, definition = call.target, call.target.definition
        if target.barred is not None:
            usual = "publish it first" if target.version is None else "enable it first"
            raise DeniedError(target.barred, hint=target.remedy or usual)
        prepared = self._prepare(target, call.arguments)
        if prepared.secret_names:
            await self._require_secrets(definition, prepared)
        nesting = call.caller.nesting
        await self._require_sound(definition, is_outermost=nesting is None)
        if nesting is not None:  # what a person let through covers it (ST-62)
            call.approval = nesting.approval
        elif definition.risk != "read" or target.must_ask:
            prepared = await self._approved(call, prepared)
            target.require_open()
        outcome = await self._timed(call, prepared)
        if nesting is not None:  # a program reads it, not a model
            outcome = replace(outcome, budget=None)
        return await _fit_to_show(outcome, await self._redactor(call))

    def _prepare(self, target: CallTarget, arguments: Any) -> PreparedCall:
        definition = target.definition
        runtime = self._runtimes.of(definition)
        is_vision = isinstance(definition.spec, VisionSpec)
        unweighed = ("images",) if is_vision else ()
        problems = check_input(definition.input_schema, arguments, unweighed=unweighed)
        if problems:
            first = problems[0]
            raise InvalidInputError(
                first.message, path=first.path, hint=first.hint, problems=problems
            )
        filled = apply_defaults(definition.input_schema, arguments)
        return runtime.prepare(definition, filled)

    async def _require_sound(
        self, definition: ToolDefinition, *, is_outermost: bool
    ) -> None:
        """Let a tool run only where the walls around it hold.

        What it may call proves itself now as well: not in the time of the tool.
        """
        await self._runtimes.require_sound(definition)
        if is_outermost:
            for below in tools_below(self._catalog, definition):
                with suppress(SparknbError):  # the nested call will say it
                    await self._runtimes.require_sound(below)

    async def _require_secrets(
        self, definition: ToolDefinition, prepared: PreparedCall
    ) -> None:
        missing = await self._vault.missing(
            definition.id, prepared.secret_names, prepared.origin
        )
        if missing:
            raise self._vault.refusal(definition.id, missing, prepared.origin)

    async def _approved(self, call: _Call, prepared: PreparedCall) -> PreparedCall:
        redactor = await self._redactor(call)
        given = call.arguments

        def asked(prepared: PreparedCall, arguments: Any) -> ApprovalRequest:
            return question(
                call.target.definition,
                call.target.version,
                "test" if call.target.must_ask else "call",
                redactor,
                preview=prepared.preview,
                arguments=arguments,
                call_id=call.id,
            )

        def with_arguments(edited: Mapping[str, Any]) -> ApprovalRequest:
            meant = _as_meant(edited, request.arguments, given)
            try:
                return asked(self._prepare(call.target, meant), meant)
            except SparknbError as error:
                error.message = redactor.text(error.message, cut=True)
                error.problems = _hidden(error.problems, redactor)
                raise

        request = asked(prepared, given)
        request = replace(request, with_arguments=with_arguments)
        decision = await ask(call.caller.approver, request)
        call.approval = decision.kind
        if decision.arguments is None:
            return prepared
        # the trace hashes what is sent
        call.arguments = _as_meant(
            decision.arguments, request.arguments, call.arguments
        )
        return self._prepare(call.target, call.arguments)

    async def _timed(self, call: _Call, prepared: PreparedCall) -> RunOutcome:
        definition = call.target.definition
        call.started = time.monotonic()
        nested = NestedCalls(
            call_tool=self.call,
            catalog=self._catalog,
            target=call.target,
            caller=call.caller,
            approval=call.approval,
        )
        clock = asyncio.timeout(definition.timeout_ms / 1000)
        try:
            async with clock:
                values = await self._vault.values(
                    definition.id, prepared.secret_names, prepared.origin
                )
                await self._redactor(call)
                return await prepared.run(values, nested)
        except Exception as error:
            # Both clocks may have run, and a runtime that is torn down may fail in
            # another way than by the cancellation: the cause decides (ST-17).
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from None
            if clock.expired():
                said = f"no result within {definition.timeout_ms} ms"
                raise ToolTimeoutError(
                    with_printed(said, prepared.printed),
                    hint="raise timeoutMs, or ask the tool for less",
                ) from None
            if isinstance(error, SparknbError):
                nested.advise(error)
            raise
        finally:
            nested.end()

    async def _redactor(self, call: _Call) -> Redactor:
        if call.redactor is None:
            definition = call.target.definition
            values = await self._vault.known_values(definition)
            call.redactor = Redactor(values, patterns=call.target.hide_patterns)
        return call.redactor

    # ------------------------------------------------------------ the endings
    def _succeeded(self, call: _Call, outcome: RunOutcome) -> ToolResult:
        trace_id = self._trace(call, None, outcome.bytes)
        return ToolResult(
            ok=True,
            text=outcome.text,
            data=outcome.data,
            meta=ResultMeta(
                duration_ms=_elapsed(call),
                bytes=outcome.bytes,
                truncated=outcome.truncated,
            ),
            request=outcome.request,
            status=outcome.status,
            trace_id=trace_id,
            printed=outcome.printed,
        )

    def _failed(self, call: _Call, code: str, error: SparknbError) -> ToolResult:
        redactor = call.redactor or Redactor(())
        return ToolResult(
            ok=False,
            text=redactor.text(error.message, cut=True),
            error_code=code,
            problems=_hidden(error.problems, redactor),
            hint=error.hint,
            meta=ResultMeta(duration_ms=_elapsed(call)),
            trace_id=self._trace(call, code, 0),
        )

    def _broken(self, call: _Call, error: BaseException) -> ToolResult:
        redactor = call.redactor or Redactor(())
        lines = traceback.format_exception(error)
        _log.error("a runtime is broken:\n%s", redactor.text("".join(lines)))
        kind = type(error).__name__
        return ToolResult(
            ok=False,
            text=f"the runtime failed with {kind}; this is a fault of sparknb",
            error_code="EXECUTION_FAILED",
            hint="the log of sparknb.host has the traceback: please report it",
            meta=ResultMeta(duration_ms=_elapsed(call)),
            trace_id=self._trace(call, "EXECUTION_FAILED", 0),
        )

    def _trace(self, call: _Call, code: str | None, size: int) -> str | None:
        """Write the row; a trace that cannot be written never changes a result."""
        row = TraceRecord(
            id=call.id,
            tool_id=call.target.definition.id,
            tool_version=call.target.version,
            session_id=call.caller.session_id,
            turn_id=call.caller.turn_id,
            input_sha256=_input_digest(call.arguments),
            source=call.caller.source,
            status="ok" if code is None else _STATUS.get(code, "error"),
            duration_ms=_elapsed(call),
            error_code=code,
            output_bytes=size,
            approval=call.approval,
            created_at=datetime.now(UTC),
        )
        try:
            self._registry.add_traces([row])
        except SparknbError as error:
            _log.warning("a trace was lost: %s", error.message)
            return None
        return call.id


def _hidden(problems: Iterable[Problem], redactor: Redactor) -> tuple[Problem, ...]:
    """Give problems without secrets in what they say."""
    return tuple(
        replace(p, message=redactor.text(p.message, cut=True)) for p in problems
    )


def _as_meant(edited: Any, shown: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Give the edited arguments, with those left as shown in their real value.

    What was shown may be redacted; `[REDACTED]` is never what a person wants sent.
    """
    if not isinstance(edited, Mapping):
        return edited
    return {
        name: given.get(name, value)
        if name in shown and _is_same(value, shown[name])
        else value
        for name, value in edited.items()
    }


def _is_same(value: Any, other: Any) -> bool:
    """Say whether two values are the same JSON; to Python, 1 and true are equal."""
    try:
        return canonical(value) == canonical(other)
    except InvalidInputError:
        return False  # no JSON: the check of the input says so


async def _fit_to_show(outcome: RunOutcome, redactor: Redactor) -> RunOutcome:
    """Give the outcome without secrets, and no longer than its budget.

    Not part of the tool's time: loading the tokenizer is our own business.
    """
    if len(outcome.text) > _LONG:  # others go on meanwhile
        hidden = await asyncio.to_thread(_without_secrets, outcome, redactor)
    else:
        hidden = _without_secrets(outcome, redactor)
    budget = hidden.budget
    if budget is None or len(hidden.text) * _WIDEST <= budget:
        return hidden
    text, is_clipped = await asyncio.to_thread(clip, hidden.text, budget)
    return replace(hidden, text=text, truncated=hidden.truncated or is_clipped)


def _without_secrets(outcome: RunOutcome, redactor: Redactor) -> RunOutcome:
    return replace(
        outcome,
        text=redactor.text(outcome.text, cut=outcome.truncated),
        data=redactor.value(outcome.data),
        printed=redactor.text(outcome.printed, cut=True),
        request=outcome.request and redactor.value(dict(outcome.request)),
    )


def _input_digest(arguments: Any) -> str:
    """Give the digest of the input as sent; also of one that is no JSON."""
    try:
        return digest(arguments)
    except (SparknbError, RecursionError):
        # Not its text: it may have no end, or a fault of its own.
        return hashlib.sha256(type(arguments).__name__.encode()).hexdigest()


def _elapsed(call: _Call) -> int:
    return round((time.monotonic() - call.started) * 1000)
