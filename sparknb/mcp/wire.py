"""Newline-delimited JSON-RPC over the pipes of this process.

The SDK's own transport reads and writes through worker threads: three switches a
message, a read that no signal can end, and lines without a limit. This one lets the
event loop read the pipes. Files, and systems whose loop cannot read pipes, are left
to the SDK.
"""

import asyncio
import os
import stat
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

__all__ = ["MAX_LINE_BYTES", "Incoming", "Outgoing", "are_pipes", "open_pipes"]

MAX_LINE_BYTES = 16 * 1024 * 1024
_HELD_BYTES = MAX_LINE_BYTES
_FLUSH_SECONDS = 2.0


def are_pipes(*descriptors: int) -> bool:
    """Whether an event loop can wait for all of these: pipes, sockets, terminals."""
    return sys.platform != "win32" and all(map(_can_wait, descriptors))


def _can_wait(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


@asynccontextmanager
async def open_pipes(
    source: int, sink: int
) -> AsyncIterator[tuple["Incoming", "Outgoing"]]:
    """Give the two directions of a connection; closes both descriptors."""
    loop = asyncio.get_running_loop()
    was_blocking = os.get_blocking(source), os.get_blocking(sink)
    outgoing = Outgoing()
    incoming = Incoming(outgoing)
    # The flag belongs to the open file, which a terminal shares with the shell.
    spare = os.dup(source), os.dup(sink)
    try:
        reader, _ = await loop.connect_read_pipe(
            lambda: incoming, os.fdopen(source, "rb", buffering=0)
        )
        writer, _ = await loop.connect_write_pipe(
            lambda: outgoing, os.fdopen(sink, "wb", buffering=0)
        )
        outgoing.lost.add_done_callback(lambda _: incoming.end())
        try:
            yield incoming, outgoing
        finally:
            reader.close()
            writer.close()
            with anyio.move_on_after(_FLUSH_SECONDS, shield=True):
                await asyncio.shield(outgoing.lost)
            if not outgoing.lost.done():
                writer.abort()
    finally:
        for descriptor, blocking in zip(spare, was_blocking, strict=True):
            with suppress(OSError):
                os.set_blocking(descriptor, blocking)
            os.close(descriptor)


class _Stream:
    """What both directions share: leaving the context closes nothing by itself."""

    async def aclose(self) -> None:
        """Do nothing: the pipes are closed by `open_pipes`."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class Outgoing(_Stream, asyncio.Protocol):
    """Messages to the client; a full pipe makes `send` wait."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[None] = loop.create_future()
        self._free = asyncio.Event()
        self._free.set()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = transport  # type: ignore[assignment]  # of a write pipe

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the client reads no more."""
        del exc
        self._free.set()
        if not self.lost.done():
            self.lost.set_result(None)

    def pause_writing(self) -> None:
        """Hold senders back."""
        self._free.clear()

    def resume_writing(self) -> None:
        """Let senders go on."""
        self._free.set()

    async def send(self, item: SessionMessage, /) -> None:
        """Write one message as one line.

        Raises:
            anyio.BrokenResourceError: The client is gone.
        """
        await self._free.wait()
        if self._transport is None or self.lost.done():
            raise anyio.BrokenResourceError
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        self._transport.write(text.encode() + b"\n")


class Incoming(_Stream, asyncio.Protocol):
    """Messages from the client, until it closes its end.

    A line that is no message, or is longer than `MAX_LINE_BYTES`, is answered with
    a parse error and skipped; the connection goes on.
    """

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._lines: deque[bytes | None] = deque()
        self._held = 0  # bytes in lines that wait
        self._rest = bytearray()
        self._is_skipping = False
        self._is_ended = False
        self._more = asyncio.Event()
        self._transport: asyncio.ReadTransport | None = None

    # ------------------------------------------------- called by the event loop
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = transport  # type: ignore[assignment]  # of a read pipe

    def data_received(self, data: bytes) -> None:
        """Cut what came into lines; stop reading when many wait."""
        *whole, rest = data.split(b"\n")
        for piece in whole:
            self._finish_line(piece)
        self._extend(rest)
        if self._held > _HELD_BYTES and self._transport is not None:
            self._transport.pause_reading()
        if self._lines:
            self._more.set()

    def eof_received(self) -> None:
        """Note the end."""
        self.end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end."""
        del exc
        self.end()

    def end(self) -> None:
        """End the stream: lines that came whole are still given."""
        self._is_ended = True
        self._more.set()

    def _extend(self, piece: bytes) -> None:
        if len(self._rest) + len(piece) > MAX_LINE_BYTES:
            self._is_skipping = True
            self._rest.clear()
        if not self._is_skipping:
            self._rest += piece

    def _finish_line(self, piece: bytes) -> None:
        self._extend(piece)
        self._lines.append(None if self._is_skipping else bytes(self._rest))
        self._held += len(self._rest)
        self._rest.clear()
        self._is_skipping = False

    # ----------------------------------------------------- called by the server
    async def receive(self) -> SessionMessage | Exception:
        """Give the next message.

        Raises:
            anyio.EndOfStream: The client closed its end.
        """
        while True:
            line = await self._next_line()
            message = self._parsed(line)
            if message is not None:
                return message
            await self._refuse(line)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def _next_line(self) -> bytes | None:
        while not self._lines:
            if self._is_ended:
                raise anyio.EndOfStream
            self._more.clear()
            await self._more.wait()
        line = self._lines.popleft()
        self._held -= len(line or b"")
        if not self._lines and self._transport is not None and not self._is_ended:
            self._transport.resume_reading()
        return line

    def _parsed(self, line: bytes | None) -> SessionMessage | None:
        if line is None:
            return None
        try:
            return SessionMessage(
                jsonrpc_message_adapter.validate_json(line, by_name=False)
            )
        except ValidationError:
            return None

    async def _refuse(self, line: bytes | None) -> None:
        if line is not None and not line.strip():
            return  # an empty line between messages says nothing
        reason = "the line is not a JSON-RPC message"
        if line is None:
            reason = f"a message may have at most {MAX_LINE_BYTES} bytes"
        error = ErrorData(code=PARSE_ERROR, message=reason)
        answer: Any = JSONRPCError(jsonrpc="2.0", id=None, error=error)
        with suppress(anyio.BrokenResourceError):
            await self._outgoing.send(SessionMessage(answer))
