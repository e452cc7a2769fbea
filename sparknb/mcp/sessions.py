"""Many clients over HTTP, each with a session of its own.

Clients of the protocol up to 2025 open a session and name it in each request. Since
2026 every request stands alone. Both are served at the same address.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from sparknb.core.errors import SparknbError
from sparknb.mcp.admission import Admission, Refusal
from sparknb.mcp.calls import CLOSING_SECONDS
from sparknb.mcp.exchange import Exchange
from sparknb.mcp.server import ToolServer

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from sparknb.host.host import Host

__all__ = ["Sessions"]

_log = logging.getLogger("sparknb.mcp")

_MOST_SESSIONS = 256
_IDLE_SECONDS = 30 * 60.0
_GREETING_SECONDS = 10.0  # from the first request to the second
_FIRST_BAD_STATUS = 400


class Sessions:
    """An ASGI application that serves one host. Enter `opened()` while it serves."""

    def __init__(
        self, host: "Host", admission: Admission, *, manage: bool = False
    ) -> None:
        self._host = host
        self._manage = manage
        self._admission = admission
        self._sessions: dict[str, _Session] = {}
        self._is_closing = False
        self._shared = ToolServer(host, is_shared=True, manage=manage)
        self._alone = StreamableHTTPSessionManager(self._shared.server)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Serve; end all sessions and their calls at the end."""
        async with self._shared.watching(), self._alone.run():
            try:
                yield
            finally:
                await self.close()

    async def close(self) -> None:
        """End all sessions, take no new one."""
        self._is_closing = True
        async with asyncio.TaskGroup() as group:
            for session in list(self._sessions.values()):
                group.create_task(session.end())

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer a request."""
        exchange = Exchange(scope, receive, send)
        refusal = self._admission.refusal(scope)
        if refusal is not None:
            await exchange.refuse(refusal)
        elif scope["method"] != "POST" or await exchange.read():
            await self._serve(exchange)

    async def _serve(self, exchange: Exchange) -> None:
        version = exchange.header("mcp-protocol-version")
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._alone.handle_request(
                exchange.scope, exchange.receive, exchange.send
            )
            return
        name = exchange.header("mcp-session-id")
        if name is None:
            await self._open(exchange)
            return
        session = self._sessions.get(name)
        if session is None:
            await exchange.refuse(_NO_SUCH_SESSION)
            return
        await session.serve(exchange)

    async def _open(self, exchange: Exchange) -> None:
        """Serve the request that opens a session; without one there is no session."""
        refusal = self._no_opening(exchange)
        if refusal is not None:
            await exchange.refuse(refusal)
            return
        session = _Session(self._host, manage=self._manage)
        self._sessions[session.id] = session
        session.task.add_done_callback(lambda _: self._sessions.pop(session.id, None))
        try:
            failure = await session.started()
            if failure is not None:
                await exchange.refuse(failure)
                return
            await session.serve(exchange)
        finally:
            if exchange.status is None or exchange.status >= _FIRST_BAD_STATUS:
                await session.end()

    def _no_opening(self, exchange: Exchange) -> Refusal | None:
        if exchange.scope["method"] != "POST":
            return _NO_SESSION
        if self._is_closing:
            return Refusal(status=503, message="the server is ending")
        if sum(not s.is_over for s in self._sessions.values()) >= _MOST_SESSIONS:
            return Refusal(status=503, message="too many sessions are open")
        return None


class _Session:
    """A client's session: a server and a transport of its own."""

    def __init__(self, host: "Host", *, manage: bool) -> None:
        self.id = secrets.token_urlsafe(24)
        self._tools = ToolServer(host, manage=manage)
        self._transport = StreamableHTTPServerTransport(self.id)
        self._is_ready = asyncio.Event()
        self._requests = 0  # under way
        self._is_used = False
        self._clock: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None
        self.task = asyncio.create_task(self._live())

    async def _live(self) -> None:
        tools = self._tools
        async with tools.watching(), self._transport.connect() as (incoming, outgoing):
            self._is_ready.set()
            await tools.server.run(incoming, outgoing, tools.options())

    @property
    def is_over(self) -> bool:
        """Whether it serves no more, though it may not have tidied up yet."""
        return self._transport.is_terminated

    async def started(self) -> Refusal | None:
        """Wait until it can be used; give why it cannot."""
        ready = asyncio.create_task(self._is_ready.wait())
        try:
            await asyncio.wait({ready, self.task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if not self.task.done():
            return None
        error = self.task.exception()
        said = error.message if isinstance(error, SparknbError) else "it has ended"
        return Refusal(status=503, message=f"no session can be opened: {said}")

    async def serve(self, exchange: Exchange) -> None:
        """Serve a request of this session; without any for long, the session ends."""
        patience = _IDLE_SECONDS if self._is_used else _GREETING_SECONDS
        self._is_used = True
        self._requests += 1
        if self._clock is not None:
            self._clock.cancel()
        try:
            await self._transport.handle_request(
                exchange.scope, exchange.receive, exchange.send
            )
            if self.is_over:
                await self.end()
        finally:
            self._requests -= 1
            if not self._requests and not self.task.done():
                loop = asyncio.get_running_loop()
                self._clock = loop.call_later(patience, self._expire)

    def _expire(self) -> None:
        self._ending = asyncio.create_task(self.end())

    async def end(self) -> None:
        """End it: its calls are cancelled, its streams closed."""
        if self._clock is not None:
            self._clock.cancel()
        await self._transport.terminate()
        await asyncio.wait({self.task}, timeout=CLOSING_SECONDS)
        if not self.task.done():
            self.task.cancel()
            await asyncio.wait({self.task}, timeout=CLOSING_SECONDS)
        if self.task.done() and not self.task.cancelled() and self.task.exception():
            _log.warning("a session ended badly: %s", self.task.exception())


_NO_SUCH_SESSION = Refusal(
    status=404, message="no such session: it has ended, or never was; initialize again"
)
_NO_SESSION = Refusal(status=400, message="the request names no session")
