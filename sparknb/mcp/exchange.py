"""One request over HTTP and its answer, kept within bounds."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

from mcp_types import INVALID_REQUEST

from sparknb.mcp.admission import Refusal

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

__all__ = ["BODY_SECONDS", "GONE", "MAX_BODY_BYTES", "Exchange", "gone_event"]

MAX_BODY_BYTES = 4 * 1024 * 1024
BODY_SECONDS = 30.0
GONE = "sparknb.gone"
"""Where a request's scope keeps the event of its client's leaving."""


class Exchange:
    """The three parts of an ASGI call, watched.

    Attributes:
        scope: What was asked for; under `GONE` an event for who must know that the
            client has left before it was answered.
        status: What was answered, or None.
    """

    def __init__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        self._gone = asyncio.Event()
        self.scope: Scope = {**scope, GONE: self._gone}
        self.status: int | None = None
        self._receive = receive
        self._send = send
        self._body: bytes | None = None
        self._is_answered = False

    def header(self, name: str) -> str | None:
        """Give the first value of a header, or None."""
        wanted = name.encode()
        values = (value for key, value in self.scope["headers"] if key == wanted)
        found: bytes | None = next(values, None)
        return None if found is None else found.decode("latin-1")

    async def read(self) -> bool:
        """Read the body; answers and gives False where that is not to be had."""
        if self._declared() > MAX_BODY_BYTES:
            await self.refuse(_TOO_LARGE)
            return False
        try:
            async with asyncio.timeout(BODY_SECONDS):
                refusal = await self._collect()
        except TimeoutError:
            refusal = _TOO_SLOW
        if refusal is not None:
            await self.refuse(refusal)
        return refusal is None and not self._gone.is_set()

    async def _collect(self) -> Refusal | None:
        body = bytearray()
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self._gone.set()
                return None
            body += message.get("body", b"")
            if len(body) > MAX_BODY_BYTES:
                return _TOO_LARGE
            if not message.get("more_body", False):
                self._body = bytes(body)
                return None

    def _declared(self) -> int:
        for name, value in self.scope["headers"]:
            if name == b"content-length" and value.isdigit():
                return int(value[:20])
        return 0

    async def receive(self) -> "Message":
        """Give the body in one piece, then what comes: that the client has left."""
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        message = await self._receive()
        if message["type"] == "http.disconnect" and not self._is_answered:
            self._gone.set()
        return message

    async def send(self, message: "Message") -> None:
        """Pass a part of the answer on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif not message.get("more_body", False):
            self._is_answered = True
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with an error of JSON-RPC, as MCP clients can read it."""
        error = {"code": INVALID_REQUEST, "message": refusal.message}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            *refusal.headers,
        ]
        if self._body is None:  # what comes still belongs to the request
            headers.append(("Connection", "close"))
        raw = [(name.encode(), value.encode()) for name, value in headers]
        start = {"type": "http.response.start", "status": refusal.status}
        await self.send({**start, "headers": raw})
        await self.send({"type": "http.response.body", "body": body})


def gone_event(request: Any) -> asyncio.Event | None:
    """Give the event of the client's leaving, for a request that came over HTTP."""
    return None if request is None else request.scope.get(GONE)


_TOO_LARGE = Refusal(
    status=413, message=f"a request may have at most {MAX_BODY_BYTES} bytes"
)
_TOO_SLOW = Refusal(
    status=408, message=f"the request did not come within {BODY_SECONDS:.0f} seconds"
)
