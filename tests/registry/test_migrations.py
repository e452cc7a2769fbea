"""The history of the schema, and what a migration does to an older registry."""

import os
import shutil
import sqlite3
import stat
from itertools import count
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from sparknb.core.errors import RegistryUnavailableError
from sparknb.core.providers import make_profile
from sparknb.registry import open_registry, schema
from sparknb.registry.migrations import MIGRATIONS, Migrations
from sparknb.registry.sqlite import SqliteStore
from sparknb.registry.tables import METADATA
from tests.registry.definitions import definition
from tests.registry.killing import Countdown, survives_being_killed_at

_NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "m999"
down_revision = "m002"


def upgrade():
    op.add_column("tools", sa.Column("colour", sa.Text, server_default="blue"))
    {more}
"""


@pytest.fixture
def later(tmp_path: Path) -> Migrations:
    """Give a history with one more step."""
    folder = tmp_path / "100% later"
    shutil.copytree(MIGRATIONS.folder, folder)
    return _write(folder, "")


def _write(folder: Path, more: str) -> Migrations:
    step = folder / "versions" / "m999_colour.py"
    step.write_text(_NEXT.format(more=more), encoding="utf-8")
    return Migrations((*MIGRATIONS.revisions, "m999"), folder)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """Give a registry with one tool, made by the present version."""
    path = tmp_path / "home" / "registry.db"
    registry = open_registry(f"sqlite:///{path}")
    registry.create_draft(definition())
    registry.close()
    return path


def _migrate(path: Path, migrations: Migrations) -> None:
    store = SqliteStore(path)
    try:
        schema.prepare(store, migrations)
    finally:
        store.close()


def _rows(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_the_known_revisions_are_the_steps_in_the_folder() -> None:
    found = ScriptDirectory(str(MIGRATIONS.folder)).walk_revisions()
    assert tuple(s.revision for s in reversed(list(found))) == MIGRATIONS.revisions


def test_the_history_leads_to_the_tables_that_a_new_registry_gets(
    tmp_path: Path,
) -> None:
    by_steps, at_once = SqliteStore(tmp_path / "a.db"), SqliteStore(tmp_path / "b.db")
    with by_steps.migrating() as connection:
        schema._upgrade(connection, MIGRATIONS)
    schema.prepare(at_once)
    with by_steps.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
    by_steps.close()
    at_once.close()
    query = "SELECT type, name, tbl_name FROM sqlite_master ORDER BY 1, 2"
    assert _rows(tmp_path / "a.db", query) == _rows(tmp_path / "b.db", query)
    for name in METADATA.tables:
        query = f"PRAGMA table_info({name})"
        assert _rows(tmp_path / "a.db", query) == _rows(tmp_path / "b.db", query)


def test_an_older_registry_is_backed_up_and_migrated(
    older: Path, later: Migrations
) -> None:
    _migrate(older, later)
    assert _rows(older, "SELECT id, colour FROM tools") == [("weather", "blue")]
    assert _rows(older, "SELECT version_num FROM alembic_version") == [("m999",)]
    backup = older.with_name("registry.db.backup-m002")
    assert _rows(backup, "SELECT id FROM tools") == [("weather",)]
    assert _rows(backup, "SELECT version_num FROM alembic_version") == [("m002",)]
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert sorted(p.name for p in older.parent.iterdir()) == [
        "registry.db",
        "registry.db.backup-m002",
    ]


def test_a_registry_from_before_the_providers_gets_their_table(tmp_path: Path) -> None:
    path = tmp_path / "registry.db"
    _migrate(path, Migrations(("m001",), MIGRATIONS.folder))
    connection = sqlite3.connect(path)
    assert not connection.execute("PRAGMA table_info(providers)").fetchall()
    connection.execute("UPDATE registry SET retention_days = 90")
    connection.commit()
    connection.close()
    registry = open_registry(f"sqlite:///{path}")
    assert registry.retention_days == 90  # what was there stays
    registry.add_provider(make_profile("local", base_url="http://127.0.0.1:1/v1"))
    assert [p.id for p in registry.providers()] == ["local"]
    registry.close()
    assert (tmp_path / "registry.db.backup-m001").exists()


def test_a_backup_is_a_registry_that_opens(older: Path, later: Migrations) -> None:
    _migrate(older, later)
    backup = older.with_name("registry.db.backup-m002")
    registry = open_registry(f"sqlite:///{backup}")
    assert registry.tools()[1] == 1
    registry.close()


def test_a_backup_holds_what_is_still_in_the_log(
    tmp_path: Path, later: Migrations
) -> None:
    path = tmp_path / "registry.db"
    registry = open_registry(f"sqlite:///{path}")
    registry.create_draft(definition())  # and stays open: nothing is in the file yet
    _migrate(path, later)
    registry.close()
    backup = tmp_path / "registry.db.backup-m002"
    assert _rows(backup, "SELECT id FROM tools") == [("weather",)]


def test_a_migration_happens_once(older: Path, later: Migrations) -> None:
    _migrate(older, later)
    backup = older.with_name("registry.db.backup-m002")
    before = backup.stat().st_mtime_ns
    _migrate(older, later)
    assert backup.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "more",
    [
        'op.execute("INSERT INTO nowhere VALUES (1)")',
        "op.execute(\"UPDATE versions SET tool_id = 'gone'\")",
    ],
)
def test_a_failed_migration_changes_nothing(
    older: Path, later: Migrations, more: str
) -> None:
    with pytest.raises(RegistryUnavailableError):
        _migrate(older, _write(later.folder, more))
    columns = [row[1] for row in _rows(older, "PRAGMA table_info(tools)")]
    assert "colour" not in columns
    registry = open_registry(f"sqlite:///{older}")
    assert registry.tools()[1] == 1
    registry.close()


def test_who_comes_second_finds_the_work_done(
    older: Path, later: Migrations, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(older)
    # between looking and locking, somebody else migrates
    monkeypatch.setattr(store, "settle", lambda: _migrate(older, later))
    schema.prepare(store, later)
    store.close()
    assert _rows(older, "SELECT id, colour FROM tools") == [("weather", "blue")]


def test_without_a_backup_nothing_is_migrated(older: Path, later: Migrations) -> None:
    older.with_name("registry.db.backup-m002").mkdir()
    with pytest.raises(RegistryUnavailableError, match="backed up") as caught:
        _migrate(older, later)
    assert caught.value.hint
    assert _rows(older, "SELECT version_num FROM alembic_version") == [("m002",)]


def test_a_registry_in_memory_needs_no_backup() -> None:
    store = SqliteStore(None)
    with store.migrating():
        store.back_up("m002")
    store.close()


def test_a_new_registry_of_a_later_history_is_made_step_by_step(
    tmp_path: Path, later: Migrations
) -> None:
    _migrate(tmp_path / "new.db", later)
    assert _rows(tmp_path / "new.db", "SELECT colour FROM tools") == []
    assert _rows(tmp_path / "new.db", "SELECT changes FROM registry") == [(0,)]
    assert not (tmp_path / "new.db.backup-m002").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork")
def test_a_killed_migration_happened_whole_or_not_at_all(
    older: Path, later: Migrations, tmp_path: Path
) -> None:
    warm = tmp_path / "warm.db"
    shutil.copy(older, warm)
    _migrate(warm, later)  # Alembic is imported once, not in every child
    for n in count(1):
        path = tmp_path / str(n) / "registry.db"
        path.parent.mkdir()
        shutil.copy(older, path)

        def run(countdown: Countdown, path: Path = path) -> None:
            _migrate(path, later)
            countdown.tick()

        is_done = survives_being_killed_at(n, run)
        columns = [row[1] for row in _rows(path, "PRAGMA table_info(tools)")]
        (revision,) = _rows(path, "SELECT version_num FROM alembic_version")[0]
        assert (revision == "m999") == ("colour" in columns)
        _migrate(path, later)
        assert _rows(path, "SELECT id, colour FROM tools") == [("weather", "blue")]
        if is_done:
            break
    assert n > 5
