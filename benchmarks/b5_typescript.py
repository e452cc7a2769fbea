"""B5: one TypeScript tool call, beside Deno alone running the same program from a file.

Deno alone has the program in a file and its compiled form in a cache; a call of ours
has a process, a folder and a cache of its own, and reads the program from the host.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks.measure import Figure, alternate_async, compared, in_time

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["run"]

_MOST_TIME = 1.5
_MOST_MS = 40
_AT_ONCE = 100
_MOST_GROWTH_MIB = 8

_NAME = "custom_bench_sum"
_SOURCE = """\
interface Input { numbers: number[] }
export default async (input: Input): Promise<object> => {
  const sum = input.numbers.reduce((a, b) => a + b, 0);
  return { sum, mean: sum / input.numbers.length };
};
"""
_ALONE = f"""{_SOURCE.replace("export default", "const entry =")}
console.log(JSON.stringify(await entry({{ numbers: [1, 2, 3, 6] }}), null, 2));
"""
_ARGUMENTS = {"numbers": [1, 2, 3, 6]}
_RESULT = {"sum": 12, "mean": 3}


def run() -> list[Figure]:
    """Measure; about half a minute."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(Path(folder)))


def _definition() -> dict[str, Any]:
    return {
        "id": "bench_sum",
        "title": "Sum and mean",
        "description": "Gives the sum and the mean of some numbers.",
        "type": "code",
        "inputSchema": {
            "type": "object",
            "properties": {"numbers": {"type": "array", "items": {"type": "number"}}},
            "required": ["numbers"],
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "timeoutMs": 60_000,
        "spec": {"runtime": {"language": "typescript", "source": _SOURCE}},
    }


async def _run(folder: Path) -> list[Figure]:
    from deno import find_deno_bin

    from sparknb.bootstrap import open_host

    program = folder / "alone.ts"
    program.write_text(_ALONE, encoding="utf-8")
    environment = {"DENO_DIR": str(folder / "cache"), "NO_COLOR": "1"}
    command = (find_deno_bin(), "run", "--no-prompt", "--no-config", "--no-lock")
    home = folder / "home"
    host = await open_host(home=home, keychain="memory", environment={})

    async def ours() -> None:
        result = await host.call(_NAME, _ARGUMENTS)
        assert result.data == _RESULT, result.text

    async def theirs() -> None:
        process = await asyncio.create_subprocess_exec(
            *command, str(program), stdout=asyncio.subprocess.PIPE, env=environment
        )
        printed, _ = await process.communicate()
        assert json.loads(printed) == _RESULT

    try:
        await host.studio.draft(_definition())
        await host.studio.publish("bench_sum")
        single = await alternate_async(ours, theirs, rounds=20, calls=3, warm_up=3)
        together = await _together(host)
    finally:
        await host.close()
    return [_alone(*single), together]


def _alone(mine: list[float], other: list[float]) -> Figure:
    a, b, ratio = compared(mine, other)
    return Figure(
        id="B5",
        work=f"one TypeScript call (best {min(mine) * 1000:.0f} ms)",
        against="deno run, same program in a file",
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
        goal=f"≤ {_MOST_TIME}, < {_MOST_MS} ms on the reference machine",
        met=ratio <= _MOST_TIME,
    )


async def _together(host: "Host") -> Figure:
    """Make many calls at once, again and again; none fails, and nothing is kept."""

    async def one() -> None:
        result = await host.call(_NAME, _ARGUMENTS)
        assert result.ok, result.text

    async def batch() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(_AT_ONCE):
                group.create_task(one())

    process = psutil.Process()
    await batch()  # what is loaded at first use is loaded
    before = process.memory_info().rss
    for _ in in_time(5):
        await batch()
    grown = (process.memory_info().rss - before) / 1024**2
    left = [child for child in process.children() if child.name() == "deno"]
    return Figure(
        id=f"B5·{_AT_ONCE}",
        work=f"TypeScript calls, {_AT_ONCE} at once: growth of memory, after 5 times",
        against="-",
        unit="MiB",
        ours=grown,
        goal=f"no error, ≤ {_MOST_GROWTH_MIB} MiB, one parser left",
        met=grown <= _MOST_GROWTH_MIB and len(left) == 1,
    )
