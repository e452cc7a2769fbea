"""One child process for one call, and what it says.

The child is taken for hostile from the first byte: what it writes is read up to fixed
sizes, and a frame without the nonce of this call ends it.
"""

import asyncio
import base64
import contextlib
import functools
import math
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sparknb.runtimes.deno.launch import Program, start
from sparknb.runtimes.turns import processors

__all__ = ["Broken", "Child", "running"]

_MIB = 1024 * 1024
_FLAGS = ("--no-code-cache",)
_LOOK_SECONDS = 0.04  # between two looks at its memory (ST-41: 50 ms or less)
_BESIDE_HEAP_MB = 192  # resident, with Deno itself
_BACKSTOP_MB = 1024  # of data, which the system holds it to
_START_SECONDS = 10  # of work, in all threads of Deno
_LONGEST_ERROR = 8192  # bytes of stderr that are kept
_LONGEST_FRAME = {  # bytes
    b"printed": 512 * 1024,
    b"call": 8 * _MIB,
    b"failed": 128 * 1024,
    b"odd": 4096,
    b"long": 64,
    b"entry": 0,
}
_OUT_OF_MEMORY = (b"out of memory", b"heap limit", b"memory allocation")


class Broken(Exception):  # noqa: N818  # a reason, turned into an error of the call
    """The child ended, or broke the rules, before it gave a result.

    Attributes:
        is_memory: Whether it took more memory than it may.
    """

    def __init__(self, reason: str, *, is_memory: bool = False) -> None:
        super().__init__(reason)
        self.is_memory = is_memory


class Child:
    """See the module."""

    def __init__(self, program: Program, memory_mb: int, most_output: int) -> None:
        self._program = program
        self._process = program.process
        self._most_resident = (memory_mb + _BESIDE_HEAP_MB) * _MIB
        self._longest = {
            **_LONGEST_FRAME,
            b"text": most_output,
            b"json": most_output,
        }
        self._is_over = False
        self._said = b""
        self._watching = asyncio.create_task(self._watch())
        self._listening = asyncio.create_task(self._listen())

    def kill(self) -> None:
        """End it at once."""
        self._program.kill()

    def stop(self) -> None:
        """Look at it no longer."""
        self._watching.cancel()
        self._listening.cancel()

    async def write(self, line: bytes) -> None:
        """Give it a line; one that is gone is seen when its frames are read."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(line + b"\n")
            with contextlib.suppress(OSError):
                await stdin.drain()

    async def frame(self, nonce: str) -> tuple[str, bytes]:
        """Give the next frame: its kind and what is in it.

        Raises:
            Broken: There is none, or what came is no frame of ours.
        """
        try:
            return await self._frame(nonce.encode())
        except EOFError:
            raise await self._end() from None
        except (ValueError, KeyError, asyncio.LimitOverrunError):
            self.kill()
            reason = "the program wrote where only its sandbox may write"
            raise Broken(reason) from None

    async def _frame(self, nonce: bytes) -> tuple[str, bytes]:
        stdout = self._process.stdout
        if stdout is None:
            raise EOFError
        mark, kind, size = (await stdout.readuntil(b"\n")).split()
        length = int(size)
        if mark != nonce or not 0 <= length <= self._longest[kind]:
            raise ValueError(kind)
        return kind.decode(), await stdout.readexactly(length)

    async def _watch(self) -> None:
        """Kill it when it holds more memory than it may."""
        import psutil

        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            while process.memory_info().rss <= self._most_resident:  # noqa: ASYNC110  # there is no event for it
                await asyncio.sleep(_LOOK_SECONDS)
            self._is_over = True
            self.kill()

    async def _listen(self) -> None:
        """Read what it says on stderr, so that it never waits for us."""
        stderr = self._process.stderr
        while stderr is not None and (piece := await stderr.read(65_536)):
            self._said = (self._said + piece)[:_LONGEST_ERROR]

    async def _end(self) -> Broken:
        status = await self._process.wait()
        await self._listening
        if self._is_over or any(each in self._said.lower() for each in _OUT_OF_MEMORY):
            return Broken("the program ran out of memory", is_memory=True)
        if status < 0:
            with contextlib.suppress(ValueError):
                name = signal.Signals(-status).name
                return Broken(f"the sandbox crashed with {name} while the program ran")
        return Broken(f"the sandbox ended with status {status} while the program ran")


@asynccontextmanager
async def running(
    deno: str, memory_mb: int, most_output: int, seconds: float
) -> AsyncIterator[Child]:
    """Start a child; after that nothing of it is left, however that ends.

    Args:
        deno: The program of Deno.
        memory_mb: Of objects, in MiB; what stands beside them is limited too.
        most_output: Bytes of the result.
        seconds: How long the call may take; its caller holds the clock.
    """
    program = await start(
        deno,
        "run",
        _FLAGS,
        _script(),
        heap_mb=memory_mb,
        data_mb=memory_mb + _BACKSTOP_MB,
        cpu_seconds=_START_SECONDS + math.ceil(seconds) * processors(),
        keeps_errors=True,
    )
    child = Child(program, memory_mb, most_output)
    try:
        yield child
    finally:
        child.kill()
        child.stop()
        await program.end()


@functools.cache
def _script() -> str:
    """Give the trusted script by value: a program sees no path, and no file is read."""
    text = Path(__file__).with_name("child.js").read_bytes()
    return f"data:application/javascript;base64,{base64.b64encode(text).decode()}"
