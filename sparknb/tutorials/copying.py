"""A person's own copy of the lessons, in which nothing of theirs is ever lost."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparknb.core.errors import InvalidInputError
from sparknb.core.problems import Problem
from sparknb.settings import make_home
from sparknb.tutorials.lessons import LESSONS
from sparknb.tutorials.shipped import shipped_folder

__all__ = ["CopiedTutorials", "copy_tutorials"]

_RECORD = ".copied.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedTutorials:
    """The copy.

    Attributes:
        folder: Where it lies.
        notices: Newer lessons that lie beside changed ones, and what is to be known
            of the home.
    """

    folder: Path
    notices: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _Copy:
    """One copying: knows by their digests which files it wrote itself."""

    folder: Path
    written: dict[str, str]
    notices: list[Problem] = field(default_factory=list)

    def bring(self, name: str, data: bytes) -> None:
        """Put a lesson in place, or beside the one that the person changed."""
        if self._put(name, data):
            return
        if self.written.get(name) == _digest(data):
            return  # changed by the person since, and no newer one has come
        beside = f"{Path(name).stem}.new{Path(name).suffix}"
        is_there = self._put(beside, data)
        where = f"the new one is {beside}" if is_there else f"{beside} is kept too"
        self.notices.append(
            Problem(
                code="LESSON_CHANGED",
                message=f"{name} is kept as you changed it; {where}",
                path=name,
                hint="rename or delete yours, and the next `sparknb lab` brings the"
                " new one in its place",
                level="notice",
            )
        )

    def _put(self, name: str, data: bytes) -> bool:
        """Write a file unless a person's own work is in it."""
        target = self.folder / name
        new = _digest(data)
        now = _digest(target.read_bytes()) if target.exists() else None
        if now not in (None, new, self.written.get(name)):
            return False
        if now != new:
            _replace(target, data)
        self.written[name] = new
        return True


def copy_tutorials(home: Path) -> CopiedTutorials:
    """Bring the lessons in `<home>/tutorials` up to date.

    A lesson that the person changed stays as it is, and the newer one is put beside
    it.

    Raises:
        InvalidInputError: The folder cannot be written.
        NotFoundError: This installation has no lessons.
    """
    shipped = shipped_folder()
    folder = home / "tutorials"
    warnings = make_home(home)  # for its owner only
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        copy = _Copy(folder, dict(_read_record(folder / _RECORD)))
        for lesson in LESSONS:
            data = (shipped / lesson.notebook).read_bytes()
            copy.bring(lesson.notebook, data)
        record = json.dumps(copy.written, indent=1, sort_keys=True)
        _replace(folder / _RECORD, record.encode())
    except OSError as error:
        raise InvalidInputError(
            f"the lessons cannot be copied to {folder}: {error.strerror}",
            path="home",
            hint="see that the home is a folder that you may write to",
        ) from None
    return CopiedTutorials(folder=folder, notices=(*warnings, *copy.notices))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _read_record(path: Path) -> Mapping[str, str]:
    """Give what was written before; a lost record makes every file the person's."""
    try:
        record = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _replace(target: Path, data: bytes) -> None:
    """Write a file in one step: another program sees the old or the new one."""
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(target)
