"""Start and stop the example service."""

import errno
import json
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sparknb.examples.keys import API_KEY, BEARER_TOKEN, SERVICE_NAME

if TYPE_CHECKING:
    from sparknb.examples.app import RecordedRequest
    from sparknb.examples.orders import OrderBook
    from sparknb.examples.server import ServerThread

__all__ = [
    "DEFAULT_PORT",
    "ExampleService",
    "ExampleServiceError",
    "find_examples",
    "run_examples",
    "serve_examples",
]

DEFAULT_PORT = 8700
_HOST = "127.0.0.1"
_HIGHEST_PORT = 65_535
_MOST_RECORDED = 1_000
_LONGEST_ABOUT = 65_536
_PATIENCE_SECONDS = 2.0


class ExampleServiceError(Exception):
    """The example service cannot start.

    Attributes:
        code: `PORT_TAKEN`, `PORT_REFUSED` (the system says no), `INVALID_PORT`,
            `DATABASE_UNUSABLE` or `NOT_STARTED`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


@dataclass(slots=True, kw_only=True)
class ExampleService:
    """A running example service.

    Attributes:
        url: Its address, `http://127.0.0.1:<port>`, without a slash at the end.
        port: Its port.
        other_url: The same service on another port, which makes another origin.
    """

    api_key: ClassVar[str] = API_KEY
    bearer_token: ClassVar[str] = BEARER_TOKEN

    url: str
    port: int
    other_url: str
    _record: "deque[RecordedRequest]" = field(repr=False)
    _server: "ServerThread" = field(repr=False)

    @property
    def requests(self) -> "tuple[RecordedRequest, ...]":
        """The last 1000 requests that arrived, the oldest first."""
        return tuple(self._record)

    def forget(self) -> None:
        """Empty the list of requests."""
        self._record.clear()

    def wait(self) -> None:
        """Return when the service has stopped."""
        self._server.wait()


@contextmanager
def serve_examples(
    port: int = 0, database: str | PathLike[str] | None = None
) -> Iterator[ExampleService]:
    """Serve the examples on loopback from a background thread, until the block ends.

    Args:
        port: Where to listen; 0 takes any free port.
        database: File for the orders, or a folder for it; None keeps them in memory.

    Yields:
        The running service. It answers already.

    Raises:
        ExampleServiceError: The port is taken or not allowed, or the database
            cannot be used.

    Example:
        >>> import urllib.request
        >>> with serve_examples() as service:
        ...     with urllib.request.urlopen(f"{service.url}/health") as answer:
        ...         print(answer.read().decode())
        {"status":"ok"}
    """
    from sparknb.examples.app import make_app
    from sparknb.examples.endpoint import Shelf
    from sparknb.examples.server import ServerThread

    record: deque[RecordedRequest] = deque(maxlen=_MOST_RECORDED)
    with ExitStack() as stack:
        main = stack.enter_context(closing(_listen(port)))
        other = stack.enter_context(closing(_listen(0)))
        orders = stack.enter_context(closing(_open_orders(database)))
        url, other_url = (f"http://{_HOST}:{s.getsockname()[1]}" for s in (main, other))
        shelf = Shelf(orders=orders, url=url, other_url=other_url)
        server = ServerThread(make_app(shelf, record), [main, other])
        stack.callback(server.stop)
        if not server.start():
            raise ExampleServiceError("NOT_STARTED", "the server does not come up")
        yield ExampleService(
            url=url,
            port=main.getsockname()[1],
            other_url=other_url,
            _record=record,
            _server=server,
        )


def find_examples(port: int) -> str | None:
    """Give the address of an example service that runs on a port already, else None."""
    connection = HTTPConnection(_HOST, port, timeout=_PATIENCE_SECONDS)
    with closing(connection):
        try:
            connection.request("GET", "/")
            about = json.loads(connection.getresponse().read(_LONGEST_ABOUT))
        except (OSError, HTTPException, ValueError):
            return None
    is_ours = isinstance(about, dict) and about.get("name") == SERVICE_NAME
    return f"http://{_HOST}:{port}" if is_ours else None


def run_examples(
    port: int = DEFAULT_PORT,
    database: str | PathLike[str] | None = None,
    *,
    announce: Callable[[ExampleService], None] | None = None,
) -> None:
    """Serve the examples until Ctrl-C.

    Args:
        port: Where to listen; 0 takes any free port.
        database: File for the orders, or a folder for it; None keeps them in memory.
        announce: Called once, with the running service.

    Raises:
        ExampleServiceError: As `serve_examples`.
    """
    with serve_examples(port, database) as service, suppress(KeyboardInterrupt):
        if announce is not None:
            announce(service)
        service.wait()


def _listen(port: int) -> socket.socket:
    if not 0 <= port <= _HIGHEST_PORT:
        raise ExampleServiceError("INVALID_PORT", f"{port} is not between 0 and 65535")
    # asyncio sets TCP_NODELAY on its connections only when TCP is named here: without
    # it every answer takes 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ExampleServiceError(
                "PORT_TAKEN",
                f"something listens on port {port} already: stop it or choose another",
            ) from None
        raise ExampleServiceError(
            "PORT_REFUSED", f"port {port} cannot be used: {error.strerror}"
        ) from error
    return listener


def _open_orders(database: str | PathLike[str] | None) -> "OrderBook":
    import sqlite3

    from sparknb.examples.orders import OrderBook

    try:
        return OrderBook(None if database is None else Path(database))
    except sqlite3.Error as error:
        raise ExampleServiceError(
            "DATABASE_UNUSABLE", f"{database} cannot hold the orders: {error}"
        ) from error
