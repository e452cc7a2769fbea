"""Contract: traces (ST-88 to ST-90, example 37)."""

import logging
from datetime import UTC, datetime, timedelta

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.core.protocols import Registry
from sparknb.registry import open_registry, trace_log
from tests.registry.conftest import Clock
from tests.registry.definitions import definition, trace


def _ids(registry: Registry, **filters: object) -> list[str]:
    return [t.id for t in registry.traces(**filters)]  # type: ignore[arg-type]  # the filters under test


def test_a_trace_comes_back_as_it_was(registry: Registry) -> None:
    full = trace(
        tool_version=None,
        session_id="s-1",
        turn_id="turn ☀",
        input_sha256="f" * 64,
        source="nested",
        status="timeout",
        duration_ms=2**40,
        error_code="TIMEOUT",
        output_bytes=0,
        approval="session",
        created_at=datetime(2026, 11, 30, 11, 59, 59, 123456, tzinfo=UTC),
    )
    registry.add_traces([full])
    assert registry.traces() == [full]


def test_the_newest_come_first_and_equal_times_in_order_of_arrival(
    registry: Registry, clock: Clock
) -> None:
    earlier = clock.time - timedelta(seconds=1)
    registry.add_traces([trace(id="b"), trace(id="old", created_at=earlier)])
    registry.add_traces([trace(id="c")])
    assert _ids(registry) == ["c", "b", "old"]


def test_filters_combine(registry: Registry, clock: Clock) -> None:
    old = clock.time - timedelta(days=2)
    registry.add_traces(
        [
            trace(id="1"),
            trace(id="2", status="error"),
            trace("other", id="3", status="error"),
            trace(id="4", status="error", created_at=old),
        ]
    )
    assert _ids(registry, tool_id="weather") == ["2", "1", "4"]
    assert _ids(registry, status="error") == ["3", "2", "4"]
    assert _ids(registry, since=clock.time) == ["3", "2", "1"]
    naive = clock.time.replace(tzinfo=None)
    found = _ids(registry, tool_id="weather", status="error", since=naive)
    assert found == ["2"]
    assert _ids(registry, tool_id="\ud800") == []
    assert _ids(registry, tool_id="nobody") == []


@pytest.mark.parametrize(
    ("limit", "length"), [(-5, 1), (0, 1), (1, 1), (200, 200), (201, 200), (2**70, 200)]
)
def test_a_limit_is_clamped(registry: Registry, limit: int, length: int) -> None:
    registry.add_traces([trace(id=str(n)) for n in range(230)])
    assert len(registry.traces(limit=limit)) == length
    assert len(registry.traces()) == 50


def test_clearing_gives_the_count(registry: Registry) -> None:
    registry.add_traces([trace(), trace(), trace("other"), trace("other")])
    assert registry.clear_traces("weather") == 2
    assert registry.clear_traces("weather") == 0
    assert registry.clear_traces("\0") == 0
    assert registry.clear_traces() == 2
    assert registry.traces() == []


def test_retention_starts_at_30_days(registry: Registry) -> None:
    assert registry.retention_days == 30


@pytest.mark.parametrize("days", [8, 0, -7, 366, 7.5, True, None])
def test_another_retention_is_refused(registry: Registry, days: int) -> None:
    with pytest.raises(InvalidInputError) as caught:
        registry.set_retention(days)
    assert caught.value.path == "days"
    assert registry.retention_days == 30


def test_a_shorter_retention_removes_what_is_older_for_good(
    registry: Registry, clock: Clock
) -> None:
    kept, gone = clock.time - timedelta(days=7), clock.time - timedelta(days=7.001)
    registry.add_traces([trace(id="kept", created_at=kept)])
    registry.add_traces([trace(id="gone", created_at=gone)])
    assert _ids(registry) == ["kept", "gone"]
    registry.set_retention(7)
    registry.set_retention(365)
    assert _ids(registry) == ["kept"]


def test_a_list_prunes(registry: Registry, clock: Clock) -> None:
    registry.add_traces([trace(id="old")])
    clock.advance(days=31)
    registry.add_traces([trace(id="new", created_at=clock.time)])
    assert _ids(registry) == ["new"]
    assert registry.clear_traces() == 1


def _flush(registry: Registry) -> None:
    """Write what waits, without pruning as a list would."""
    registry.clear_traces("nobody")


def test_writing_prunes_every_six_hours_at_most(
    registry: Registry, clock: Clock
) -> None:
    registry.add_traces([trace()])
    _flush(registry)  # the first write prunes
    old = clock.time - timedelta(days=40)
    clock.advance(hours=5.9)
    registry.add_traces([trace(created_at=old), trace(created_at=old)])
    _flush(registry)
    clock.advance(hours=0.2)
    registry.add_traces([trace(created_at=clock.time)])
    _flush(registry)
    assert registry.clear_traces() == 2, "one of the first write, one of the last"


def test_another_connection_knows_when_was_pruned(
    sqlite_url: str, clock: Clock
) -> None:
    one = open_registry(sqlite_url, now=clock)
    one.add_traces([trace()])
    one.close()  # writes, and prunes for the first time
    clock.advance(hours=3)
    other = open_registry(sqlite_url, now=clock)
    other.add_traces([trace(created_at=clock.time - timedelta(days=40))])
    _flush(other)
    assert other.clear_traces() == 2
    other.close()


def test_pruning_takes_more_rows_than_fit_one_piece(
    registry: Registry, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_log, "_PIECE", 500)
    old = clock.time - timedelta(days=400)
    registry.add_traces([trace(created_at=old)] * 1234)
    _flush(registry)
    registry.add_traces([trace()])
    assert len(registry.traces()) == 1
    assert registry.clear_traces() == 1


def test_a_trace_of_a_refused_call_may_carry_any_name(registry: Registry) -> None:
    names = ["\ud800", "a\0b", "ä" * 1000, "", "'; DROP TABLE traces; --"]
    registry.add_traces([trace(name, id=str(n)) for n, name in enumerate(names)])
    registry.add_traces([trace(session_id="\udfff\0", turn_id="\0")])
    kept = [t.tool_id for t in reversed(registry.traces())]
    assert kept == ["?", "a?b", "ä" * 200, "", names[4], "weather"]


def test_a_trace_that_cannot_be_written_is_logged_and_harms_nothing(
    registry: Registry, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "sparknb.registry"):
        registry.add_traces([trace(status=None)])
        assert registry.traces() == []
    assert "1 traces were not written" in caplog.text
    registry.add_traces([trace()])
    assert len(registry.traces()) == 1


def test_traces_of_unsaved_drafts_need_no_tool(registry: Registry) -> None:
    registry.add_traces([trace("never_saved", tool_version=None)])
    registry.create_draft(definition())
    assert [t.tool_id for t in registry.traces()] == ["never_saved"]


def test_a_deleted_tool_is_left_no_trace_by_calls_that_outlive_it(
    registry: Registry,
) -> None:
    for name in ("weather", "other"):
        registry.create_draft(definition(name))
    registry.add_traces([trace(id="before", tool_version=1)])
    registry.delete("weather")
    registry.add_traces(
        [
            trace(id="late", tool_version=1),
            trace("other", id="of another", tool_version=1),
            trace(id="unsaved"),
            trace("\0", id="odd", tool_version=1),
        ]
    )
    assert _ids(registry) == ["unsaved", "of another"]
    registry.add_traces([trace(id="alone", tool_version=1)])
    assert _ids(registry) == ["unsaved", "of another"]
    registry.create_draft(definition())
    registry.add_traces([trace(id="again", tool_version=1)])
    assert _ids(registry) == ["again", "unsaved", "of another"]
