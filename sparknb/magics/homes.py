"""The home that a notebook works in, where it is another than the process's own."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

__all__ = ["NotebookHome"]

_VARIABLES = ("SPARKNB_HOME", "SPARKNB_DATABASE_URL")


class NotebookHome:
    """Chooses the home by variables, so that programs started from cells share it.

    Attributes:
        is_temporary: Whether the home is removed when the kernel ends.
    """

    def __init__(self) -> None:
        self.is_temporary = False
        self._before: dict[str, str | None] | None = None
        self._folder: Path | None = None
        self._left: list[Path] = []

    def use_temporary(self) -> None:
        """Make a throw-away home, with a registry of its own whatever is set."""
        self.restore()
        self._remember()
        self._folder = Path(tempfile.mkdtemp(prefix="sparknb-"))
        self.is_temporary = True
        atexit.register(self._end)
        os.environ["SPARKNB_HOME"] = str(self._folder)
        os.environ.pop("SPARKNB_DATABASE_URL", None)

    def use(self, folder: Path) -> None:
        """Use a folder as the home."""
        self.restore()
        self._remember()
        os.environ["SPARKNB_HOME"] = str(folder)

    def restore(self) -> None:
        """Go back to what was set before; a throw-away home waits for `sweep`."""
        for name, value in (self._before or {}).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before = None
        self.is_temporary = False
        folder, self._folder = self._folder, None
        if folder is not None:
            self._left.append(folder)

    def sweep(self) -> None:
        """Remove the throw-away homes that were left; nothing may have them open."""
        while self._left:
            shutil.rmtree(self._left.pop(), ignore_errors=True)
        if self._folder is None:
            atexit.unregister(self._end)

    def _remember(self) -> None:
        self._before = {name: os.environ.get(name) for name in _VARIABLES}

    def _end(self) -> None:
        self.restore()
        self.sweep()
