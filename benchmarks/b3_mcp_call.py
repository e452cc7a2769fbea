"""B3: `tools/call` through stdio MCP, beside FastMCP serving an equal function.

Both servers send the same GET to the same service, both answer the same client.
"""

import asyncio
import os
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Figure, alternate_async, compared
from benchmarks.service import serving
from benchmarks.tools import NAME, publish

if TYPE_CHECKING:
    from mcp import Client

__all__ = ["run"]

_PEER = Path(__file__).with_name("fastmcp_peer.py")


def run() -> list[Figure]:
    """Measure; about fifteen seconds."""
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(url, Path(folder)))


async def _run(url: str, home: Path) -> list[Figure]:
    await publish(home, url)
    from sparknb.mcp.config import command

    program, *words = command()
    environment = {"SPARKNB_HOME": str(home), "SPARKNB_KEYCHAIN": "memory"}
    mine = [program, *words, "mcp"], environment
    other: tuple[list[str], dict[str, str]] = [sys.executable, str(_PEER), url], {}
    figures = []
    for mode, name in (("auto", "B3"), ("legacy", "B3·2025")):
        async with AsyncExitStack() as stack:
            ours = await _connect(stack, *mine, mode)
            theirs = await _connect(stack, *other, mode)
            times = await alternate_async(
                lambda c=ours: _call(c, NAME),  # type: ignore[misc]  # bound here
                lambda c=theirs: _call(c, "bench_weather"),  # type: ignore[misc]  # bound here
                rounds=20,
                calls=25,
            )
            figures.append(_figure(name, ours.protocol_version, *times))
    return figures


async def _connect(
    stack: AsyncExitStack, words: list[str], environment: dict[str, str], mode: str
) -> "Client":
    from mcp import Client, StdioServerParameters, stdio_client

    quiet = stack.enter_context(open(os.devnull, "w"))  # noqa: ASYNC230, PTH123, SIM115  # no disk
    start = StdioServerParameters(command=words[0], args=words[1:], env=environment)
    transport = stdio_client(start, errlog=quiet)
    return await stack.enter_async_context(Client(transport, mode=mode))


async def _call(client: "Client", name: str) -> Any:
    result = await client.call_tool(name, {"city": "Oslo", "day": 0, "units": "metric"})
    assert not result.is_error, result
    assert result.structured_content is not None
    assert result.structured_content["city"] == "Oslo"


def _figure(name: str, version: str, mine: list[float], other: list[float]) -> Figure:
    a, b, ratio = compared(mine, other)
    return Figure(
        id=name,
        work=f"tools/call over stdio, protocol {version}",
        against="FastMCP serves an equal function",
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
        goal="≤ 1.0",
        met=ratio <= 1.0,
    )
