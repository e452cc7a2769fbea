"""Alternating rounds, medians and ratios."""

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

_LONGEST_SECONDS = 20.0  # for one comparison, on a machine that is busy
_FEWEST_ROUNDS = 5

__all__ = ["Figure", "alternate", "alternate_async", "compared", "in_time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the report.

    Attributes:
        work: What is done.
        against: What does the same beside it.
        ours: Median of ours in `unit`.
        theirs: Median of the other, None where nothing is compared.
        ratio: Ours to theirs.
        goal: The goal in words.
        met: Whether it is met, None without a goal.
    """

    id: str
    work: str
    against: str
    unit: str
    ours: float
    theirs: float | None = None
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form."""
        return asdict(self)


def compared(ours: list[float], theirs: list[float]) -> tuple[float, float, float]:
    """Give both medians, and the median of the ratios of neighbouring rounds.

    Neighbours share whatever else the machine was doing, so their ratio is steadier
    than that of the medians.
    """
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios)


def alternate(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    rounds: int,
    calls: int,
    warm_up: int = 3,
) -> tuple[list[float], list[float]]:
    """Time both in turn; give seconds per call of each round."""
    for _ in range(warm_up):
        ours()
        theirs()
    found: tuple[list[float], list[float]] = ([], [])
    with _steady():
        for _ in in_time(rounds):
            for work, times in zip((ours, theirs), found, strict=True):
                began = time.perf_counter()
                for _ in range(calls):
                    work()
                times.append((time.perf_counter() - began) / calls)
    return found


async def alternate_async(
    ours: Callable[[], Awaitable[object]],
    theirs: Callable[[], Awaitable[object]],
    *,
    rounds: int,
    calls: int,
    warm_up: int = 20,
) -> tuple[list[float], list[float]]:
    """Time both in turn; give seconds per call of each round."""
    for _ in range(warm_up):
        await ours()
        await theirs()
    found: tuple[list[float], list[float]] = ([], [])
    with _steady():
        for _ in in_time(rounds):
            for work, times in zip((ours, theirs), found, strict=True):
                began = time.perf_counter()
                for _ in range(calls):
                    await work()
                times.append((time.perf_counter() - began) / calls)
    return found


def in_time(rounds: int) -> Iterator[int]:
    """Give the numbers of the rounds; fewer where they would take too long."""
    began = time.monotonic()
    for number in range(rounds):
        late = time.monotonic() - began > _LONGEST_SECONDS
        if late and number >= _FEWEST_ROUNDS:
            return
        yield number


@contextmanager
def _steady() -> Iterator[None]:
    """Collect garbage before, not while, time is measured."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
