"""The program of the sandbox, started so that it neither hears Ctrl-C nor speaks.

Ctrl-C reaches the whole process group. A worker that ends by it would take along the
call of somebody else, and whoever pressed it cancels the own call anyway. What a
worker writes on its way to a crash would land in the output of a notebook.
"""

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

__all__ = ["QuietBinary"]

_NAME = "monty"


class QuietBinary:
    """Gives the path of a program that becomes the sandbox's, but quiet.

    On Linux a line of shell that only this process holds, in memory; elsewhere, and
    where that is forbidden, the program itself.
    """

    def __init__(self, binary: Path | None) -> None:
        self._binary = binary or _found()
        self._held: int | None = None

    def open(self) -> None:
        """Make the line, where that is possible."""
        if self._held is not None or sys.platform != "linux":
            return
        if self._binary is None or not os.access(self._binary, os.X_OK):
            return
        program = shlex.quote(str(self._binary))
        line = f"trap '' INT; unset PWD; exec {program} \"$@\" 2>/dev/null"
        try:
            held = os.memfd_create(_NAME)
        except OSError:
            return
        os.write(held, f"#!/bin/sh\n{line}\n".encode())
        self._held = held

    def close(self) -> None:
        """Let go of the line, so that `path` is the program itself."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    @property
    def path(self) -> Path | None:
        """What is to be started; None where the sandbox may look by itself."""
        if self._held is None:
            return self._binary
        return Path(f"/proc/{os.getpid()}/fd/{self._held}")


def _found() -> Path | None:
    installed = Path(sysconfig.get_path("scripts")) / _NAME
    if installed.is_file():
        return installed
    found = shutil.which(_NAME)
    return None if found is None else Path(found)
