"""One call of a Python tool, rendered and ready to run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.definitions import CodeSpec, Parameter, ToolDefinition
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.problems import Problem
from sparknb.core.protocols import NestedTools, Preview, RunOutcome
from sparknb.runtimes.monty.answering import answered
from sparknb.runtimes.monty.failures import MOST_QUESTIONS, failed, failure, thrown
from sparknb.runtimes.monty.program import longest
from sparknb.runtimes.monty.session import Answer, Program
from sparknb.runtimes.monty.workers import Workers, require_sandbox
from sparknb.runtimes.printed import Printed
from sparknb.runtimes.refusals import one_line
from sparknb.runtimes.results import value_of
from sparknb.runtimes.turns import Turns

__all__ = ["MontyCall", "arguments_for"]

_MIB = 1024 * 1024
_MOST_SUSPENSIONS = 2 * MOST_QUESTIONS  # to ask is one, to await the answer another
_LONGEST_REASON = 600  # characters of what is wrong with a result
_NOT_AWAITED = "a coroutine"
_AWAIT = "a call was not awaited: write await before it, as in await call_tool(...)"
_RETURNABLE = "return texts, numbers, lists and dicts"
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
    kept: Printed = field(default_factory=Printed)

    @property
    def printed(self) -> str:
        """See `PreparedCall`."""
        return self.kept.text

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

        limits = {
            "max_memory": self.spec.memory_mb * _MIB,
            "max_recursion_depth": _RECURSION,
            "max_feed_duration_secs": self.seconds + _GRACE,
            "max_suspensions": _MOST_SUSPENSIONS,
        }
        policy = {"timezone": "utc", "sleep": "call_host"}
        printed = self.kept
        async with self.workers.lease(
            self.spec.memory_mb + _BESIDE_HEAP_MB, limits=limits, os_policy=policy
        ) as lease:
            program = Program(
                lease=lease,
                source=self.spec.source,
                arguments=dict(self.arguments),
                max_output_bytes=self.spec.max_output_bytes,
                printed=printed,
            )
            try:
                answer = await answered(program, self.workers, tools)
            except MontyError as error:
                raise failure(error, printed) from None
            except (ValueError, TypeError, OverflowError, RecursionError):
                reason = "an argument or a nested result cannot be given to the program"
                raise failed(reason, printed) from None
        return await _outcome(answer, self.spec, printed)


async def _outcome(answer: Answer, spec: CodeSpec, printed: Printed) -> RunOutcome:
    if answer.thrown:
        raise thrown(answer.thrown, printed)
    if answer.odd:
        odd = one_line(answer.odd, _LONGEST_REASON)
        reason = f"the result cannot be written as JSON: {odd}"
        is_call = answer.odd.startswith(_NOT_AWAITED)
        raise failed(reason, printed, _AWAIT if is_call else _RETURNABLE)
    text, most = answer.text, spec.max_output_bytes
    data, is_text, is_cut = None, text.startswith('"'), len(text) >= longest(most)
    if not is_cut and (is_text or len(text) <= most):  # else it is not taken at all
        data = await value_of(text)  # a program may have put its own in its place
        text = data if is_text and isinstance(data, str) else text
    size = len(text.encode("utf-8", "replace"))
    if is_cut or size > most:
        shown = f"more than {most:,}" if is_cut else f"{size:,}"
        reason = f"the result has {shown} bytes; maxOutputBytes allows {most:,}"
        raise failed(reason, printed, "return less, or raise maxOutputBytes")
    return RunOutcome(
        text=text,
        data=None if is_text else data,
        bytes=size,
        printed=printed.text,
    )


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
