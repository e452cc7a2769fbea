"""Eight processes publish the same draft, 500 times: exactly one wins each version."""

import multiprocessing
import tempfile
import time
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure
from benchmarks.tools import definition

__all__ = ["run"]

_PROCESSES = 8
_ROUNDS = 500
_PATIENCE_SECONDS = 60.0


def run() -> list[Figure]:
    """Race; about ten seconds."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'registry.db'}"
        barrier = context.Barrier(_PROCESSES + 1)
        wins = context.Array("i", _PROCESSES)
        draft = context.Array("i", 2)  # version and revision that all publish
        racers = [
            context.Process(target=_race, args=(url, barrier, wins, draft, number))
            for number in range(_PROCESSES)
        ]
        for racer in racers:
            racer.start()
        try:
            good, seconds = _judge(url, barrier, wins, draft)
        except BaseException:
            barrier.abort()
            raise
        finally:
            for racer in racers:
                racer.join(_PATIENCE_SECONDS)
                racer.kill()
    return [
        Figure(
            id="race",
            work=f"{_PROCESSES} processes publish one draft, {_ROUNDS} times",
            against="rounds with exactly one winner",
            unit="rounds",
            ours=good,
            theirs=_ROUNDS,
            ratio=good / _ROUNDS,
            goal=f"{_ROUNDS} of {_ROUNDS}",
            met=good == _ROUNDS,
        ),
        Figure(
            id="race·time",
            work="one such round, the saving of the draft included",
            against="-",
            unit="ms",
            ours=seconds / _ROUNDS * 1000,
        ),
    ]


def _judge(url: str, barrier: Barrier, wins: Any, draft: Any) -> tuple[int, float]:
    """Save a draft each round; give rounds with one winner, and the time for all."""
    from sparknb.core.validation import validate
    from sparknb.registry import open_registry

    registry = open_registry(url)
    document = definition("http://127.0.0.1:8700")
    good = 0
    barrier.wait(_PATIENCE_SECONDS)  # all have started
    began = time.perf_counter()
    for number in range(1, _ROUNDS + 1):
        found = validate({**document, "title": f"Round {number}"}).definition
        assert found is not None
        record = (
            registry.create_draft(found)
            if number == 1
            else registry.save_draft(found)[0]
        )
        draft[:] = [record.draft_version, record.draft_revision]
        wins[:] = [0] * _PROCESSES
        barrier.wait(_PATIENCE_SECONDS)  # the draft is there
        barrier.wait(_PATIENCE_SECONDS)  # all have tried
        after = registry.get("bench_weather")
        assert after is not None
        good += sum(wins) == 1 and after.published_version == number
    seconds = time.perf_counter() - began
    registry.close()
    return good, seconds


def _race(url: str, barrier: Barrier, wins: Any, draft: Any, number: int) -> None:
    from sparknb.core.errors import ConflictError
    from sparknb.registry import open_registry

    registry = open_registry(url)
    barrier.wait(_PATIENCE_SECONDS)
    for _ in range(_ROUNDS):
        barrier.wait(_PATIENCE_SECONDS)
        version, revision = draft
        try:
            registry.publish(
                "bench_weather", expected_version=version, expected_revision=revision
            )
            wins[number] = 1
        except ConflictError:
            pass
        barrier.wait(_PATIENCE_SECONDS)
    registry.close()
