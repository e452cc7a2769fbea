"""The closed room that a notebook runs in: home, keychain, keys, port, no network."""

import os
import random
import shutil
import site
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sparknb.core.secret_variables import SECRET_VARIABLES
from sparknb.testing import guard
from sparknb.tutorials import example_secrets

__all__ = ["Room", "as_environment", "open_room"]

_PORT = "SPARKNB_EXAMPLES_PORT"
_DROPPED = {
    "CLICOLOR_FORCE",
    "DBUS_SESSION_BUS_ADDRESS",
    "FORCE_COLOR",
    "PY_COLORS",
    "PYTHONSTARTUP",
}
_FIXED = {
    "COLUMNS": "80",
    "NO_COLOR": "1",
    "PYTHONHASHSEED": "0",
    "SPARKNB_KEYCHAIN": "env",
    "TZ": "UTC",
}
_LESSONS = 20  # ports that notebooks count on from the first one
_PORTS = range(10_000, 32_000)  # below those that systems hand out by themselves


class Room:
    """A folder with all that belongs to one run of one notebook.

    Attributes:
        folder: Removed with everything in it by `close`.
        variables: The environment of the notebook's kernel.
    """

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self.folder = folder
        self.variables = variables
        self._seen = 0

    @property
    def is_watched(self) -> bool:
        """Whether the guard has begun its work in a process of this room."""
        return (self.folder / "site" / "watched").exists()

    def refused(self) -> tuple[str, ...]:
        """Give the places that the guard refused since this was asked last."""
        try:
            noted = (self.folder / "site" / "refused").read_text("utf-8", "replace")
        except FileNotFoundError:
            return ()
        lines = noted.splitlines()
        new, self._seen = lines[self._seen :], len(lines)
        return tuple(dict.fromkeys(new))

    def close(self) -> None:
        """Remove the folder; what a dying kernel still holds is left behind."""
        shutil.rmtree(self.folder, ignore_errors=True)


def open_room(parent: Path | None, outside: Mapping[str, str]) -> Room:
    """Make a room.

    Args:
        parent: Folder to make it in; None for the system's place for such.
        outside: The environment outside; its secrets for tools are let in, its
            settings of sparknb and of colours are not.
    """
    folder = Path(tempfile.mkdtemp(prefix="sparknb-", dir=parent))
    home = folder / "home"
    for name in ("home", "site", "runtime"):
        (folder / name).mkdir(mode=0o700)
    shutil.copyfile(guard.__file__, folder / "site" / "sitecustomize.py")
    kept = {n: value for n, value in outside.items() if not _is_dropped(n)}
    return Room(
        folder,
        {_PORT: str(_free_ports())}
        | example_secrets()
        | kept
        | _FIXED
        | _folders(folder, home, outside),
    )


def _is_dropped(name: str) -> bool:
    if name == _PORT or name.startswith(SECRET_VARIABLES):
        return False
    return name in _DROPPED or name.startswith(("SPARKNB_", "PYTHON_KEYRING", "XDG_"))


def _folders(folder: Path, home: Path, outside: Mapping[str, str]) -> dict[str, str]:
    from jupyter_core.paths import jupyter_data_dir

    def joined(first: str, name: str) -> str:
        return os.pathsep.join(part for part in (first, outside.get(name)) if part)

    return {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "APPDATA": str(home / "AppData" / "Roaming"),
        "LOCALAPPDATA": str(home / "AppData" / "Local"),
        "SPARKNB_HOME": str(home / "sparknb"),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "PYTHONPATH": joined(str(folder / "site"), "PYTHONPATH"),
        # the person's own kernels and packages are found as ever
        "JUPYTER_PATH": joined(jupyter_data_dir(), "JUPYTER_PATH"),
        "PYTHONUSERBASE": site.getuserbase(),
    }


@contextmanager
def as_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Let this process have these variables and no others while the block lasts."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _free_ports() -> int:
    """Give a port with free ones behind it, so that checks can run side by side."""
    starts = list(_PORTS[::_LESSONS])
    random.SystemRandom().shuffle(starts)
    for start in starts:
        with ExitStack() as taken:
            try:
                for port in range(start, start + _LESSONS):
                    probe = taken.enter_context(socket.socket())
                    probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return start
    return 8700
