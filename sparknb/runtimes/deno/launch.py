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
from asyncio.subprocess import DEVNULL, PIPE, Process
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


class Program:
    """One running Deno and the private folder that goes with it."""

    def __init__(self, process: Process, folder: str) -> None:
        self.process = process
        self._folder = folder
        self._ending: asyncio.Task[None] | None = None

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
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            await self.process.wait()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


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
    try:
        process = await asyncio.create_subprocess_exec(
            deno,
            command,
            *_CLOSED,
            v8,
            *flags,
            target,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE if keeps_errors else DEVNULL,
            limit=_READ_AT_ONCE,
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
    _limit(process.pid, data_mb * _MIB, cpu_seconds)
    return Program(process, folder)


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
