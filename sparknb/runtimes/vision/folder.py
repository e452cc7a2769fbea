"""Files of one folder, and of nowhere else.

A path is judged after all of its links are resolved. The file is then opened step by
step along the resolved path, and no step follows a link: what is swapped in between
is not read.
"""

import os
import stat
from pathlib import Path

from sparknb.core.errors import DeniedError, InvalidInputError
from sparknb.core.wording import show

__all__ = ["find_inside", "read_inside"]


def _flags(*names: str) -> int:
    """Give flags of `open`, as far as this system has them."""
    found = 0
    for name in names:
        found |= getattr(os, f"O_{name.upper()}", 0)
    return found


_FOLDER = _flags("rdonly", "cloexec", "directory")
# Without waiting: opening a pipe would wait for its other end.
_FILE = _flags("rdonly", "cloexec", "binary", "nonblock")
_NO_LINK = _flags("nofollow")
_LONGEST_SHOWN = 120


def find_inside(folder: Path, name: str) -> Path:
    """Give the real place of a file that is named relative to a folder.

    Raises:
        DeniedError: It is outside, whether or not there is a file.
        InvalidInputError: It cannot be a path.
    """
    given = Path(name)
    if given.is_absolute() or given.drive or given.root:
        raise _denied(name, "is not relative to the notebook's folder")
    try:
        root = folder.resolve()
        place = (root / given).resolve()
    except (OSError, RuntimeError):  # links in a circle, or a name that is too long
        raise _denied(name, "cannot be followed") from None
    except ValueError:
        raise InvalidInputError("is no path: it holds a NUL") from None
    if root.parent == root:
        raise _denied(name, "would be looked for in the whole file system")
    if not place.is_relative_to(root):
        raise _denied(name, "leads out of the notebook's folder")
    return place


def read_inside(folder: Path, name: str, limit: int) -> bytes:
    """Give at most `limit` bytes of a file, and one more where there are more.

    Raises:
        DeniedError: It is outside the folder.
        InvalidInputError: It cannot be read, or is no file.
    """
    place = find_inside(folder, name)
    try:
        descriptor = _opened(folder.resolve(), place)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            shown = show(name, _LONGEST_SHOWN)
            raise InvalidInputError(f"names {shown}, which is not a file")
        with open(descriptor, "rb") as file:  # noqa: PTH123  # it is no path
            return file.read(limit + 1)
    except FileNotFoundError:
        raise InvalidInputError(
            f"names {show(name, _LONGEST_SHOWN)}, and there is no such file",
            hint="a path counts from the notebook's folder",
        ) from None
    except OSError as error:
        reason = (error.strerror or "it failed").lower()
        raise InvalidInputError(
            f"names {show(name, _LONGEST_SHOWN)}, which cannot be read: {reason}"
        ) from None


def _opened(root: Path, place: Path) -> int:
    """Open a resolved path below a resolved folder; give the descriptor."""
    *folders, last = place.relative_to(root).parts or (".",)
    if os.open not in os.supports_dir_fd:  # Windows
        return os.open(place, _FILE | _NO_LINK)
    here = os.open(root, _FOLDER)
    try:
        for each in folders:
            below = os.open(each, _FOLDER | _NO_LINK, dir_fd=here)
            os.close(here)
            here = below
        return os.open(last, _FILE | _NO_LINK, dir_fd=here)
    finally:
        os.close(here)


def _denied(name: str, reason: str) -> DeniedError:
    return DeniedError(
        f"{show(name, _LONGEST_SHOWN)} {reason}",
        hint="copy the image into the notebook's folder and give its path from there",
    )
