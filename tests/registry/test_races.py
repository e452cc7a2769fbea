"""Many processes at once: exactly one wins, the others hear of it, all get through."""

import multiprocessing
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sparknb.core.errors import SparknbError
from sparknb.core.protocols import Registry
from sparknb.registry import open_registry
from tests.registry.definitions import definition, publish, trace

_PROCESSES = 8
_ROUNDS = 50
_LIMIT = 120  # seconds, for one wait in a race

needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(),
    reason="needs a system with fork",
)


def _outcome(step: Callable[[], Any]) -> str:
    try:
        step()
    except SparknbError as error:
        return f"{error.code}"
    return "won"


def _publishing(url: str, place: int, barrier: Any, results: Any) -> None:
    registry = open_registry(url)
    for number in range(_ROUNDS):
        if place == 0:
            registry.save_draft(definition(title=f"Round {number}"))
        barrier.wait(_LIMIT)
        tool = registry.get("weather")
        assert tool is not None
        barrier.wait(_LIMIT)
        step = partial(
            registry.publish,
            "weather",
            expected_version=tool.draft_version or 0,
            expected_revision=tool.draft_revision,
        )
        results.put((number, _outcome(step)))
        barrier.wait(_LIMIT)
    registry.close()


def _creating(url: str, place: int, barrier: Any, results: Any) -> None:
    barrier.wait(_LIMIT)
    registry = open_registry(url)  # all at once, and there is no database yet
    for number in range(_ROUNDS):
        barrier.wait(_LIMIT)
        made = definition(f"tool_{number}", title=f"By {place}")
        results.put((number, _outcome(partial(registry.create_draft, made))))
    registry.close()


def _race(target: Callable[..., None], url: str) -> list[Counter[str]]:
    """Run the target in many processes; give for each round what they met with."""
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(_PROCESSES), context.Queue()
    racers = [
        context.Process(target=target, args=(url, place, barrier, results))
        for place in range(_PROCESSES)
    ]
    with warnings.catch_warnings():
        # Python 3.12 warns of threads at a fork; the racers use none of ours.
        warnings.simplefilter("ignore", DeprecationWarning)
        for racer in racers:
            racer.start()
    rounds: list[Counter[str]] = [Counter() for _ in range(_ROUNDS)]
    for _ in range(_PROCESSES * _ROUNDS):
        number, outcome = results.get(timeout=_LIMIT)
        rounds[number][outcome] += 1
    for racer in racers:
        racer.join(_LIMIT)
        assert racer.exitcode == 0
        racer.close()
    results.close()
    results.join_thread()
    return rounds


@needs_fork
def test_exactly_one_process_publishes_a_draft(shared_url: str) -> None:
    registry = open_registry(shared_url)
    registry.create_draft(definition())
    registry.close()
    rounds = _race(_publishing, shared_url)
    assert rounds == [Counter(won=1, CONFLICT=_PROCESSES - 1)] * _ROUNDS
    registry = open_registry(shared_url)
    statuses = [v.status for v in registry.versions("weather")]
    registry.close()
    assert statuses == ["published"] + ["archived"] * (_ROUNDS - 1)


@needs_fork
def test_exactly_one_process_creates_a_tool_in_a_database_made_by_all(
    shared_url: str,
) -> None:
    rounds = _race(_creating, shared_url)
    assert rounds == [Counter(won=1, ALREADY_EXISTS=_PROCESSES - 1)] * _ROUNDS
    registry = open_registry(shared_url)
    assert registry.tools()[1] == _ROUNDS
    registry.close()


def test_threads_share_one_registry(registry: Registry) -> None:
    """Readers, lifecycle steps and traces from many threads do not disturb another."""
    registry.create_draft(definition())
    publish(registry)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                registry.create_draft(definition(f"tool_{number}_{turn}"))
                registry.add_traces([trace(), trace()])
                assert registry.get(f"tool_{number}_{turn}") is not None
                assert len(registry.surface()) == 1
                registry.change_mark()
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_LIMIT)
    assert failures == []
    assert registry.tools()[1] == 81
    assert registry.clear_traces() == 160


def test_a_change_by_another_connection_is_seen_at_once(shared_url: str) -> None:
    one, other = open_registry(shared_url), open_registry(shared_url)
    mark = one.change_mark()
    other.add_traces([trace()])
    other.traces()
    assert one.change_mark() == mark
    other.create_draft(definition())
    assert one.change_mark() != mark
    assert one.change_mark() == other.change_mark()
    assert (one.get("weather"), one.id) == (other.get("weather"), other.id)
    one.close()
    other.close()
