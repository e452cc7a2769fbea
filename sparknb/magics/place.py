"""Where the shell runs: a kernel, whose front end may be asked, or a terminal."""

import getpass
import sys
from typing import Any

__all__ = ["Place"]

_LEAST_KERNEL = (7, 4)
"""From this ipykernel on, a click reaches a cell that awaits it."""


class Place:
    """What the shell can ask of the person before it; for the main thread."""

    def __init__(self, shell: Any) -> None:
        self._kernel: Any = getattr(shell, "kernel", None)

    @property
    def has_cards(self) -> bool:
        """Whether a cell can wait for a click."""
        if self._kernel is None:
            return False
        from ipykernel._version import version_info

        return tuple(version_info[:2]) >= _LEAST_KERNEL

    @property
    def allows_input(self) -> bool:
        """Whether somebody can be asked now; a kernel is told so with each cell."""
        if self._kernel is None:
            return sys.stdin is not None and sys.stdin.isatty()
        content = self._kernel.get_parent("shell").get("content", {})
        return bool(content.get("allow_stdin", False))

    def read(self, prompt: str) -> str:
        """Ask for a line; the end of the input is an empty one."""
        try:
            if self._kernel is not None:
                return str(self._kernel.raw_input(prompt))
            return input(prompt)
        except EOFError:
            return ""

    def read_hidden(self, prompt: str) -> str:
        """Ask for a line that is not shown."""
        try:
            if self._kernel is not None:
                return str(self._kernel.getpass(prompt))
            return getpass.getpass(prompt)
        except EOFError:
            return ""
