"""Traces are written in the background: soon, in batches, and without harm."""

import logging
import threading
import time
from collections.abc import Callable, Sequence

import pytest

from sparknb.core.protocols import Registry
from sparknb.core.records import TraceRecord
from sparknb.registry import trace_writer
from sparknb.registry.rows import TRACE_COLUMNS, trace_values
from sparknb.registry.trace_writer import TraceWriter
from tests.registry.definitions import trace


class Paper:
    """Takes what a writer writes, and tells when."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.written = threading.Event()
        self.failure: Exception | None = None

    def __call__(self, traces: Sequence[TraceRecord]) -> None:
        if self.failure is not None:
            raise self.failure
        self.batches.append(len(traces))
        self.written.set()


def test_a_trace_is_written_within_200_ms_without_being_asked() -> None:
    paper = Paper()
    writer = TraceWriter(paper)
    began = time.monotonic()
    writer.add([trace()])
    assert paper.batches == [], "adding does not write"
    assert paper.written.wait(10)
    assert trace_writer._PAUSE < 0.2
    assert time.monotonic() - began >= trace_writer._PAUSE * 0.9
    writer.close()
    assert paper.batches == [1]


def test_a_full_batch_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_writer, "_PAUSE", 3600)
    paper = Paper()
    writer = TraceWriter(paper)
    for _ in range(trace_writer._BATCH):
        writer.add([trace()])
    assert paper.written.wait(10)
    writer.close()
    assert sum(paper.batches) == trace_writer._BATCH


def test_closing_writes_what_waits_and_later_traces_are_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(trace_writer, "_PAUSE", 3600)
    paper = Paper()
    writer = TraceWriter(paper)
    writer.add([trace(), trace()])
    writer.close()
    writer.close()
    assert paper.batches == [2]
    writer.add([trace()])
    writer.flush()
    assert paper.batches == [2]
    assert "1 traces were not written: the registry is closed." in caplog.text


def test_a_writer_that_was_never_used_has_no_thread() -> None:
    before = threading.active_count()
    writer = TraceWriter(Paper())
    writer.add([])
    assert threading.active_count() == before
    writer.close()


def test_what_finds_no_room_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(trace_writer, "_PAUSE", 3600)
    monkeypatch.setattr(trace_writer, "_ROOM", 3)
    paper = Paper()
    writer = TraceWriter(paper)
    writer.add([trace()] * 2)
    writer.add([trace()] * 2)
    writer.close()
    assert paper.batches == [3]
    assert "1 traces were not written: too many are waiting." in caplog.text


def test_the_thread_survives_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "sparknb.registry")
    paper = Paper()
    paper.failure = OSError("no space")
    writer = TraceWriter(paper)
    writer.add([trace()])
    writer.flush()
    assert "1 traces were not written: no space" in caplog.text
    paper.failure = None
    writer.add([trace()])
    assert paper.written.wait(10)
    writer.close()


def test_a_waiting_trace_shows_in_a_list_at_once(
    opened: Callable[[], Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_writer, "_PAUSE", 3600)
    registry = opened()
    registry.add_traces([trace()])
    assert len(registry.traces()) == 1


def test_another_process_sees_a_trace_that_nobody_asked_for(
    opened: Callable[[], Registry],
) -> None:
    one, other = opened(), opened()
    one.add_traces([trace()])
    give_up = time.monotonic() + 10
    while not other.traces():
        assert time.monotonic() < give_up


def test_a_row_has_the_columns_in_the_order_of_the_statement() -> None:
    assert list(trace_values(trace())) == [column.name for column in TRACE_COLUMNS]
