import json
import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.settings import Settings, init_home, load_settings, make_home

ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="modes of files are POSIX")


def load(environment: Mapping[str, str] | None = None, *, cwd: Path) -> Settings:
    return load_settings(environment=environment or {}, cwd=cwd)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --------------------------------------------------------------- homes of projects
def test_a_confirmed_project_home_is_found_from_below(tmp_path: Path) -> None:
    below = tmp_path / "project" / "a" / "b"
    below.mkdir(parents=True)
    home = init_home(tmp_path / "project")
    settings = load(cwd=below)
    assert settings.home == home == tmp_path / "project" / ".sparknb"
    assert settings.sources["home"] == "project"
    assert settings.notices == ()


def test_a_home_that_came_with_a_clone_is_passed_over_with_a_notice(
    tmp_path: Path,
) -> None:
    outer = init_home(tmp_path)
    clone = tmp_path / "clone"
    (clone / ".sparknb").mkdir(parents=True)
    settings = load(cwd=clone)
    assert settings.home == outer
    [notice] = settings.notices
    assert (notice.code, notice.level) == ("HOME_NOT_CONFIRMED", "notice")
    assert str(clone / ".sparknb") in notice.message
    assert notice.hint is not None
    assert f"sparknb init {clone}" in notice.hint
    init_home(clone)
    assert load(cwd=clone).home == clone / ".sparknb"


def test_without_any_confirmed_home_the_users_folder_is_the_home(
    tmp_path: Path,
) -> None:
    (tmp_path / ".sparknb").mkdir()
    settings = load(cwd=tmp_path)
    assert settings.home == settings.user_folder
    assert [n.code for n in settings.notices] == ["HOME_NOT_CONFIRMED"]


def test_a_variable_goes_before_a_project_home_and_gives_no_notice(
    tmp_path: Path,
) -> None:
    (tmp_path / ".sparknb").mkdir()
    settings = load({"SPARKNB_HOME": str(tmp_path / "h")}, cwd=tmp_path)
    assert settings.home == tmp_path / "h"
    assert settings.notices == ()


def test_a_home_is_confirmed_by_its_real_path(tmp_path: Path) -> None:
    init_home(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert load(cwd=tmp_path / "link").sources["home"] == "project"
    (tmp_path / "real").rename(tmp_path / "moved")
    assert load(cwd=tmp_path / "moved").sources["home"] == "default"


def test_a_file_in_place_of_a_project_home_is_no_home(tmp_path: Path) -> None:
    (tmp_path / ".sparknb").write_text("", encoding="utf-8")
    assert load(cwd=tmp_path).notices == ()
    with pytest.raises(InvalidInputError) as caught:
        init_home(tmp_path)
    assert caught.value.path == "directory"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"homes": 5}',
        b'{"homes": [1, null, {}]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_broken_list_of_homes_confirms_nothing_and_is_mended_by_init(
    tmp_path: Path, isolated_home: Path, content: bytes
) -> None:
    project = tmp_path / "project"
    init_home(project)
    listed = isolated_home / ".local" / "share" / "sparknb" / "homes.json"
    listed.write_bytes(content)
    assert load(cwd=project).sources["home"] == "default"
    init_home(project)
    assert load(cwd=project).sources["home"] == "project"


# -------------------------------------------------------------------------- init
@ON_POSIX
def test_init_makes_a_home_for_its_owner_only_and_out_of_version_control(
    tmp_path: Path, isolated_home: Path
) -> None:
    home = init_home(tmp_path / "new" / "project")
    assert mode(home) == 0o700
    assert (home / ".gitignore").read_text(encoding="utf-8") == "*\n"
    user = isolated_home / ".local" / "share" / "sparknb"
    assert mode(user) == 0o700
    assert [mode(user / n) for n in ("homes.json", "homes.lock")] == [0o600, 0o600]
    listed = json.loads((user / "homes.json").read_text(encoding="utf-8"))
    assert listed["homes"] == [os.path.realpath(home)]
    assert sorted(p.name for p in user.iterdir()) == ["homes.json", "homes.lock"]


@ON_POSIX
def test_init_again_keeps_what_is_there_and_closes_it_to_others(tmp_path: Path) -> None:
    home = tmp_path / ".sparknb"
    home.mkdir()
    (home / ".gitignore").write_text("mine\n", encoding="utf-8")
    (home / "registry.db").write_bytes(b"content")
    home.chmod(0o755)
    assert init_home(tmp_path) == init_home(str(tmp_path)) == home
    assert mode(home) == 0o700
    assert (home / ".gitignore").read_text(encoding="utf-8") == "mine\n"
    assert (home / "registry.db").read_bytes() == b"content"


def test_init_writes_through_no_link_that_came_with_a_clone(tmp_path: Path) -> None:
    target = tmp_path / "target"
    clone = tmp_path / "clone"
    (clone / ".sparknb").mkdir(parents=True)
    (clone / ".sparknb" / ".gitignore").symlink_to(target)
    init_home(clone)
    assert not target.exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / ".sparknb").symlink_to(clone)
    with pytest.raises(InvalidInputError, match="is a link"):
        init_home(other)


@pytest.mark.parametrize("name", ["file/below", "nul\0nul", "x" * 5000])
def test_init_where_no_folder_can_be_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        init_home(tmp_path / name)
    assert caught.value.hint


def test_init_that_cannot_be_remembered_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="cannot be confirmed"):
        init_home(tmp_path / "project", user=tmp_path / "file")


def test_a_list_of_homes_that_cannot_be_replaced_stays_whole(tmp_path: Path) -> None:
    user = tmp_path / "user"
    init_home(tmp_path / "one", user=user)
    before = (user / "homes.json").read_text(encoding="utf-8")
    (user / "homes.json").rename(user / "kept")
    (user / "homes.json").mkdir()  # nothing can be put in its place
    with pytest.raises(InvalidInputError, match="cannot be confirmed"):
        init_home(tmp_path / "two", user=user)
    assert (user / "kept").read_text(encoding="utf-8") == before
    names = sorted(p.name for p in user.iterdir())
    assert names == ["homes.json", "homes.lock", "kept"]  # no half-written file


def test_inits_at_the_same_time_are_all_remembered(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sparknb.settings import init_home\n"
        "for n in range(20):\n"
        "    init_home(Path(sys.argv[1]) / f'{sys.argv[2]}{n}')\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name])
        for name in ("a", "b", "c")
    ]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    for name in ("a", "b", "c"):
        for n in range(20):
            assert load(cwd=tmp_path / f"{name}{n}").sources["home"] == "project"


# --------------------------------------------------------------------- making a home
@ON_POSIX
def test_a_home_is_made_for_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "a" / "b"
    assert make_home(home) == []
    assert mode(home) == 0o700
    assert make_home(home) == []


@ON_POSIX
def test_an_empty_folder_given_as_home_is_closed_to_others(tmp_path: Path) -> None:
    home = tmp_path / "given"
    home.mkdir(mode=0o755)
    assert make_home(home) == []
    assert mode(home) == 0o700


@ON_POSIX
def test_a_folder_in_use_is_left_open_with_a_warning(tmp_path: Path) -> None:
    home = tmp_path / "given"
    home.mkdir()
    (home / "file").write_text("", encoding="utf-8")
    home.chmod(0o755)
    [warning] = make_home(home)
    assert (warning.code, warning.level) == ("HOME_OPEN", "warning")
    assert mode(home) == 0o755


def test_a_home_that_cannot_be_made_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for home in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InvalidInputError) as caught:
            make_home(home)
        assert caught.value.path == "home"
    # Root may write everywhere, so what the system says is put in its mouth.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InvalidInputError, match="may not write"):
        make_home(tmp_path / "other")
