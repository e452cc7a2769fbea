"""B3: `tools/call` over stdio and HTTP, beside FastMCP serving an equal function.

Both servers send the same GET to the same service, both answer the same client.
"""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Figure, alternate_async, compared
from benchmarks.service import serving
from benchmarks.tools import NAME, publish

if TYPE_CHECKING:
    from mcp import Client

__all__ = ["run"]

_START_SECONDS = 60
_PEER = Path(__file__).with_name("fastmcp_peer.py")


def run() -> list[Figure]:
    """Measure; about half a minute."""
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        figures = asyncio.run(_run(url, home))
        return figures + asyncio.run(_run_http(url, home))


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


async def _run_http(url: str, home: Path) -> list[Figure]:
    from mcp import Client

    from sparknb.mcp.config import command

    ports = _free_ports()
    environment = os.environ | {"SPARKNB_HOME": str(home), "SPARKNB_KEYCHAIN": "memory"}
    starts = (
        [*command(), "mcp", "--http", f"127.0.0.1:{ports[0]}"],
        [sys.executable, str(_PEER), url, str(ports[1])],
    )
    figures = []
    with ExitStack() as servers:
        for start, port in zip(starts, ports, strict=True):
            servers.enter_context(_server(start, port, environment))
        for mode, name in (("auto", "B3·HTTP"), ("legacy", "B3·HTTP·2025")):
            async with AsyncExitStack() as stack:
                ours, theirs = [
                    await stack.enter_async_context(
                        Client(f"http://127.0.0.1:{port}/mcp", mode=mode)
                    )
                    for port in ports
                ]
                times = await alternate_async(
                    lambda c=ours: _call(c, NAME),  # type: ignore[misc]  # bound here
                    lambda c=theirs: _call(c, "bench_weather"),  # type: ignore[misc]  # bound here
                    rounds=20,
                    calls=25,
                )
                version = ours.protocol_version
            figures.append(_figure(name, version, *times, over="HTTP"))
    return figures


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as two:
        for listener in (one, two):
            listener.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


@contextmanager
def _server(words: list[str], port: int, environment: dict[str, str]) -> Iterator[None]:
    """Start a server, wait until it listens, end it."""
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(words, env=environment, stdout=quiet, stderr=quiet)
    try:
        give_up = time.monotonic() + _START_SECONDS
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if child.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError(f"the server did not start: {words[0]}")
            time.sleep(0.05)
        yield
    finally:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


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


def _figure(
    name: str,
    version: str,
    mine: list[float],
    other: list[float],
    over: str = "stdio",
) -> Figure:
    a, b, ratio = compared(mine, other)
    return Figure(
        id=name,
        work=f"tools/call over {over}, protocol {version}",
        against="FastMCP serves an equal function",
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
        goal="≤ 1.0",
        met=ratio <= 1.0,
    )
