"""Writes files for people: whole or not at all."""

import contextlib
import os
import stat
from pathlib import Path

from sparknb.core.errors import InvalidInputError, NotFoundError

__all__ = ["write_whole"]


def write_whole(path: Path, text: str) -> None:
    """Replace a file by this text, or make it; blocks until it is on the disk.

    Whatever happens meanwhile, the file holds the old text or the new one. A link
    stays a link, and a file keeps its mode.

    Raises:
        NotFoundError: The folder is not there.
        InvalidInputError: It is no file, or cannot be written.
    """
    try:
        _replace(Path(os.path.realpath(path)), text.encode())
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no folder {path.parent}", path="out", hint="make it first"
        ) from None
    except ValueError:
        raise InvalidInputError("a file name holds no NUL", path="out") from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "it failed"
        raise InvalidInputError(f"cannot write {path}: {reason}", path="out") from None


def _replace(target: Path, data: bytes) -> None:
    mode = _mode_of(target)
    beside = target.with_name(f".sparknb-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    handle = os.open(beside, flags, 0o666)  # less what the umask takes
    try:
        with os.fdopen(handle, "wb") as file:
            if mode is not None:
                beside.chmod(mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    _settle(target.parent)


def _mode_of(target: Path) -> int | None:
    """Give the mode of the file that is there, None where there is none.

    Raises:
        InvalidInputError: Something else is there: a folder, a device, a pipe.
    """
    try:
        found = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found):
        what = "a folder" if stat.S_ISDIR(found) else "no regular file"
        raise InvalidInputError(f"{target} is {what}", path="out")
    return stat.S_IMODE(found)


def _settle(folder: Path) -> None:
    """Let the new name survive a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
