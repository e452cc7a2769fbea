"""Serving over HTTP, to many clients at once (ST-64)."""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from sparknb.mcp.admission import Admission, require_token
from sparknb.mcp.calls import CLOSING_SECONDS
from sparknb.mcp.endpoint import Endpoint, listen
from sparknb.mcp.sessions import Sessions
from sparknb.mcp.signals import INTERRUPTED, ended_by_signals

if TYPE_CHECKING:
    from sparknb.host.host import Host

__all__ = ["serve"]

_HEAD_SECONDS = 15.0
_MOST_CONNECTIONS = 512
_LAST_WORDS_SECONDS = 1.0


async def serve(
    host: "Host",
    endpoint: Endpoint,
    *,
    announce: Callable[[Endpoint], None],
    manage: bool = False,
) -> int:
    """Serve until SIGTERM or SIGINT comes.

    Args:
        host: Whose tools are served; its settings hold the token.
        endpoint: Where to listen.
        announce: Called once it listens, with the real port.
        manage: Serve the authoring tools as well.

    Raises:
        InvalidInputError: It cannot listen there, or the token is missing or weak.
    """
    token = host.settings.mcp_token
    require_token(endpoint, token)
    listener, endpoint = listen(endpoint)
    with listener:
        sessions = Sessions(host, Admission(endpoint, token), manage=manage)
        server = _Server(sessions)
        async with sessions.opened():
            gc.freeze()  # what is loaded stays: see `stdio.serve`
            with ended_by_signals(server.stop) as received:
                announce(endpoint)
                await server.until_stopped(listener)
    return INTERRUPTED if signal.SIGINT in received else 0


class _Server(uvicorn.Server):
    """uvicorn, quiet, ended by us, and within a bounded time."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        super().__init__(
            uvicorn.Config(
                sessions,
                loop="asyncio",
                http=_Connection,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=int(CLOSING_SECONDS) + 1,
            )
        )

    async def until_stopped(self, listener: socket.socket) -> None:
        """Serve; cancelled, it ends in the same order."""
        serving = asyncio.create_task(self.serve(sockets=[listener]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self.stop()
            await asyncio.wait({serving})
            raise

    def stop(self) -> None:
        """Begin the end."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`: uvicorn would raise them again at the end."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End calls and sessions first, then the connections."""
        await self._sessions.close()
        connections: list[Any] = list(self.server_state.connections)
        for connection in connections:
            connection.transport.close()
        # What a client does not read would keep its connection open for ever.
        loop = asyncio.get_running_loop()
        cut = loop.call_later(_LAST_WORDS_SECONDS, _abort, connections)
        try:
            await super().shutdown(sockets=sockets)
        finally:
            cut.cancel()
            _abort(connections)


def _abort(connections: list[Any]) -> None:
    for connection in connections:
        connection.transport.abort()


class _Connection(H11Protocol):
    """A connection that is closed when no request is under way for long."""

    _idle_at: object = None  # the exchange after which it was found idle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn's own
        """Begin to look after it."""
        super().connection_made(transport)
        self.loop.call_later(_HEAD_SECONDS, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self._idle_at is (self.cycle or self):
            self.transport.close()
            return
        self._idle_at = (self.cycle or self) if is_idle else None
        self.loop.call_later(_HEAD_SECONDS, self._look)
