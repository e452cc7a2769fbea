"""One HTTP exchange: connections kept and reused, errors in plain sentences.

httpcore is used without httpx: what httpx adds (cookies, redirects, its own URL type,
transparent decompression) is what a tool call must not have, and the direct way takes
half the time. One pool per policy: a connection that one tool's policy allowed must
not carry a call of another tool that may not go there.
"""

import logging
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpcore

from sparknb.core.errors import ExecutionFailedError, UnreachableError
from sparknb.runtimes.guard import Resolve, checked_addresses
from sparknb.runtimes.proxies import Proxy
from sparknb.runtimes.redirects import Outgoing
from sparknb.runtimes.streams import connect
from sparknb.runtimes.targets import Target

__all__ = ["Received", "Transport", "system_tls"]

_KEPT_SECONDS = 15.0
_KEPT_CONNECTIONS = 16
_LONGEST_REASON = 100
_LOGGERS = ("httpcore.connection", "httpcore.http11", "httpcore.proxy")

_PoolKey = tuple[bool | None, Proxy | None, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The head of an answer, and its body as it comes."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...]
    chunks: AsyncIterator[bytes]

    def values(self, name: bytes) -> list[bytes]:
        """Give the values of a header; `name` is in lower case."""
        return [value for key, value in self.headers if key.lower() == name]


class Transport:
    """Connections of one host, of one event loop.

    Args:
        resolve: How names become addresses.
        make_tls: Makes the TLS settings when the first https URL is asked.
    """

    def __init__(
        self, *, resolve: Resolve, make_tls: Callable[[], ssl.SSLContext]
    ) -> None:
        self._resolve = resolve
        self._make_tls = make_tls
        self._tls: ssl.SSLContext | None = None
        self._pools: dict[_PoolKey, httpcore.AsyncConnectionPool] = {}
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_is_not_ours)  # adds it once only

    @asynccontextmanager
    async def exchange(
        self, outgoing: Outgoing, *, allow_private: bool | None, proxy: Proxy | None
    ) -> AsyncIterator[Received]:
        """Send a request and give the answer; leaving closes what was not read.

        Raises:
            DeniedError: The name resolves to an address that the policy refuses.
            UnreachableError: No connection, or an answer that is not HTTP.
        """
        target = outgoing.target
        pool = self._pool(
            allow_private=allow_private, proxy=proxy, needs_tls=target.scheme == "https"
        )
        with _kept_out_of_logs(), _plain_errors(target):
            response = await pool.handle_async_request(_request(outgoing))
            try:
                yield Received(
                    status=response.status,
                    reason=_reason(response),
                    headers=tuple(response.headers),
                    chunks=_chunks(response),
                )
            finally:
                await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.aclose()

    def _pool(
        self, *, allow_private: bool | None, proxy: Proxy | None, needs_tls: bool
    ) -> httpcore.AsyncConnectionPool:
        key = (allow_private, proxy, needs_tls)
        pool = self._pools.get(key)
        if pool is None:
            is_proxy_tls = proxy is not None and proxy.scheme == "https"
            tls = self._tls_settings() if needs_tls or is_proxy_tls else None
            pool = self._pools[key] = httpcore.AsyncConnectionPool(
                ssl_context=tls,
                proxy=None if proxy is None else _for_httpcore(proxy, tls),
                max_connections=None,
                max_keepalive_connections=_KEPT_CONNECTIONS,
                keepalive_expiry=_KEPT_SECONDS,
                # The environment is the person's own: it may name any proxy
                network_backend=_Pinned(
                    self._resolve,
                    allow_private=allow_private if proxy is None else True,
                ),
            )
        return pool

    def _tls_settings(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = self._make_tls()
        return self._tls


def system_tls() -> ssl.SSLContext:
    """Verify against the system's certificates and certifi's, with TLS 1.2 or newer."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


class _Pinned(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were checked, and to nothing else."""

    def __init__(self, resolve: Resolve, *, allow_private: bool | None) -> None:
        self._resolve = resolve
        self._allow_private = allow_private

    async def connect_tcp(
        self, host: str, port: int, *_: Any, **__: Any
    ) -> httpcore.AsyncNetworkStream:
        addresses = await checked_addresses(
            host, port, allow_private=self._allow_private, resolve=self._resolve
        )
        return await connect(addresses, port, host)


def _for_httpcore(proxy: Proxy, tls: ssl.SSLContext | None) -> httpcore.Proxy:
    url = httpcore.URL(
        scheme=proxy.scheme.encode(),
        host=proxy.host.encode(),
        port=proxy.port,
        target=b"/",
    )
    login = proxy.credentials
    auth = None if login is None else (login[0].encode(), login[1].encode())
    return httpcore.Proxy(url, auth=auth, ssl_context=tls)


def _request(outgoing: Outgoing) -> httpcore.Request:
    target = outgoing.target
    headers = [(b"Host", target.authority.encode())]
    headers += [
        (n.encode(), v.strip(" \t").encode("latin-1")) for n, v in outgoing.headers
    ]
    if outgoing.body is not None or outgoing.method in {"POST", "PUT", "PATCH"}:
        headers.append((b"Content-Length", b"%d" % len(outgoing.body or b"")))
    url = httpcore.URL(
        scheme=target.scheme.encode(),
        host=target.host.encode(),
        port=None if target.authority == target.host else target.port,
        target=target.path.encode(),
    )
    return httpcore.Request(
        outgoing.method.encode(), url, headers=headers, content=outgoing.body
    )


def _reason(response: httpcore.Response) -> str:
    """Give the server's words for the status, else the customary ones."""
    said = bytes(response.extensions.get("reason_phrase", b"")).decode("latin-1")
    words = "".join(c for c in said if c.isprintable()).strip()[:_LONGEST_REASON]
    if words:
        return words
    try:
        return HTTPStatus(response.status).phrase
    except ValueError:
        return ""


async def _chunks(response: httpcore.Response) -> AsyncIterator[bytes]:
    async for chunk in response.aiter_stream():
        yield chunk


@contextmanager
def _plain_errors(target: Target) -> Iterator[None]:
    """Translate the library's errors, once, at the edge.

    Those about the protocol quote headers, so they are not kept as a cause.
    """
    place = f"{target.scheme}://{target.authority}"
    try:
        yield
    except httpcore.ProxyError as error:
        raise UnreachableError(
            f"the proxy refuses a connection to {place} with {str(error)[:3]}",
            hint="check HTTPS_PROXY, or except the host in NO_PROXY",
        ) from None
    except httpcore.RemoteProtocolError as error:
        raise UnreachableError(
            f"the answer of {place} is broken: {_flaw(error)}"
        ) from None
    except httpcore.NetworkError as error:
        raise UnreachableError(f"the connection to {place} was lost") from error
    except httpcore.LocalProtocolError:
        raise ExecutionFailedError(
            f"the request to {place} cannot be written as HTTP"
        ) from None


def _flaw(error: Exception) -> str:
    text = str(error).lower()
    if "without sending a response" in text:
        return "the connection was closed before it came"
    if "closed connection" in text:
        return "the connection was closed before its end"
    return "it is not HTTP"


# httpcore's debug log shows the headers of responses, which may echo a secret.
_is_ours: ContextVar[bool] = ContextVar("sparknb_is_asking", default=False)


def _is_not_ours(_: logging.LogRecord) -> bool:
    return not _is_ours.get()


@contextmanager
def _kept_out_of_logs() -> Iterator[None]:
    """Keep what httpcore does for us out of its logs; its other users keep theirs."""
    token = _is_ours.set(True)
    try:
        yield
    finally:
        _is_ours.reset(token)
