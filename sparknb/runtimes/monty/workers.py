"""Worker processes of the sandbox: started at first use, one call each at a time.

What speaks to a worker blocks, so it runs in a thread. The sandbox has an interface
for event loops, too; its threads may be about to take Python's lock when Python
ends, and then the whole process is aborted.
"""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sparknb.core.errors import ExecutionFailedError
from sparknb.runtimes.monty.binary import QuietBinary

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession

__all__ = ["Lease", "Workers", "require_sandbox"]

_T = TypeVar("_T")
_INSTALL_HINT = "install it with: pip install pydantic-monty"
_MIB = 1024 * 1024
_LEVELS = 8  # of programs that wait for each other (ST-59); each has its own places
_LONGEST_FAREWELL = 5.0  # seconds
_CALLS_PER_WORKER = 500  # then it is replaced, so that nothing adds up


class Lease:
    """A worker for one call. All but `kill` blocks and belongs into a thread.

    Attributes:
        session: What is spoken to while the worker is held.
    """

    def __init__(self, pool: "Monty", most_mb: int, options: dict[str, Any]) -> None:
        self._pool = pool
        self._most = most_mb * _MIB
        self._options = options
        self.session: MontySession | None = None
        self._lock = threading.Lock()
        self._pid: int | None = None
        self._is_killed = False

    def enter(self) -> "MontySession":
        """Take a worker, with a fresh session."""
        session = self._pool.checkout(**self._options)
        session.__enter__()
        self.session = session
        with self._lock:
            self._pid = session.worker_pid
            is_killed = self._is_killed
        if is_killed:
            self.kill()
        _bound(self._pid, self._most)
        return session

    def leave(self) -> None:
        """Give the worker back; twice is fine."""
        from pydantic_monty import MontyError

        with self._lock:
            session, self.session = self.session, None
            self._pid = None  # from here on it may serve somebody else
        if session is not None:
            with contextlib.suppress(MontyError):
                session.__exit__(None, None, None)

    def kill(self) -> None:
        """End the worker at once, whatever it does; also one that is yet to come."""
        with self._lock:
            self._is_killed = True
            if self._pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, _KILL)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows knows one way only


class Workers:
    """A pool of worker processes; one that dies is replaced.

    Args:
        binary: The program of the sandbox; None for the installed one.
        at_once: Workers for each level of calls.
    """

    def __init__(self, binary: Path | None, at_once: int) -> None:
        self._binary = QuietBinary(binary)
        self._most = at_once * _LEVELS
        self._pool: Monty | None = None
        self._starting = asyncio.Lock()
        self._threads = ThreadPoolExecutor(self._most, "sparknb-monty")
        self._running: set[asyncio.Timeout] = set()
        self._is_closed = False

    @asynccontextmanager
    async def lease(self, most_mb: int, **options: Any) -> AsyncIterator[Lease]:
        """Give a worker for one call; nothing of the call is left afterwards.

        Args:
            most_mb: Data of the process in MiB, above which the system refuses more.
            options: Of the session, as the sandbox calls them.

        Raises:
            ExecutionFailedError: The sandbox is not installed or does not start, or
                was closed meanwhile.
        """
        pool = self._pool or await self._started()
        lease = Lease(pool, most_mb, options)
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._running.add(scope)
                yield lease
        except TimeoutError:
            if not scope.expired():
                raise
            raise _closed() from None
        finally:
            self._running.discard(scope)
            if lease.session is not None:
                lease.kill()
                await self._given_back(lease)

    async def _given_back(self, lease: Lease) -> None:
        """Leave the worker's place to others; a cancelled wait does not undo that."""
        leaving = asyncio.wrap_future(self._threads.submit(lease.leave))
        leaving.add_done_callback(_seen)
        await asyncio.shield(leaving)

    async def run(self, lease: Lease, work: Callable[..., _T], *given: Any) -> _T:
        """Do something that blocks; when it is cancelled, the worker is killed."""
        future = self._threads.submit(work, *given)
        try:
            return await asyncio.wrap_future(future)  # cancelled where none began
        except asyncio.CancelledError:
            lease.kill()  # which ends whatever the thread waits for
            ending = asyncio.wrap_future(future)
            ending.add_done_callback(_seen)
            await asyncio.wait([ending])
            raise

    async def close(self) -> None:
        """End all workers, also those that run."""
        self._is_closed = True
        now = asyncio.get_running_loop().time()
        for scope in self._running:
            scope.reschedule(now)
        async with self._starting:
            pool, self._pool = self._pool, None
            await self._drained()
            if pool is not None:
                await asyncio.to_thread(pool.__exit__, None, None, None)
            self._threads.shutdown(wait=False)
            self._binary.close()

    async def _drained(self) -> None:
        """Wait for those that were told to stop; not for ever."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_FAREWELL):
                while self._running:  # noqa: ASYNC110  # they are on their way out
                    await asyncio.sleep(0.001)

    async def _started(self) -> "Monty":
        async with self._starting:
            if self._is_closed:
                raise _closed()
            if self._pool is None:
                require_sandbox()
                self._pool = await asyncio.to_thread(self._start)
            return self._pool

    def _start(self) -> "Monty":
        self._binary.open()  # until the end: later workers are started by it, too
        try:
            return _entered(self._binary.path, self._most)
        except (OSError, RuntimeError):
            self._binary.close()  # a program in memory may not be allowed
        try:
            return _entered(self._binary.path, self._most)
        except (OSError, RuntimeError):
            raise _missing() from None


def _seen(ended: "asyncio.Future[Any]") -> None:
    """Look at how something ended that nobody waits for any more."""
    if not ended.cancelled():
        ended.exception()


def require_sandbox() -> None:
    """Load the package of the sandbox.

    Raises:
        ExecutionFailedError: It is not installed.
    """
    try:
        import pydantic_monty  # noqa: F401  # others import what they need of it
    except ImportError:
        raise _missing() from None


def _entered(binary: Path | None, most: int) -> "Monty":
    from pydantic_monty import Monty

    pool = Monty(
        binary_path=binary,
        min_processes=1,
        max_processes=most,
        max_checkouts_per_worker=_CALLS_PER_WORKER,
    )
    return pool.__enter__()


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
