"""A process killed at any moment leaves the state before its step, or the one after."""

import shutil
import sqlite3
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.definitions import secret_reference
from sparknb.core.protocols import Registry
from sparknb.registry import open_registry
from tests.registry.definitions import case, definition, publish, trace
from tests.registry.killing import Countdown, survives_being_killed_at

pytestmark = pytest.mark.skipif(
    not hasattr(sys.modules["os"], "fork"), reason="needs a system with fork"
)

_SECRET = secret_reference("two", "k")
_OPERATIONS: dict[str, Callable[[Registry], Any]] = {
    "create": lambda r: r.create_draft(definition("new"), [case()]),
    "create several": lambda r: r.create_drafts(
        [(definition(f"new_{n}"), ()) for n in range(3)]
    ),
    "save the draft": lambda r: r.save_draft(definition("draft", title="Other")),
    "save a next version": lambda r: r.save_draft(definition("one", title="Other")),
    "discard": lambda r: r.discard_draft("two"),
    "first publish": lambda r: publish(r, "draft"),
    "next publish": lambda r: r.publish(
        "two", expected_version=2, expected_revision=2, drop_secrets=[_SECRET]
    ),
    "disable": lambda r: r.set_enabled("one", enabled=False),
    "enable": lambda r: r.set_enabled("off", enabled=True),
    "roll back": lambda r: r.rollback(
        "off", 1, expected_version=2, drop_secrets=[secret_reference("off", "k")]
    ),
    "delete": lambda r: r.delete("off"),
    "mark tested": lambda r: r.mark_tested("one"),
    "record a case run": lambda r: r.record_case_run("one", 1, {"mode": "live"}),
    "note removals": lambda r: r.note_removals([_SECRET]),
    "confirm removals": lambda r: r.confirm_removals(
        [secret_reference("off", "a"), secret_reference("off", "b")]
    ),
    "clear traces": lambda r: r.clear_traces("one"),
    "set the retention": lambda r: r.set_retention(365),
}


def _prepare(registry: Registry) -> None:
    for name in ("draft", "one", "two", "off"):
        registry.create_draft(definition(name), [case()])
    for name in ("one", "two", "off"):
        publish(registry, name)
    for name in ("two", "off"):
        registry.save_draft(definition(name, title="Second"))
    publish(registry, "off")
    registry.set_enabled("off", enabled=False)
    registry.note_removals([secret_reference("off", n) for n in ("a", "b")])
    registry.add_traces([trace("one"), trace("one"), trace("off")])


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a registry with tools in all states, in one file and at rest."""
    path = tmp_path_factory.mktemp("prepared") / "registry.db"
    registry = open_registry(f"sqlite:///{path}")
    _prepare(registry)
    registry.close()
    assert [p.name for p in path.parent.iterdir()] == ["registry.db"]
    return path


def _state(path: Path) -> list[str]:
    """Give all rows, without times and the registry's counters."""
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = []
        for table in ("tools", "versions", "pending_removals", "traces"):
            names = [r[1] for r in connection.execute(f"PRAGMA table_info({table})")]
            kept = ", ".join(n for n in names if n == "seq" or not n.endswith("_at"))
            tested = ", last_test_at IS NULL" if table == "tools" else ""
            query = f"SELECT '{table}', {kept}{tested} FROM {table}"  # noqa: S608 - our own names
            rows += [repr(row) for row in connection.execute(query)]
        rows += map(
            repr, connection.execute("SELECT retention_days, changes FROM registry")
        )
        return sorted(rows)
    finally:
        connection.close()


@pytest.mark.parametrize("name", _OPERATIONS)
def test_a_killed_operation_happened_whole_or_not_at_all(
    name: str, prepared: Path, tmp_path: Path
) -> None:
    operation = _OPERATIONS[name]
    whole = tmp_path / "whole.db"
    shutil.copy(prepared, whole)
    registry = open_registry(f"sqlite:///{whole}")
    operation(registry)
    registry.close()
    before, after = _state(prepared), _state(whole)
    assert before != after, "the operation does something"
    seen = []
    for n in count(1):
        path = tmp_path / f"{n}.db"
        shutil.copy(prepared, path)

        def run(countdown: Countdown, path: Path = path) -> None:
            opened = open_registry(f"sqlite:///{path}")
            operation(opened)
            countdown.tick()  # committed, but the log is not yet part of the file
            opened.close()

        is_done = survives_being_killed_at(n, run)
        state = _state(path)
        assert state in (before, after), f"torn at step {n}"
        seen.append(state == after)
        if is_done:
            break
    assert len(seen) > 5, "there were moments to be killed at"
    assert seen == sorted(seen), "once done it stays done"
    assert seen[-1]


def test_a_registry_whose_creation_was_killed_is_created_by_the_next(
    tmp_path: Path,
) -> None:
    for n in count(1):
        url = f"sqlite:///{tmp_path}/{n}/registry.db"

        def run(countdown: Countdown, url: str = url) -> None:
            opened = open_registry(url)
            countdown.tick()
            opened.close()

        is_done = survives_being_killed_at(n, run)
        registry = open_registry(url)
        registry.create_draft(definition())
        assert registry.tools()[1] == 1
        registry.close()
        if is_done:
            break
    assert n > 5
