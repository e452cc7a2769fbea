"""Answers what a running program asks: calls of other tools, and sleep."""

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparknb.core.errors import SparknbError
from sparknb.core.protocols import NestedTools
from sparknb.runtimes.monty.session import SLEEPS, Answer, Program
from sparknb.runtimes.monty.workers import Workers
from sparknb.runtimes.turns import deeper

if TYPE_CHECKING:
    from pydantic_monty import FunctionSnapshot, FutureSnapshot

__all__ = ["answered"]

_LONGEST_SLEEP = 86_400.0  # seconds; the clock of the call is shorter


async def answered(program: Program, workers: Workers, tools: NestedTools) -> Answer:
    """Run a program to its end.

    Raises:
        MontyError: It failed, or its worker did.
    """
    pending: dict[int, asyncio.Task[Any]] = {}
    try:
        step = await workers.run(program.lease, program.begin)
        while not isinstance(step, Answer):
            reply = await _reply(step, pending, tools)
            step = await workers.run(program.lease, program.resume, step, reply)
        return step
    finally:
        await _stop(pending)


async def _reply(
    step: "FunctionSnapshot | FutureSnapshot",
    pending: dict[int, asyncio.Task[Any]],
    tools: NestedTools,
) -> Any:
    from pydantic_monty import FutureSnapshot

    if isinstance(step, FutureSnapshot):
        asked = {number: pending[number] for number in step.pending_call_ids}
        await asyncio.wait(asked.values(), return_when=asyncio.FIRST_COMPLETED)
        done = [number for number, task in asked.items() if task.done()]
        return {number: pending.pop(number).result() for number in done}
    if step.function_name == "time.sleep":
        return await _slept(step)  # the one question that is no coroutine
    answer = _slept(step) if step.function_name in SLEEPS else _called(step, tools)
    pending[step.call_id] = asyncio.create_task(answer)
    return {"future": ...}


async def _slept(step: "FunctionSnapshot") -> Mapping[str, Any]:
    seconds = step.args[0] if step.args else 0.0
    is_short = isinstance(seconds, int | float) and seconds < _LONGEST_SLEEP
    await asyncio.sleep(seconds if is_short else _LONGEST_SLEEP)
    return {"return_value": None}


async def _called(step: "FunctionSnapshot", tools: NestedTools) -> Mapping[str, Any]:
    """Carry out one `call_tool`; its refusal is an error of the program."""
    values = dict(zip(("tool_id", "input"), step.args, strict=False))
    is_known = len(step.args) == len(values) and not values.keys() & step.kwargs.keys()
    values |= step.kwargs
    if not is_known or values.keys() != {"tool_id", "input"}:
        return {"exception": TypeError("call_tool takes a tool id and an input")}
    try:
        with deeper():
            found = await tools.call(values["tool_id"], values["input"])
    except SparknbError as error:
        return {"exception": RuntimeError(f"{error.code}: {error.message}")}
    if not _is_carried(found):
        said = "EXECUTION_FAILED: a program cannot hold the answer of this tool"
        return {"exception": RuntimeError(said)}
    return {"return_value": found}


def _is_carried(found: Any) -> bool:
    """Tell whether the sandbox can hold a value, such as no half of a character."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


async def _stop(pending: Mapping[int, asyncio.Task[Any]]) -> None:
    """Stop what the program did not wait for."""
    for task in pending.values():
        task.cancel()
    if pending:
        await asyncio.wait(pending.values())
