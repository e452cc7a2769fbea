"""A uvicorn server in a thread: quiet, and stopped within a bounded time."""

import asyncio
import socket
import threading
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["ServerThread"]

_START_SECONDS = 30
_STOP_SECONDS = 5


class _Server(uvicorn.Server):
    """A server that says when it has started, without anybody polling."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_started = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.has_started.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets=sockets)
        # What a client does not read keeps its connection open beyond the end.
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)


class ServerThread:
    """Serves an application on listening sockets from a daemon thread."""

    def __init__(self, app: "ASGIApp", sockets: list[socket.socket]) -> None:
        self._server = _Server(
            uvicorn.Config(
                app,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                date_header=False,  # the same answer every time
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": sockets},
            name="sparknb-examples",
            daemon=True,
        )

    def start(self) -> bool:
        """Start, and tell whether it answers."""
        self._thread.start()
        return self._server.has_started.wait(_START_SECONDS)

    def stop(self) -> None:
        """End within seconds, also while answers are on their way."""
        self._server.should_exit = True
        self._thread.join(_STOP_SECONDS)
        if self._thread.is_alive():
            self._server.force_exit = True
            self._thread.join(_STOP_SECONDS)

    def wait(self) -> None:
        """Return when the server has ended."""
        self._thread.join()
