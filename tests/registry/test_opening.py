"""Opening: new, foreign, broken, newer and older databases, and who may read them."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sparknb.core.errors import RegistryNewerError, RegistryUnavailableError
from sparknb.core.protocols import Registry
from sparknb.registry import open_memory_registry, open_registry
from tests.registry.definitions import definition, publish, trace

_POSIX = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX systems")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@_POSIX
def test_home_and_files_are_for_the_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    before = os.umask(0)
    try:
        registry = open_registry(f"sqlite:///{home}/db/registry.db", home=home)
        registry.create_draft(definition())
        assert {_mode(home), _mode(home / "db")} == {0o700}
        modes = {path.name: _mode(path) for path in (home / "db").iterdir()}
    finally:
        os.umask(before)
    registry.close()
    assert modes == {
        "registry.db": 0o600,
        "registry.db-wal": 0o600,
        "registry.db-shm": 0o600,
    }


def test_what_was_stored_is_there_the_next_time(
    opened: Callable[[], Registry],
) -> None:
    first = opened()
    tool = first.create_draft(definition())
    first.add_traces([trace()])
    first.set_retention(365)
    first.close()
    second = opened()
    assert second.get("weather") == tool
    assert (second.id, second.retention_days) == (first.id, 365)
    assert len(second.traces()) == 1


def test_two_registries_in_memory_know_nothing_of_each_other() -> None:
    one, other = open_memory_registry(), open_memory_registry()
    one.create_draft(definition())
    assert other.tools() == ([], 0)
    assert one.id != other.id
    one.close()
    other.close()


def test_a_path_may_hold_any_characters(tmp_path: Path) -> None:
    folder = tmp_path / "100% größe'; #1"
    registry = open_registry(f"sqlite:///{folder}/registry.db")
    registry.create_draft(definition())
    registry.close()
    assert (folder / "registry.db").stat().st_size > 0


def _file(tmp_path: Path, *statements: str) -> Path:
    path = tmp_path / "registry.db"
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def _refused(path: Path) -> RegistryUnavailableError:
    with pytest.raises(RegistryUnavailableError) as caught:
        open_registry(f"sqlite:///{path}")
    assert caught.value.hint
    return caught.value


def test_a_newer_registry_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)",
        "INSERT INTO alembic_version VALUES ('m999')",
    )
    before = path.read_bytes()
    with pytest.raises(RegistryNewerError, match="m999") as caught:
        open_registry(f"sqlite:///{path}")
    assert caught.value.hint is not None
    assert "pgrade" in caught.value.hint
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["registry.db"]


def test_the_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    path = _file(tmp_path, "CREATE TABLE theirs (x)")
    before = path.read_bytes()
    assert "another program" in str(_refused(path))
    assert path.read_bytes() == before


def test_a_registry_without_its_version_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "CREATE TABLE alembic_version (version_num VARCHAR(32))")
    _refused(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "registry.db"
    path.write_bytes(b"my notes, " * 1000)
    assert "not a database" in str(_refused(path))
    assert path.read_bytes() == b"my notes, " * 1000


def test_a_damaged_registry_is_refused(
    tmp_path: Path, sqlite_url: str, opened: Callable[[], Registry]
) -> None:
    registry = opened()
    registry.create_drafts([(definition(f"tool_{n}"), ()) for n in range(100)])
    registry.close()
    path = tmp_path / "home" / "registry.db"
    content = path.read_bytes()
    path.write_bytes(content[:4096] + os.urandom(len(content) - 4096))
    _refused(path)


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("", encoding="utf-8")
    assert "home" in str(_refused(tmp_path / "home" / "registry.db"))


def test_a_folder_where_the_file_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "registry.db").mkdir()
    _refused(tmp_path / "registry.db")


def test_a_registry_without_room_for_the_file_name_is_refused(tmp_path: Path) -> None:
    _refused(tmp_path / ("x" * 300))


def test_a_registry_that_another_program_holds_is_refused_with_what_to_do(
    opened: Callable[[], Registry],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sparknb.registry.sqlite._BUSY_SECONDS", 0.05)
    registry = opened()
    registry.create_draft(definition())
    holder = sqlite3.connect(tmp_path / "home" / "registry.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(RegistryUnavailableError, match="locked") as caught:
        publish(registry)
    assert caught.value.hint is not None
    assert "Another program" in caught.value.hint
    assert registry.get("weather") is not None, "reading goes on"
    holder.execute("ROLLBACK")
    holder.close()
    assert publish(registry).enabled


def test_a_list_of_traces_does_not_need_to_write(
    opened: Callable[[], Registry],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("sparknb.registry.sqlite._BUSY_SECONDS", 0.05)
    registry = opened()
    old = trace().created_at.replace(year=2001)
    registry.add_traces([trace(created_at=old)])
    registry.clear_traces("nobody")
    registry.add_traces([trace(created_at=old)])
    registry.clear_traces("nobody")
    holder = sqlite3.connect(tmp_path / "home" / "registry.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert registry.traces() == []
    assert "Old traces were not removed" in caplog.text
    holder.execute("ROLLBACK")
    holder.close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "registry.db",
        "mysql://u:hunter2@h/d",
        "postgresql://u:hunter2@h:x/d",
        "sqlite://folder/registry.db",
        "sqlite://u:hunter2@folder/registry.db",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(RegistryUnavailableError) as caught:
        open_registry(url)
    assert "hunter2" not in repr(caught.value.to_wire())
    assert "hunter2" not in repr(caught.value.__cause__)
    assert caught.value.hint


def test_a_server_that_does_not_answer_is_unavailable() -> None:
    pytest.importorskip("psycopg")
    url = "postgresql://u:hunter2@127.0.0.1:9/d?connect_timeout=2"
    with pytest.raises(RegistryUnavailableError) as caught:
        open_registry(url)
    assert "hunter2" not in repr(caught.value.to_wire())


def test_without_the_driver_the_hint_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(RegistryUnavailableError) as caught:
        open_registry("postgresql+psycopg://u@h/d")
    assert caught.value.hint is not None
    assert "sparknb[postgres]" in caught.value.hint


def test_heavy_libraries_are_imported_when_they_are_needed(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from sparknb.registry import open_registry\n"
        "assert 'sqlalchemy' not in sys.modules\n"
        f"open_registry('sqlite:///{tmp_path}/r.db').close()\n"
        f"open_registry('sqlite:///{tmp_path}/r.db').close()\n"
        "assert 'sqlalchemy' in sys.modules\n"
        "assert 'alembic' not in sys.modules\n"
        "assert 'psycopg' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_a_deleted_definition_leaves_no_trace_in_the_file(
    opened: Callable[[], Registry], tmp_path: Path
) -> None:
    registry = opened()
    registry.create_draft(definition(description="The canary sings at dawn."))
    registry.create_draft(definition("other"))
    registry.delete("weather")
    registry.close()
    assert b"canary" not in (tmp_path / "home" / "registry.db").read_bytes()


def _leave_the_log(path: Path) -> sqlite3.Connection:
    """Take a registry back to the mode of a plain file; give a reader that holds it."""
    registry = open_registry(f"sqlite:///{path}")
    registry.close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA journal_mode=DELETE")
    holder.execute("BEGIN")
    holder.execute("SELECT * FROM tools").fetchall()
    return holder


def test_switching_to_the_log_waits_for_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = _leave_the_log(tmp_path / "registry.db")
    waits = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        holder.close()

    monkeypatch.setattr("sparknb.registry.sqlite._BUSY_SECONDS", 0.5)
    monkeypatch.setattr("sparknb.registry.sqlite.time.sleep", wait)
    registry = open_registry(f"sqlite:///{tmp_path}/registry.db")
    registry.create_draft(definition())
    assert (tmp_path / "registry.db-wal").exists()
    assert len(waits) == 1
    registry.close()


def test_switching_to_the_log_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = _leave_the_log(tmp_path / "registry.db")
    monkeypatch.setattr("sparknb.registry.sqlite._BUSY_SECONDS", 0.01)
    assert "locked" in str(_refused(tmp_path / "registry.db"))
    holder.close()
