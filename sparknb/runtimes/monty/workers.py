"""Worker processes of the sandbox: started at first use, one call each at a time."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparknb.core.errors import ExecutionFailedError
from sparknb.runtimes.monty.binary import QuietBinary

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, AsyncMontySession

__all__ = ["Workers", "processors", "require_sandbox"]

_INSTALL_HINT = "install it with: pip install pydantic-monty"

_MIB = 1024 * 1024
_LEVELS = 8  # of programs that wait for each other (ST-59); each has its own places
_CALLS_PER_WORKER = 500  # then it is replaced, so that nothing adds up


class Workers:
    """A pool of worker processes; belongs to one event loop.

    A worker whose call is cancelled is killed at once, one that dies is replaced.

    Args:
        binary: The program of the sandbox; None for the installed one.
        at_once: Workers for each level of calls.
    """

    def __init__(self, binary: Path | None, at_once: int) -> None:
        self._binary = QuietBinary(binary)
        self._most = at_once * _LEVELS
        self._pool: AsyncMonty | None = None
        self._starting = asyncio.Lock()
        self._running: set[asyncio.Timeout] = set()
        self._is_closed = False

    @asynccontextmanager
    async def session(
        self, most_mb: int, **options: Any
    ) -> AsyncIterator["AsyncMontySession"]:
        """Give a fresh session, in a worker of its own.

        Args:
            most_mb: Data of the process in MiB, above which the system refuses more.
            options: Of the session, as the sandbox calls them.

        Raises:
            ExecutionFailedError: The sandbox is not installed or does not start, or
                was closed meanwhile.
        """
        pool = self._pool or await self._started()
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._running.add(scope)
                async with pool.checkout(**options) as session:
                    _bound(session.worker_pid, most_mb * _MIB)
                    yield session
        except TimeoutError:
            if not scope.expired():
                raise
            raise _closed() from None
        finally:
            self._running.discard(scope)

    async def close(self) -> None:
        """End all workers, also those that run."""
        self._is_closed = True
        now = asyncio.get_running_loop().time()
        for scope in self._running:
            scope.reschedule(now)
        async with self._starting:
            pool, self._pool = self._pool, None
            if pool is not None:
                await pool.__aexit__(None, None, None)
            self._binary.close()

    async def _started(self) -> "AsyncMonty":
        async with self._starting:
            if self._is_closed:
                raise _closed()
            if self._pool is None:
                self._pool = await self._start()
            return self._pool

    async def _start(self) -> "AsyncMonty":
        require_sandbox()
        self._binary.open()  # until the end: later workers are started by it, too
        try:
            return await _entered(self._binary.path, self._most)
        except (OSError, RuntimeError):
            self._binary.close()  # a program in memory may not be allowed
        try:
            return await _entered(self._binary.path, self._most)
        except (OSError, RuntimeError):
            raise _missing() from None


def require_sandbox() -> None:
    """Load the package of the sandbox.

    Raises:
        ExecutionFailedError: It is not installed.
    """
    try:
        import pydantic_monty  # noqa: F401  # others import what they need of it
    except ImportError:
        raise _missing() from None


async def _entered(binary: Path | None, most: int) -> "AsyncMonty":
    from pydantic_monty import AsyncMonty

    pool = AsyncMonty(
        binary_path=binary,
        min_processes=1,
        max_processes=most,
        max_checkouts_per_worker=_CALLS_PER_WORKER,
    )
    return await pool.__aenter__()


def _missing() -> ExecutionFailedError:
    return ExecutionFailedError(
        "the sandbox of Python tools is not installed, or does not start",
        hint=_INSTALL_HINT,
    )


def _closed() -> ExecutionFailedError:
    return ExecutionFailedError("sparknb was closed while the program ran")


def _bound(pid: int | None, most: int) -> None:
    """Let the system end a worker whose memory the interpreter does not count."""
    if sys.platform != "linux" or pid is None:
        return
    import resource

    try:
        _, hard = resource.prlimit(pid, resource.RLIMIT_DATA)
        resource.prlimit(pid, resource.RLIMIT_DATA, (most, hard))
    except (OSError, ValueError):  # it died, or a lower limit holds already
        return


def processors() -> int:
    """Give how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
