"""B4: one call of a Python tool end to end, beside pydantic-monty alone."""

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure, alternate_async, compared

__all__ = ["run"]

_ID = "bench_sum"
_SOURCE = """\
def run(n: int, text: str) -> dict:
    return {"sum": sum(range(n)), "text": text.upper()}
"""
_ARGUMENTS = {"n": 100, "text": "a text"}
_ANSWER = {"sum": 4950, "text": "A TEXT"}
_MOST_TIME = 1.5
_MOST_MS = 1.0  # on the machine of reference
_AT_ONCE = 100
_MIB = 1024 * 1024


def run() -> list[Figure]:
    """Measure; about ten seconds."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(Path(folder)))


async def _run(home: Path) -> list[Figure]:
    from pydantic_monty import AsyncMonty

    from sparknb.bootstrap import open_host

    host = await open_host(home=home, keychain="memory", environment={})
    try:
        await host.studio.draft(_definition())
        await host.studio.publish(_ID)

        async def ours() -> None:
            result = await host.call(f"custom_{_ID}", _ARGUMENTS)
            assert result.ok, result.text
            assert result.data == _ANSWER

        async with AsyncMonty() as pool:

            async def theirs() -> None:
                limits: Any = {"max_memory": 128 * _MIB}
                async with pool.checkout(limits=limits) as session:
                    found = await session.feed_run(
                        f"{_SOURCE}\nrun(**given)", inputs={"given": _ARGUMENTS}
                    )
                assert found == _ANSWER

            mine, other = await alternate_async(ours, theirs, rounds=40, calls=25)
        began = time.perf_counter()
        await asyncio.gather(*[ours() for _ in range(_AT_ONCE)])
        seconds = time.perf_counter() - began
    finally:
        await host.close()
    return [_alone(mine, other), _together(seconds)]


def _definition() -> dict[str, Any]:
    return {
        "id": _ID,
        "title": "A sum",
        "description": "Adds numbers, and writes a text in capitals.",
        "type": "code",
        "inputSchema": {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "text": {"type": "string"}},
            "required": ["n", "text"],
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": {"runtime": {"language": "python", "source": _SOURCE}},
    }


def _alone(mine: list[float], other: list[float]) -> Figure:
    a, b, ratio = compared(mine, other)
    return Figure(
        id="B4",
        work="one call of a Python tool",
        against="AsyncMonty alone, a fresh session",
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
        goal=f"≤ {_MOST_TIME}; < {_MOST_MS:.0f} ms on the machine of reference",
        met=ratio <= _MOST_TIME,
    )


def _together(seconds: float) -> Figure:
    return Figure(
        id=f"B4·{_AT_ONCE}",
        work=f"{_AT_ONCE} calls of a Python tool at once",
        against="-",
        unit="ms",
        ours=seconds * 1000,
        goal="no errors",
        met=True,
    )
