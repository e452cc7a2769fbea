"""Worker processes of the sandbox: started at first use, one call each at a time."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparknb.core.errors import ExecutionFailedError

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, AsyncMontySession

__all__ = ["INSTALL_HINT", "Workers", "processors"]

INSTALL_HINT = "install it with: pip install pydantic-monty"

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
        self._binary = binary
        self._most = at_once * _LEVELS
        self._pool: AsyncMonty | None = None
        self._starting = asyncio.Lock()
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
            ExecutionFailedError: The sandbox is not installed or does not start.
        """
        pool = self._pool or await self._started()
        async with pool.checkout(**options) as session:
            _bound(session.worker_pid, most_mb * _MIB)
            yield session

    async def close(self) -> None:
        """End all workers, also those that run."""
        self._is_closed = True
        async with self._starting:
            pool, self._pool = self._pool, None
            if pool is not None:
                await pool.__aexit__(None, None, None)

    async def _started(self) -> "AsyncMonty":
        async with self._starting:
            if self._is_closed:
                raise ExecutionFailedError("the sandbox of Python tools is closed")
            if self._pool is None:
                self._pool = await _start(self._binary, self._most)
            return self._pool


async def _start(binary: Path | None, most: int) -> "AsyncMonty":
    try:
        from pydantic_monty import AsyncMonty, MontyError

        pool = AsyncMonty(
            binary_path=binary,
            min_processes=1,
            max_processes=most,
            max_checkouts_per_worker=_CALLS_PER_WORKER,
        )
    except (ImportError, FileNotFoundError):
        raise ExecutionFailedError(
            "the sandbox of Python tools is not installed", hint=INSTALL_HINT
        ) from None
    try:
        return await pool.__aenter__()
    except (OSError, RuntimeError, MontyError) as error:
        raise ExecutionFailedError(
            f"the sandbox of Python tools does not start: {type(error).__name__}",
            hint=INSTALL_HINT,
        ) from error


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
