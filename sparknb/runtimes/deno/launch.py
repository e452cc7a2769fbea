"""Starts Deno with nothing of this machine in reach.

Deno is never started on a program of a user: what stands in the graph of the file it
is started with may read local files without any permission. It is started on a text
of ours, given as a `data:` URL or as a file of this package.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process, SubprocessStreamProtocol
from collections.abc import Sequence
from pathlib import Path

from sparknb.core.errors import ExecutionFailedError

__all__ = ["Program", "find_deno", "start"]

_CLOSED = (
    "--no-prompt",  # a permission that is missing is refused, nobody is asked
    "--no-remote",
    "--no-npm",
    "--no-config",
    "--no-lock",
    "--cached-only",
    "--no-check",
    "--node-modules-dir=none",
)
_ENGINE = (
    "--disallow-code-generation-from-strings",
    "--single-threaded",  # a short program ends before helpers have started
)
_DATABASES = ("dep_analysis_cache_v2", "node_analysis_cache_v2")
_READ_AT_ONCE = 1024 * 1024
_MIB = 1024 * 1024
_LONGEST_FAREWELL = 10.0  # seconds that the system may take to end one that was killed


class Program:
    """One running Deno and the private folder that goes with it."""

    def __init__(
        self, process: Process, pipes: asyncio.SubprocessTransport, folder: str
    ) -> None:
        self.process = process
        self._pipes = pipes
        self._folder = folder

    def kill(self) -> None:
        """End the whole process group at once."""
        if self.process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)

    def allow_cpu(self, seconds: int) -> None:
        """Have the system end it when it works longer than this from now on."""
        if sys.platform != "linux":
            return
        import resource

        import psutil

        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            used = psutil.Process(self.process.pid).cpu_times()
            most = int(used.user + used.system) + seconds
            resource.prlimit(self.process.pid, resource.RLIMIT_CPU, (most, -1))

    async def end(self) -> None:
        """Kill it, and wait until nothing of it is left; also while cancelled."""
        self.kill()
        self._close_pipes()
        latest = asyncio.get_running_loop().time() + _LONGEST_FAREWELL
        stopped: asyncio.CancelledError | None = None
        is_left = True
        while is_left:
            try:
                async with asyncio.timeout_at(latest):
                    await self.process.wait()
                is_left = False
            except TimeoutError:
                is_left = False  # it is killed; the system holds it
            except asyncio.CancelledError as error:
                stopped = error  # said when nothing is left
        shutil.rmtree(self._folder, ignore_errors=True)
        if stopped is not None:
            raise stopped

    def _close_pipes(self) -> None:
        """Let go of all that it wrote and was to read.

        Its end is told only when all pipes are at theirs, and one of which more came
        than was read would never be.
        """
        if self.process.stdin is not None:
            self.process.stdin.close()  # what it was still to read fails
        for number in (1, 2):
            pipe = self._pipes.get_pipe_transport(number)
            if pipe is not None:
                pipe.close()


def find_deno(binary: Path | None = None) -> str:
    """Give the program of Deno.

    Raises:
        ExecutionFailedError: It is not installed.
    """
    if binary is None:
        try:
            from deno import find_deno_bin

            binary = Path(find_deno_bin())
        except (ImportError, OSError):
            binary = None
    if binary is None or not os.access(binary, os.X_OK):
        raise ExecutionFailedError(
            "Deno, the sandbox of TypeScript tools, is not installed",
            hint="install it with: pip install 'deno>=2.9,<3'",
        )
    return str(binary)


async def start(
    deno: str,
    command: str,
    flags: Sequence[str],
    target: str,
    *,
    heap_mb: int,
    data_mb: int,
    cpu_seconds: int | None = None,
    keeps_errors: bool = False,
) -> Program:
    """Start Deno on a text of ours, in an empty folder and an empty environment.

    Args:
        deno: The program of Deno.
        command: `run` or `test`.
        flags: More options of the command.
        target: What it starts: a file of this package or a `data:` URL.
        heap_mb: Of objects, in MiB.
        data_mb: Of all its memory, in MiB; where the system can hold it to that.
        cpu_seconds: Of work, where the system can hold it to that: one that works
            on when we were killed ourselves ends by it.
        keeps_errors: Whether its stderr can be read.

    Raises:
        ExecutionFailedError: The system does not start it.
    """
    folder = _private_folder()
    v8 = f"--v8-flags=--max-heap-size={heap_mb},{','.join(_ENGINE)}"
    loop = asyncio.get_running_loop()
    try:
        # what `create_subprocess_exec` does; it keeps the pipes to itself
        pipes, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(limit=_READ_AT_ONCE, loop=loop),
            deno,
            command,
            *_CLOSED,
            v8,
            *flags,
            target,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE if keeps_errors else DEVNULL,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,  # an interrupt of the notebook is not for it
        )
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ExecutionFailedError(
            f"the sandbox cannot be started: {error.strerror}",
            hint="see whether the machine has memory and processes left",
        ) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    process = Process(pipes, protocol, loop)
    _limit(process.pid, data_mb * _MIB, cpu_seconds)
    return Program(process, pipes, folder)


def _private_folder() -> str:
    """Make the folder that Deno has for itself.

    It would make two databases there, of what it once learned about modules, and wait
    for the disk each time. Where folders have their names, it goes on without them.
    """
    folder = tempfile.mkdtemp(prefix="sparknb-deno-")
    for name in _DATABASES:
        (Path(folder) / name).mkdir()
    return folder


def _environment(folder: str) -> dict[str, str]:
    """Give what Deno itself must know; a program cannot read it."""
    known = {
        "DENO_DIR": folder,
        "DENO_DISABLE_NODE_SHIM": "1",  # nobody starts a Node from here
        "DENO_EMIT_CACHE_MODE": "disable",  # what it compiles is not written down
        "DENO_NO_UPDATE_CHECK": "1",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }
    if sys.platform == "win32":
        known["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", r"C:\Windows")
    return known


def _limit(pid: int, data: int, work: int | None) -> None:
    """Have the system hold the process to so much memory and work, and to no core."""
    if sys.platform != "linux":
        return
    import resource

    with contextlib.suppress(ProcessLookupError, PermissionError):
        resource.prlimit(pid, resource.RLIMIT_DATA, (data, data))
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
        if work is not None:
            resource.prlimit(pid, resource.RLIMIT_CPU, (work, work))
