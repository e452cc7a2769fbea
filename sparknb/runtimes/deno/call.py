"""One call of a TypeScript tool, rendered and ready to run."""

import asyncio
import json
import re
import secrets as randomness
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparknb.core.definitions import CodeSpec
from sparknb.core.errors import ExecutionFailedError, SparknbError
from sparknb.core.protocols import NestedTools, Preview, RunOutcome
from sparknb.core.wording import with_printed
from sparknb.runtimes.deno.child import Broken, Child, running
from sparknb.runtimes.deno.launch import find_deno
from sparknb.runtimes.deno.reader import SourceReader
from sparknb.runtimes.printed import MOST_PRINTED, Printed
from sparknb.runtimes.refusals import one_line
from sparknb.runtimes.results import value_of
from sparknb.runtimes.turns import Turns, deeper

__all__ = ["DenoCall", "run_source"]

_MOST_CALLS = 2_000  # asked for; the host answers far fewer
_MOST_HELD = 32 * 1024 * 1024  # bytes of calls and answers that are under way
_DEEP = "values nested deeper than"  # as the child says it
_FLATTER = "return it less deeply nested"
_PLAIN = "return texts, numbers, arrays and objects"
_LONG_NUMBER = re.compile(r"\d{16}")
_BLOB = re.compile(r"blob:null/[0-9a-f-]{36}")
_SPOT = re.compile(r"\n    at (?:[^\n]* \()?tool\.ts:(\d{1,9}):(\d{1,9})\b")


@dataclass(slots=True)
class _Run:
    """What is known of a run that is under way."""

    child: Child
    tools: NestedTools
    nonce: str
    printed: Printed
    calls: int = 0
    held: int = 0
    open: set[asyncio.Task[None]] = field(default_factory=set)
    fault: BaseException | None = None

    def failed(self, reason: str, hint: str | None = None) -> ExecutionFailedError:
        """Give the error of the run, with what the program had printed."""
        return ExecutionFailedError(with_printed(reason, self.printed.text), hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenoCall:
    """See `core.protocols.PreparedCall`.

    Attributes:
        seconds: How long it may take; its caller holds the clock.
    """

    spec: CodeSpec
    arguments: Mapping[str, Any]
    reader: SourceReader
    turns: Turns
    seconds: float
    binary: Path | None
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
        async with self.turns.turn():
            reading = await self.reader.read(self.spec.source)
            if reading.problems:
                first = reading.problems[0]
                raise ExecutionFailedError(
                    f"the source breaks a rule: {first}", hint="save the tool again"
                )
            return await run_source(
                reading.source,
                self.spec,
                self.arguments,
                tools,
                seconds=self.seconds,
                binary=self.binary,
                printed=self.kept,
            )


async def run_source(
    source: str,
    spec: CodeSpec,
    arguments: Mapping[str, Any],
    tools: NestedTools,
    *,
    seconds: float,
    binary: Path | None,
    printed: Printed | None = None,
) -> RunOutcome:
    """Run a source that was read; what `spec` says of it is not looked at.

    Raises:
        ExecutionFailedError: The program failed, with the reason.
    """
    async with running(
        find_deno(binary), spec.memory_mb, spec.max_output_bytes, seconds
    ) as child:
        nonce = randomness.token_hex(16)
        run = _Run(child, tools, nonce, Printed() if printed is None else printed)
        try:
            await child.write(_order(source, spec, arguments, run.nonce))
            return await _conversation(run, spec)
        except Broken as error:
            cause = error if run.fault is None else run.fault
            if not isinstance(cause, Broken):
                raise cause from None
            reason, hint = str(cause), None
            if cause.is_memory:
                reason = f"{reason}: it may have {spec.memory_mb} MiB"
                hint = "raise memoryMb, or let the tool hold less at a time"
            raise run.failed(reason, hint) from None
        finally:
            await _end_calls(run)


def _order(
    source: str, spec: CodeSpec, arguments: Mapping[str, Any], nonce: str
) -> bytes:
    order = {
        "nonce": nonce,
        "source": source,
        "input": arguments,
        "mostOutput": spec.max_output_bytes,
        "mostPrinted": MOST_PRINTED,
    }
    return json.dumps(order, allow_nan=False).encode()


async def _conversation(run: _Run, spec: CodeSpec) -> RunOutcome:
    while True:
        kind, body = await run.child.frame(run.nonce)
        if kind == "printed":
            run.printed.take(body)
        elif kind == "call":
            _open_call(run, body)
        else:
            return await _outcome(run, spec, kind, body)


async def _outcome(run: _Run, spec: CodeSpec, kind: str, body: bytes) -> RunOutcome:
    text = body.decode("utf-8", "replace")
    match kind:
        case "text" | "json":
            data = await value_of(text) if kind == "json" else None
            size = len(body)
            return RunOutcome(
                text=text, data=data, bytes=size, printed=run.printed.text
            )
        case "odd":
            reason = f"the result cannot be written as JSON: {one_line(text)}"
            raise run.failed(reason, _FLATTER if text.startswith(_DEEP) else _PLAIN)
        case "long":
            size = int(text) if text.isdecimal() else spec.max_output_bytes + 1
            reason = (
                f"the result has {size:,} bytes; maxOutputBytes allows"
                f" {spec.max_output_bytes:,}"
            )
            raise run.failed(reason, "return less, or raise maxOutputBytes")
        case "entry":
            raise run.failed("the default export is not a function")
        case _:
            raise run.failed(_reason(text))


# -------------------------------------------------------------- nested calls
def _open_call(run: _Run, body: bytes) -> None:
    run.calls += 1
    if run.calls > _MOST_CALLS:
        run.child.kill()
        raise Broken(f"the program asked for more than {_MOST_CALLS:,} calls")
    _hold(run, len(body))
    task = asyncio.create_task(_answer(run, body))
    run.open.add(task)
    task.add_done_callback(lambda done: _close_call(run, done))


def _close_call(run: _Run, task: asyncio.Task[None]) -> None:
    run.open.discard(task)
    fault = None if task.cancelled() else task.exception()
    if fault is not None:  # a fault of ours: the call ends with it
        run.fault = fault
        run.child.kill()


def _hold(run: _Run, size: int) -> None:
    """Count what the host keeps for the program; one that hoards is ended."""
    run.held += size
    if run.held > _MOST_HELD:
        run.child.kill()
        raise Broken("the program asks for more than it takes the answers of")


async def _answer(run: _Run, body: bytes) -> None:
    size = len(body)
    line = await _answered(run, body)
    del body  # the program may let us wait for long
    run.held -= size
    if line is None:
        return
    _hold(run, len(line))
    await run.child.write(line)
    run.held -= len(line)


async def _answered(run: _Run, body: bytes) -> bytes | None:
    """Give the answer to a call; None where nobody waits for one."""
    try:
        number, tool_id, given = json.loads(body)
        if type(number) is not int:
            return None
    except (ValueError, TypeError, RecursionError):
        return None  # no frame of ours
    try:
        with deeper():
            value = await run.tools.call(tool_id, given)
        return _line(number, None, value)
    except SparknbError as error:
        return _line(number, error.code, error.message)
    except (ValueError, RecursionError):
        return _line(number, "EXECUTION_FAILED", "the result cannot be given to code")


def _line(number: int, code: str | None, value: Any) -> bytes:
    written = json.dumps(value, allow_nan=False)
    # a number in it may be one that JavaScript would round
    is_long = _LONG_NUMBER.search(written) is not None
    head = json.dumps({"id": number, "code": code, "isLong": is_long})
    return f'{head[:-1]}, "value": {written}}}'.encode()


async def _end_calls(run: _Run) -> None:
    """Stop what the program did not wait for."""
    left = list(run.open)
    for task in left:
        task.cancel()
    if left:
        await asyncio.gather(*left, return_exceptions=True)


# ------------------------------------------------------------------ the words
def _reason(text: str) -> str:
    """Give why the program failed, from what the child says of it."""
    try:
        said, stack = json.loads(text)
        said, stack = str(said), str(stack)
    except (ValueError, TypeError, RecursionError):
        said, stack = "an error that cannot be read", ""
    said = one_line(_BLOB.sub("tool.ts", said))
    spot = _SPOT.search(stack)
    where = f" (line {spot[1]}, column {spot[2]})" if spot else ""
    return f"the program failed: {said}{where}"
