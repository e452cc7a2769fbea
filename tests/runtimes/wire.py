"""Servers of bytes on loopback, names that resolve as a test says, and http tools."""

import asyncio
import hashlib
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import trustme

from sparknb.core.definitions import (
    Header,
    HttpRequest,
    HttpSpec,
    InputSchema,
    Parameter,
    ToolDefinition,
)
from sparknb.core.protocols import RunOutcome
from sparknb.runtimes.egress import Egress
from sparknb.runtimes.http import HttpRuntime

__all__ = [
    "Names",
    "Peer",
    "Seen",
    "http_tool",
    "listening",
    "reply",
    "run",
    "runtime",
    "tls_pair",
]


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


Answer = bytes | Callable[[Seen], bytes]


def reply(
    body: bytes | str = b"",
    status: str = "200 OK",
    *headers: str,
    length: bool = True,
) -> bytes:
    """Write an answer; without its length it lasts until the connection closes."""
    raw = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status}", *headers]
    lines.append(f"Content-Length: {len(raw)}" if length else "Connection: close")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + raw


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(
    serve: Serve, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    """Let `serve` talk to whoever connects; gives the port, leaves nothing open."""
    tasks: list[asyncio.Task[Any]] = []

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)
        try:
            await serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # the client hung up, or the test is over
        finally:
            writer.close()

    server = await asyncio.start_server(meet, host, 0, ssl=tls)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await _turns()  # whoever connected and left at once is still to be met
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)
        await _turns()


async def _turns() -> None:
    """Let the loop come round a few times, as closing needs it."""
    for _ in range(5):
        await asyncio.sleep(0)


@dataclass
class Peer:
    """A server that gives its answers in order, the last one again and again.

    None as an answer is silence; an answer that announces it closes the connection.
    """

    answers: Sequence[Answer | None] = (reply("{}"),)
    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        place = listening(self._serve, host=self.host, tls=self.tls)
        self.port = await self._stack.enter_async_context(place)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    def url(self, path: str = "/", host: str | None = None) -> str:
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{host or self.host}:{self.port}{path}"

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        try:
            while (seen := await _read_request(reader)) is not None:
                self.seen.append(seen)
                answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
                if answer is None:
                    await reader.read()
                    break
                raw = answer(seen) if callable(answer) else answer
                writer.write(raw)
                await writer.drain()
                if b"connection: close" in raw[:2000].lower():
                    break
        finally:
            self.gone.set()


async def _read_request(reader: asyncio.StreamReader) -> Seen | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, target, _ = first.split(" ")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(method, target, headers, body)


class Names:
    """A resolver of a test: each question of a name gets its next answer."""

    def __init__(self, table: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self.table = table
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        answers = self.table.get(host)
        if answers is None:
            raise OSError(f"no such name: {host}")
        given = answers[min(self.asked.count(host), len(answers) - 1)]
        self.asked.append(host)
        return given


def tls_pair(*names: str) -> tuple[ssl.SSLContext, Callable[[], ssl.SSLContext]]:
    """Make the TLS settings of a server for these names, and of who trusts it."""
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(server)

    def trusting() -> ssl.SSLContext:
        client = ssl.create_default_context()
        authority.configure_trust(client)
        return client

    return server, trusting


def http_tool(
    url: str,
    method: Any = "GET",
    *,
    headers: Sequence[Header] = (),
    parameters: Sequence[str] = (),
    body: Any = None,
    form: Any = "text",
    **spec: Any,
) -> ToolDefinition:
    """Make a definition as the validator would, for the runtime alone."""
    secrets = tuple(h.secret for h in headers if h.secret is not None)
    seed = json.dumps([url, method, repr(headers), repr(body), form, repr(spec)])
    return ToolDefinition(
        id="tool",
        title="Tool",
        description="A tool of a test.",
        type="http",
        input_schema=InputSchema(
            {n: Parameter(name=n, type="string", required=False) for n in parameters},
            {"type": "object"},
        ),
        risk="read",
        effect="read",
        idempotency="safe",
        timeout_ms=30_000,
        secrets=secrets,
        spec=HttpSpec(
            request=HttpRequest(
                method=method, url_template=url, headers=tuple(headers), body=body
            ),
            response_format=form,
            **spec,
        ),
        wire={},
        digest=hashlib.sha256(seed.encode()).hexdigest(),
    )


def runtime(**options: Any) -> HttpRuntime:
    """Make a runtime that knows no proxy."""
    return HttpRuntime(egress(**options))


def egress(**options: Any) -> Egress:
    """Make a way out that knows no proxy."""
    return Egress(version="1.2.3", **({"proxies": {}} | options))


async def run(
    definition: ToolDefinition,
    arguments: Mapping[str, Any] | None = None,
    secrets: Mapping[str, str] | None = None,
    *,
    on: HttpRuntime | None = None,
    **options: Any,
) -> RunOutcome:
    """Carry out one call; with `on` its connections stay open."""
    used = on or runtime(**options)
    try:
        prepared = used.prepare(definition, arguments or {})
        return await prepared.run(secrets or {})
    finally:
        if on is None:
            await used.close()
