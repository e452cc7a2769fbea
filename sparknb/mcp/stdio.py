"""Serving over standard input and output, as MCP clients start it (SV-5)."""

import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from sparknb.core.errors import UsageError
from sparknb.mcp.server import ToolServer
from sparknb.mcp.signals import INTERRUPTED, ended_by_signals
from sparknb.mcp.wire import are_pipes, open_pipes

if TYPE_CHECKING:
    from sparknb.host.host import Host

__all__ = ["serve"]

_Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]


async def serve(host: "Host", *, manage: bool = False) -> int:
    """Serve until the client closes its end, or SIGTERM or SIGINT comes.

    With `manage` the authoring tools are served as well.

    Raises:
        UsageError: Standard input or output is closed.
    """
    tools = ToolServer(host, manage=manage)
    stop = anyio.CancelScope()
    # What is loaded by now stays until the end: the garbage collector need not walk
    # through it while calls run, nor for most of a second when the client leaves.
    gc.freeze()
    with ended_by_signals(stop.cancel) as received:
        async with _claimed() as (incoming, outgoing), tools.watching():
            with stop:
                await tools.server.run(incoming, outgoing, tools.options())
    return INTERRUPTED if signal.SIGINT in received else 0


@asynccontextmanager
async def _claimed() -> AsyncIterator[_Streams]:
    """Give the wire, and lead whatever else writes to it to standard error.

    A tool, a library or a child that prints would break the protocol; one that
    reads standard input would swallow a message.
    """
    if not _are_open():
        raise UsageError(
            "sparknb mcp speaks over standard input and output, and one is closed",
            hint="let an MCP client start it: sparknb mcp --print-config claude",
        )
    if not are_pipes(0, 1):
        async with stdio_server() as streams:
            yield streams
        return
    with _diverted() as (source, sink):
        async with open_pipes(source, sink) as pipes:
            yield pipes


def _are_open() -> bool:
    try:
        os.fstat(0)
        os.fstat(1)
    except OSError:
        return False
    return sys.stdin is not None and sys.stdout is not None


@contextmanager
def _diverted() -> Iterator[tuple[int, int]]:
    """Give copies of both ends, while 0 is the null device and 1 is standard error."""
    sys.stdout.flush()
    kept = os.dup(0), os.dup(1)
    wire = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    try:
        yield wire
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()  # what was printed meanwhile goes to standard error
        for descriptor, saved in enumerate(kept):
            os.dup2(saved, descriptor)
            os.close(saved)
