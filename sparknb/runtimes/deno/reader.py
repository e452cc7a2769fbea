"""Reads TypeScript sources before they are saved, and again before they run (ST-37).

The parser is Deno's own, in one process that stays: the sources that it is given are
parsed and never run. What a source was found to be is remembered by its digest.
"""

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparknb.core.definitions import SOURCE_PATH
from sparknb.core.problems import Problem
from sparknb.runtimes.deno.launch import Program, find_deno, start
from sparknb.runtimes.refusals import one_line

__all__ = ["Reading", "SourceReader"]

_SCRIPT = Path(__file__).with_name("reader.js")
_HEAP_MB, _DATA_MB = 512, 2048
_START_SECONDS = 30.0
_PARSE_SECONDS = 5.0
_SLOW_SECONDS = 60.0  # until a source that took too long is tried again
_CPU_SECONDS = 60  # for one source, when nobody is left to stop it
_REMEMBERED = 256
_MOST_READ = 300  # sources; the engine keeps what it compiled, so a new process goes on
_MOST = 50  # problems of one source
_LONGEST = 300  # characters of a message
_READY, _ANSWER = b"sparknb ready", b"sparknb answer "
_TOO_DEEP = "the source cannot be parsed: it is nested too deeply"
_TOO_SLOW = f"the source cannot be parsed within {_PARSE_SECONDS:.0f} seconds"
_ENTRY = {
    "none": "the source has no default export",
    "other": "the default export is not a function",
    "assigned": "`export =` is no default export",
}
_HINTS = {
    "CODE_ENTRY": "write: export default async function (input, sdk) { … }",
    "CODE_IMPORT": "use what the language has, and sdk.tools.call for other tools",
}


class _Gone(Exception):  # noqa: N818  # no error yet: it is tried once more
    """The parser ended while it read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a source was found to be.

    Attributes:
        problems: What is wrong with it, in the order of the text.
        source: What may run in its place: without comments that name a source map,
            which Deno would open.
        is_late: Whether the parser was stopped, so that nothing is known.
    """

    problems: Sequence[Problem]
    source: str
    is_late: bool = False


class SourceReader:
    """One parser process, started at first use; belongs to one event loop."""

    def __init__(self, binary: Path | None = None) -> None:
        self._binary = binary
        self._program: Program | None = None
        self._count = 0  # of sources that this process has read
        self._turn = asyncio.Lock()
        self._known: dict[bytes, Reading] = {}
        self._slow: dict[bytes, float] = {}
        self._asked: dict[bytes, asyncio.Task[Reading]] = {}

    async def read(self, source: str) -> Reading:
        """Give what a source is.

        Raises:
            ExecutionFailedError: The parser is not installed or does not start.
        """
        key = hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
        known = self._known.get(key)
        if known is not None:
            return known
        if self._slow.get(key, 0.0) > time.monotonic():
            return _refused(source, _TOO_SLOW, is_late=True)
        task = self._asked.get(key)
        if task is None:
            # its own task: who asked may be stopped while the parser is at work
            task = asyncio.create_task(self._read(key, source))
            self._asked[key] = task
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End the process."""
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._stop()

    async def _read(self, key: bytes, source: str) -> Reading:
        try:
            async with self._turn:
                reading = await self._asking(source)
            if reading.is_late:  # by a busy machine, too: it is tried again, but later
                if len(self._slow) >= _REMEMBERED:
                    self._slow.clear()
                self._slow[key] = time.monotonic() + _SLOW_SECONDS
            else:
                if len(self._known) >= _REMEMBERED:
                    self._known.clear()
                self._known[key] = reading
            return reading
        finally:
            del self._asked[key]

    async def _asking(self, source: str) -> Reading:
        for _ in range(2):  # something else may have ended the process
            try:
                answer = await self._answer(source)
            except _Gone:
                continue
            except TimeoutError:
                return _refused(source, _TOO_SLOW, is_late=True)
            return _reading(source, answer)
        return _refused(source, _TOO_DEEP)

    async def _answer(self, source: str) -> Mapping[str, Any]:
        is_whole = False
        try:
            program = await self._started()
            program.allow_cpu(_CPU_SECONDS)
            stdin = program.process.stdin
            line = json.dumps({"source": source}).encode()
            async with asyncio.timeout(_PARSE_SECONDS):
                if stdin is not None:
                    stdin.write(line + b"\n")
                    with contextlib.suppress(OSError):  # it is seen when we read
                        await stdin.drain()
                found = await _line(program, _ANSWER)
            is_whole = True
            self._count += 1
        finally:
            if not is_whole:
                await self._stop()
        answer: Mapping[str, Any] = json.loads(found)
        return answer

    async def _started(self) -> Program:
        if self._count >= _MOST_READ:
            await self._stop()
        if self._program is None:
            self._count = 0
            self._program = await start(
                find_deno(self._binary),
                "test",
                (),
                str(_SCRIPT),
                heap_mb=_HEAP_MB,
                data_mb=_DATA_MB,
            )
            async with asyncio.timeout(_START_SECONDS):
                await _line(self._program, _READY)
        return self._program

    async def _stop(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            await program.end()


async def _line(program: Program, head: bytes) -> bytes:
    """Give the rest of the next line with this head; Deno writes others too."""
    stdout = program.process.stdout
    while stdout is not None:
        try:
            line = await stdout.readline()
        except ValueError:  # longer than any answer of ours
            break
        if not line:
            break
        if line.startswith(head):
            return line[len(head) :]
    raise _Gone


def _refused(source: str, message: str, *, is_late: bool = False) -> Reading:
    problem = Problem(
        code="CODE_SYNTAX", message=message, path=SOURCE_PATH, strict=True
    )
    return Reading((problem,), source, is_late)


def _reading(source: str, answer: Mapping[str, Any]) -> Reading:
    found = sorted(answer["problems"], key=_order)
    problems = tuple(_problem(*each) for each in found[:_MOST])
    clean = answer["source"]
    return Reading(problems, source if clean is None else clean)


def _order(found: Sequence[Any]) -> tuple[bool, int, int]:
    """Give where a problem stands among all; what is missing is said last."""
    _, what, line, column = found
    return what == "none" or line is None, line or 0, column or 0


def _problem(code: str, what: str, line: int | None, column: int | None) -> Problem:
    match code:
        case "CODE_IMPORT":
            message = f"a tool cannot load anything: {what}"
        case "CODE_ENTRY":
            message = _ENTRY[what]
        case _:
            message = f"the source is no TypeScript: {one_line(what, _LONGEST)}"
    return Problem(
        code=code,
        message=message,
        path=SOURCE_PATH,
        hint=_HINTS.get(code),
        line=line,
        column=column,
        strict=True,
    )
