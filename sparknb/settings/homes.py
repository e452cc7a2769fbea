"""Homes: which one counts here, and how one is made or confirmed.

A `.sparknb/` that came with a cloned folder may hold tools that are enabled already.
So it counts only after a person ran `sparknb init` for it on this machine, which is
kept outside of it, by real path, in the user's data folder.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from sparknb.core.errors import InvalidInputError
from sparknb.core.problems import Problem

try:
    import fcntl
except ImportError:  # Windows: two inits at one instant may lose one of them
    fcntl = None  # type: ignore[assignment]  # tested for before it is used

__all__ = [
    "PROJECT_FOLDER",
    "find_project_home",
    "init_home",
    "make_home",
    "user_folder",
]

PROJECT_FOLDER = ".sparknb"

_CONFIRMED = "homes.json"
_LONGEST_LIST = 1024 * 1024  # bytes
_OTHERS = 0o077  # what group and others may do


def user_folder() -> Path:
    """Give the user's data folder for sparknb; it may not exist."""
    from platformdirs import user_data_path

    return user_data_path("sparknb", appauthor=False)


def find_project_home(cwd: Path, user: Path) -> tuple[Path | None, list[Problem]]:
    """Give the nearest confirmed `.sparknb/` here or above, and who was passed over.

    Args:
        cwd: Where to begin.
        user: The user's data folder, which knows the confirmed ones.
    """
    confirmed: frozenset[str] | None = None
    passed_over: list[Problem] = []
    for folder in (cwd, *cwd.parents):
        home = folder / PROJECT_FOLDER
        if not os.path.isdir(home):  # noqa: PTH112  # Path.is_dir raises where it may not look
            continue
        if confirmed is None:
            confirmed = _confirmed(user)
        if _real(home) in confirmed:
            return home, passed_over
        passed_over.append(_not_confirmed(folder, home))
    return None, passed_over


def init_home(directory: Path | str, *, user: Path | None = None) -> Path:
    """Make `directory/.sparknb/` for its owner only, and confirm it on this machine.

    One that is there already is kept as it is and confirmed; running it again changes
    nothing.

    Args:
        directory: Folder of the project; made when it is missing.
        user: The user's data folder; None asks the system.

    Raises:
        InvalidInputError: It cannot be made, or a file or link is in its place.
    """
    # Not resolved: a link on the way may be how the person knows the folder.
    home = Path(os.path.abspath(os.path.expanduser(directory))) / PROJECT_FOLDER  # noqa: PTH100, PTH111  # these never raise
    if os.path.islink(home):  # noqa: PTH114  # nor does this
        raise InvalidInputError(
            f"{home} is a link; a project home is a folder of its own",
            path="directory",
            hint="remove the link, or set SPARKNB_HOME to the folder it leads to",
        )
    with _explained(f"{home} cannot be made", "directory"):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        home.chmod(0o700)  # a clone is open to others
        # Nothing is written through a link that came with a clone.
        with (
            contextlib.suppress(FileExistsError),
            (home / ".gitignore").open("x", encoding="utf-8") as file,
        ):
            file.write("*\n")
    user = user or user_folder()
    with _explained(f"{home} cannot be confirmed in {user}", "directory"):
        _confirm(home, user)
    return home


def make_home(home: Path) -> list[Problem]:
    """Make a home for its owner only; an empty folder becomes so too.

    Gives a warning for one with content that others may read.

    Raises:
        InvalidInputError: It cannot be made or written to.
    """
    with _explained(f"the home {home} cannot be made", "home"):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(home, os.W_OK | os.X_OK):
            raise PermissionError(0, "you may not write there")
        if os.name == "nt" or not home.stat().st_mode & _OTHERS:
            return []
        if not any(home.iterdir()):
            home.chmod(0o700)
            return []
    return [
        Problem(
            code="HOME_OPEN",
            message=f"other users of this machine may look into {home}",
            path="home",
            hint=f"chmod 700 {home}",
            level="warning",
        )
    ]


@contextlib.contextmanager
def _explained(what: str, path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "no path of a folder"
        raise InvalidInputError(
            f"{what}: {said or type(error).__name__}",
            path=path,
            hint="choose a folder that you may write to",
        ) from error


def _not_confirmed(folder: Path, home: Path) -> Problem:
    return Problem(
        code="HOME_NOT_CONFIRMED",
        message=f"{home} is not used: it was not made or confirmed on this machine",
        path="home",
        hint=f"if you trust what it holds, run: sparknb init {folder}",
        level="notice",
    )


# ------------------------------------------------------------- the confirmed ones
def _real(home: Path) -> str:
    return os.path.normcase(os.path.realpath(home))


def _confirmed(user: Path) -> frozenset[str]:
    """Give the confirmed real paths; a list that cannot be read confirms nothing."""
    try:
        with (user / _CONFIRMED).open("rb") as file:
            listed = json.loads(file.read(_LONGEST_LIST))["homes"]
        return frozenset(home for home in listed if isinstance(home, str))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return frozenset()


def _confirm(home: Path, user: Path) -> None:
    user.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _lock(user):
        known = _confirmed(user)
        if _real(home) in known:
            return
        document = {"v": 1, "homes": sorted({*known, _real(home)})}
        _write_whole(user / _CONFIRMED, json.dumps(document, indent=2))


@contextlib.contextmanager
def _lock(user: Path) -> Iterator[None]:
    """Keep other inits waiting, for the milliseconds that the list takes."""
    flags = os.O_CREAT | os.O_RDWR
    with os.fdopen(os.open(user / "homes.lock", flags, 0o600), "r+b") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write_whole(path: Path, text: str) -> None:
    """Replace a file for its owner only; a crash leaves the old one or the new one."""
    import tempfile  # with all of shutil behind it, and only init writes

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)  # noqa: PTH105  # beside os.fdopen
    except BaseException:
        os.unlink(name)  # noqa: PTH108  # beside os.fdopen
        raise
