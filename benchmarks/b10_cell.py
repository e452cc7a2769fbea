"""B10: a `%%spark_tool` cell in a real kernel whose registry has 1,000 tools.

The kernel itself takes the time, from before the cell to after it, so that what
travels between it and the client is no part of the figure.
"""

import ast
import asyncio
import os
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.b8_surface import fill
from benchmarks.measure import Figure

if TYPE_CHECKING:
    from jupyter_client.blocking.client import BlockingKernelClient

__all__ = ["run"]

_TOOLS = 1_000
_CELLS = 100
_MOST_MS = 30
_PATIENCE_SECONDS = 60

_SETUP = """
import time
_bench = []
def _bench_before(info):
    _bench.append(time.perf_counter())
def _bench_after(result):
    _bench[-1] = time.perf_counter() - _bench[-1]
get_ipython().events.register("pre_run_cell", _bench_before)
get_ipython().events.register("post_run_cell", _bench_after)
%load_ext sparknb
"""
_CELL = """%%spark_tool bench_cell
title: Weather in a city
description: Tells the weather of a city, in edition {number}.
params:
  city: {{type: string, description: Name of the city}}
  units?: {{type: string, enum: [metric, imperial], default: metric}}
request: GET http://127.0.0.1:8700/weather?city={{{{city}}}}&units={{{{units}}}}
response: {{format: json, extract: {{Temperature: $.temperature, Sky: $.sky}}}}
"""


def run() -> list[Figure]:
    """Measure; about half a minute."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        asyncio.run(_fill(home))
        return _measured(home)


async def _fill(home: Path) -> None:
    from sparknb.bootstrap import open_host

    host = await open_host(home=home, keychain="memory", environment={})
    try:
        fill(host, home / "registry.db", _TOOLS)
    finally:
        await host.close()


def _measured(home: Path) -> list[Figure]:
    from jupyter_client.manager import start_new_kernel

    environment = os.environ | {
        "SPARKNB_HOME": str(home),
        "SPARKNB_KEYCHAIN": "memory",
        "IPYTHONDIR": str(home / "ipython"),
    }
    manager, client = start_new_kernel(env=environment)
    try:
        _execute(client, _SETUP)
        changed = _times(client, [_CELL.format(number=n) for n in range(_CELLS)])
        same = _times(client, [_CELL.format(number=_CELLS - 1)] * _CELLS)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return [
        _figure("B10", "%%spark_tool that saves a change", changed),
        _figure("B10·same", "%%spark_tool that changes nothing", same),
    ]


def _times(client: "BlockingKernelClient", cells: list[str]) -> list[float]:
    _execute(client, cells[0])  # opens the home
    _execute(client, "_bench.clear()")
    for cell in cells:
        _execute(client, cell)
    shown = _execute(client, "print(_bench[1:])")
    found: list[float] = ast.literal_eval(shown)[: len(cells)]
    assert len(found) == len(cells)
    return found


def _execute(client: "BlockingKernelClient", code: str) -> str:
    printed: list[str] = []

    def hear(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])

    answer = client.execute_interactive(
        code, output_hook=hear, allow_stdin=False, timeout=_PATIENCE_SECONDS
    )
    assert answer["content"]["status"] == "ok", answer["content"]
    return "".join(printed)


def _figure(name: str, work: str, times: list[float]) -> Figure:
    slow = statistics.quantiles(times, n=20)[-1] * 1000
    middle = statistics.median(times) * 1000
    return Figure(
        id=name,
        work=f"{work}, p95 (median {middle:.0f} ms), {_TOOLS:,} tools",
        against="-",
        unit="ms",
        ours=slow,
        goal=f"< {_MOST_MS} ms",
        met=slow < _MOST_MS,
    )
