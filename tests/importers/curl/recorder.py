"""A server on loopback that keeps every request as it arrived."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Arrived", "Recorder", "recording"]

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


@dataclass(frozen=True)
class Arrived:
    """One request; header names in lower case, values in order."""

    method: str
    target: bytes
    headers: tuple[tuple[str, bytes], ...]
    body: bytes

    def values(self, name: str) -> list[bytes]:
        return [value for key, value in self.headers if key == name]


@dataclass
class Recorder:
    """What arrived, in order; `take` gives it and forgets it."""

    port: int = 0
    arrived: list[Arrived] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def take(self) -> list[Arrived]:
        taken, self.arrived = self.arrived, []
        return taken


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128
    recorder: Recorder

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is nothing to print."""


class _Handler(socketserver.StreamRequestHandler):
    server: _Server
    disable_nagle_algorithm = True

    def handle(self) -> None:
        while head := self._head():
            first, *lines = head.split(b"\r\n")
            method, target, _ = first.split(b" ", 2)
            pairs = [line.partition(b":")[::2] for line in lines if line]
            headers = tuple((n.decode().lower(), v.strip(b" \t")) for n, v in pairs)
            length = next((int(v) for n, v in headers if n == "content-length"), 0)
            body = self.rfile.read(length)
            self.server.recorder.arrived.append(
                Arrived(method.decode(), target, headers, body)
            )
            self.wfile.write(_ANSWER)

    def _head(self) -> bytes:
        head = b""
        for line in self.rfile:
            if line == b"\r\n":
                return head
            head += line
        return b""


@contextmanager
def recording() -> Iterator[Recorder]:
    """Serve until the block ends."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        recorder = server.recorder = Recorder(int(server.server_address[1]))
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield recorder
        finally:
            server.shutdown()
            thread.join()
