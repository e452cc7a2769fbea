"""The person's copy of the lessons: brought up to date, and never written over."""

import json
import os
from pathlib import Path

import pytest

from sparknb.core.errors import InvalidInputError, NotFoundError
from sparknb.tutorials import (
    LESSONS,
    copy_tutorials,
    copying,
    shipped,
    shipped_folder,
)

LESSON = LESSONS[0].notebook
NEW = "01_first_tool.new.ipynb"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of a sparknb whose lesson can be changed as a release does."""
    package = tmp_path / "site" / "sparknb" / "tutorials"
    (package / "notebooks").mkdir(parents=True)
    (package / "notebooks" / "sanitize.cfg").touch()
    (package / "notebooks" / LESSON).write_text("first", encoding="utf-8")
    monkeypatch.setattr(shipped, "_HERE", package)
    monkeypatch.setattr(copying, "LESSONS", LESSONS[:1])
    return package / "notebooks"


def release(package: Path, text: str) -> None:
    (package / LESSON).write_text(text, encoding="utf-8")


def texts(home: Path) -> dict[str, str]:
    folder = home / "tutorials"
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in folder.iterdir()
        if not path.name.startswith(".")
    }


def test_the_lessons_of_this_checkout_are_found_and_all_there() -> None:
    for lesson in LESSONS:
        assert (shipped_folder() / lesson.notebook).is_file()
        assert lesson.notebook.startswith(f"{lesson.number:02}_")


def test_a_copy_is_made_once_and_stays(package: Path, tmp_path: Path) -> None:
    copied = copy_tutorials(tmp_path)
    assert (copied.folder, copied.notices) == (tmp_path / "tutorials", ())
    assert texts(tmp_path) == {LESSON: "first"}
    before = (copied.folder / LESSON).stat()
    assert copy_tutorials(tmp_path).notices == ()
    assert (copied.folder / LESSON).stat().st_mtime_ns == before.st_mtime_ns


def test_a_home_that_the_copy_makes_is_its_owners_alone(
    package: Path, tmp_path: Path
) -> None:
    home = tmp_path / "data" / "sparknb"
    before = os.umask(0o022)
    try:
        assert copy_tutorials(home).notices == ()
    finally:
        os.umask(before)
    assert home.stat().st_mode & 0o777 == 0o700


def test_an_untouched_copy_is_replaced_by_a_newer_lesson(
    package: Path, tmp_path: Path
) -> None:
    copy_tutorials(tmp_path)
    release(package, "second")
    assert copy_tutorials(tmp_path).notices == ()
    assert texts(tmp_path) == {LESSON: "second"}


def test_a_changed_copy_stays_and_nothing_is_said_while_nothing_is_newer(
    package: Path, tmp_path: Path
) -> None:
    copy_tutorials(tmp_path)
    (tmp_path / "tutorials" / LESSON).write_text("mine", encoding="utf-8")
    assert copy_tutorials(tmp_path).notices == ()
    assert texts(tmp_path) == {LESSON: "mine"}


def test_a_newer_lesson_is_put_beside_a_changed_one_and_told(
    package: Path, tmp_path: Path
) -> None:
    copy_tutorials(tmp_path)
    (tmp_path / "tutorials" / LESSON).write_text("mine", encoding="utf-8")
    release(package, "second")
    for _ in range(2):
        (notice,) = copy_tutorials(tmp_path).notices
        assert (notice.code, notice.level) == ("LESSON_CHANGED", "notice")
        assert NEW in notice.message
        assert texts(tmp_path) == {LESSON: "mine", NEW: "second"}
    release(package, "third")
    copy_tutorials(tmp_path)
    assert texts(tmp_path) == {LESSON: "mine", NEW: "third"}


def test_what_a_person_wrote_into_both_files_stays(
    package: Path, tmp_path: Path
) -> None:
    copy_tutorials(tmp_path)
    (tmp_path / "tutorials" / LESSON).write_text("mine", encoding="utf-8")
    release(package, "second")
    copy_tutorials(tmp_path)
    (tmp_path / "tutorials" / NEW).write_text("mine too", encoding="utf-8")
    release(package, "third")
    copy_tutorials(tmp_path)
    assert texts(tmp_path) == {LESSON: "mine", NEW: "mine too"}


def test_a_lesson_that_was_deleted_or_renamed_comes_anew(
    package: Path, tmp_path: Path
) -> None:
    folder = copy_tutorials(tmp_path).folder
    (folder / LESSON).write_text("mine", encoding="utf-8")
    (folder / LESSON).rename(folder / "mine.ipynb")
    copy_tutorials(tmp_path)
    assert texts(tmp_path) == {LESSON: "first", "mine.ipynb": "mine"}


@pytest.mark.parametrize("record", [b"", b"{", b"[]", b"\xff", b'{"x": 1}'])
def test_a_lost_record_makes_every_file_the_persons(
    package: Path, tmp_path: Path, record: bytes
) -> None:
    folder = copy_tutorials(tmp_path).folder
    (folder / ".copied.json").write_bytes(record)
    release(package, "second")
    assert len(copy_tutorials(tmp_path).notices) == 1
    assert texts(tmp_path) == {LESSON: "first", NEW: "second"}


def test_files_of_a_persons_own_are_left_alone(package: Path, tmp_path: Path) -> None:
    folder = copy_tutorials(tmp_path).folder
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    release(package, "second")
    copy_tutorials(tmp_path)
    assert texts(tmp_path) == {LESSON: "second", "notes.txt": "mine"}
    written = json.loads((folder / ".copied.json").read_bytes())
    assert list(written) == [LESSON]
    left = [path for path in folder.iterdir() if str(os.getpid()) in path.name]
    assert left == []


def test_a_place_that_cannot_hold_a_folder_is_refused(
    package: Path, tmp_path: Path
) -> None:
    (tmp_path / "tutorials").write_text("a file", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="cannot be copied"):
        copy_tutorials(tmp_path)


def test_a_folder_in_the_place_of_a_lesson_is_refused(
    package: Path, tmp_path: Path
) -> None:
    (tmp_path / "tutorials" / LESSON).mkdir(parents=True)
    with pytest.raises(InvalidInputError, match="cannot be copied"):
        copy_tutorials(tmp_path)


def test_an_installation_without_lessons_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "_HERE", tmp_path / "a" / "b" / "c")
    with pytest.raises(NotFoundError, match="did not come with this installation"):
        copy_tutorials(tmp_path)
