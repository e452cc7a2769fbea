"""One call of a Python tool, rendered and ready to run."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparknb.core.definitions import CodeSpec, Parameter, ToolDefinition
from sparknb.core.errors import ExecutionFailedError, SparknbError
from sparknb.core.problems import Problem
from sparknb.core.protocols import NestedTools, Preview, RunOutcome
from sparknb.runtimes.monty.failures import Printed, failed, failure
from sparknb.runtimes.monty.program import ARGUMENTS, CALL_TOOL, assembled, read_answer
from sparknb.runtimes.monty.workers import Workers, require_sandbox
from sparknb.runtimes.turns import Turns, deeper

__all__ = ["MontyCall", "arguments_for"]

_MIB = 1024 * 1024
_MOST_SUSPENSIONS = (
    10_000  # calls and sleeps of one program; calls have their own limit
)
_GRACE = 5.0  # seconds; the host's own clock comes first
_RECURSION = 1000  # (ST-41)
_BESIDE_HEAP_MB = 1024  # what the interpreter does not count, at the very most


@dataclass(frozen=True, slots=True, kw_only=True)
class MontyCall:
    """See `core.protocols.PreparedCall`.

    Attributes:
        seconds: Of the host's clock. Should the host die while the program runs, the
            sandbox ends it by itself soon after.
        flaw: What the rules of the source refuse; a definition that was stored by
            another way than ours may have one.
    """

    spec: CodeSpec
    seconds: float
    arguments: Mapping[str, Any]
    flaw: Problem | None
    workers: Workers
    turns: Turns
    preview: Preview
    secret_names: Sequence[str] = ()
    origin: str | None = None

    async def run(self, secrets: Mapping[str, str], tools: NestedTools) -> RunOutcome:
        """See `PreparedCall`."""
        del secrets  # code has none
        if self.flaw is not None:
            raise ExecutionFailedError(
                f"the source breaks a rule: {self.flaw}", hint="save the tool again"
            )
        async with self.turns.turn():
            return await self._run(tools)

    async def _run(self, tools: NestedTools) -> RunOutcome:
        require_sandbox()
        from pydantic_monty import MontyError

        spec, printed, nested = self.spec, Printed(), _Nested(tools)
        limits = {
            "max_memory": spec.memory_mb * _MIB,
            "max_recursion_depth": _RECURSION,
            "max_feed_duration_secs": self.seconds + _GRACE,
            "max_suspensions": _MOST_SUSPENSIONS,
        }
        policy = {"timezone": "utc", "sleep_system_max": float("inf")}
        most_mb = spec.memory_mb + _BESIDE_HEAP_MB
        try:
            async with self.workers.session(
                most_mb, limits=limits, os_policy=policy
            ) as session:
                found = await session.feed_run(
                    assembled(spec.source, max_output_bytes=spec.max_output_bytes),
                    inputs={ARGUMENTS: dict(self.arguments)},
                    external_lookup={CALL_TOOL: nested.call},
                    print_callback=printed,
                )
        except MontyError as error:
            raise failure(error, printed, spec.source) from None
        finally:
            await nested.end()
        return _outcome(found, spec, printed)


class _Nested:
    """The calls of other tools that a program makes."""

    def __init__(self, tools: NestedTools) -> None:
        self._tools = tools
        self._open: set[asyncio.Task[Any]] = set()

    async def call(self, *given: Any, **named: Any) -> Any:
        """Be `call_tool` of the program."""
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
        try:
            tool_id, arguments = _bound(*given, **named)
            with deeper():
                return await self._tools.call(tool_id, arguments)
        except SparknbError as error:
            raise RuntimeError(f"{error.code}: {error.message}") from None
        finally:
            if task is not None:
                self._open.discard(task)

    async def end(self) -> None:
        """Stop what the program did not wait for."""
        left = self._open - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.gather(*left, return_exceptions=True)


def _bound(*given: Any, **named: Any) -> tuple[Any, Any]:
    """Bind what the program called it with, in the words of its signature."""
    values = dict(zip(("tool_id", "input"), given, strict=False))
    if len(given) > len(values) or values.keys() & named.keys():
        raise TypeError("call_tool takes a tool id and an input")
    values |= named
    if values.keys() != {"tool_id", "input"}:
        raise TypeError("call_tool takes a tool id and an input")
    return values["tool_id"], values["input"]


def _outcome(found: object, spec: CodeSpec, printed: Printed) -> RunOutcome:
    answer = read_answer(found)
    if answer is None:
        raise failed("the program replaced what reads its result", printed)
    if answer.kind == "odd":
        reason = f"the result cannot be written as JSON: {answer.text}"
        raise failed(reason, printed, "return texts, numbers, lists and dicts")
    text = answer.text
    size = int(text) if answer.kind == "long" else len(text.encode("utf-8", "replace"))
    if size > spec.max_output_bytes:
        reason = (
            f"the result has {size:,} bytes; maxOutputBytes allows"
            f" {spec.max_output_bytes:,}"
        )
        raise failed(reason, printed, "return less, or raise maxOutputBytes")
    return RunOutcome(
        text=text,
        data=_value(text) if answer.kind == "json" else None,
        bytes=size,
        printed=printed.text,
    )


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# -------------------------------------------------------------- the arguments
def arguments_for(
    definition: ToolDefinition, given: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Give the arguments as Python has them: 5.0 for an integer is 5 (ST-2)."""
    parameters = definition.input_schema.parameters
    return {name: _as_python(value, parameters[name]) for name, value in given.items()}


def _as_python(value: Any, parameter: Parameter) -> Any:
    if parameter.type == "integer":
        return _whole(value)
    if parameter.type == "array" and parameter.item_type == "integer":
        return [_whole(each) for each in value]
    return value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) else value
