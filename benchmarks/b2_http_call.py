"""B2: one GET tool call end to end, beside a bare httpx client doing the same GET."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.measure import Figure, alternate_async, compared, in_time
from benchmarks.service import serving
from benchmarks.tools import NAME, publish

__all__ = ["run"]

_AT_ONCE = 64
_BATCH = 256
_MOST_TIME = 1.3
_LEAST_THROUGHPUT = 0.7

Work = Callable[[], Awaitable[object]]


def run() -> list[Figure]:
    """Measure; about ten seconds."""
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(url, Path(folder)))


async def _run(url: str, home: Path) -> list[Figure]:
    import httpx

    from sparknb.bootstrap import open_host

    await publish(home, url)
    host = await open_host(home=home, keychain="memory", environment={})
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
    client = httpx.AsyncClient(trust_env=False, limits=limits)
    query = {"city": "Oslo", "day": "0", "units": "metric"}
    arguments = {"city": "Oslo", "day": 0, "units": "metric"}

    async def ours() -> None:
        result = await host.call(NAME, arguments)
        assert result.ok, result.text
        assert result.data["city"] == "Oslo"

    async def theirs() -> None:
        answer = await client.get(
            f"{url}/weather", params=query, headers={"Accept": "application/json"}
        )
        assert answer.json()["city"] == "Oslo"

    try:
        single = await alternate_async(ours, theirs, rounds=40, calls=25)
        many = await _throughput(ours, theirs)
    finally:
        await client.aclose()
        await host.close()
    return [_alone(*single), _together(*many)]


async def _throughput(ours: Work, theirs: Work) -> tuple[list[float], list[float]]:
    """Give calls per second of each round, in turn."""
    await _batch(ours)
    await _batch(theirs)
    found: tuple[list[float], list[float]] = ([], [])
    for _ in in_time(8):
        found[0].append(await _batch(ours))
        found[1].append(await _batch(theirs))
    return found


async def _batch(work: Work) -> float:
    left = iter(range(_BATCH))

    async def worker() -> None:
        for _ in left:
            await work()

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(worker())
    return _BATCH / (time.perf_counter() - began)


def _alone(mine: list[float], other: list[float]) -> Figure:
    a, b, ratio = compared(mine, other)
    return Figure(
        id="B2",
        work="one GET tool call, one at a time",
        against="bare httpx.AsyncClient, same GET",
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
        goal=f"≤ {_MOST_TIME}",
        met=ratio <= _MOST_TIME,
    )


def _together(mine: list[float], other: list[float]) -> Figure:
    a, b, ratio = compared(mine, other)
    return Figure(
        id=f"B2·{_AT_ONCE}",
        work=f"GET tool calls, {_AT_ONCE} at once",
        against="bare httpx.AsyncClient, same GETs",
        unit="calls/s",
        ours=a,
        theirs=b,
        ratio=ratio,
        goal=f"≥ {_LEAST_THROUGHPUT}",
        met=ratio >= _LEAST_THROUGHPUT,
    )
