"""The one way out for HTTP: guard, pinning, proxies, redirects, caps.

Nothing else in sparknb opens a connection to the world; a test looks after that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sparknb.core.addresses import leads_home
from sparknb.core.errors import HttpStatusError, UnreachableError
from sparknb.runtimes.body import read_capped
from sparknb.runtimes.guard import Resolve, check_host, resolve_name
from sparknb.runtimes.proxies import Proxy, choose_proxy
from sparknb.runtimes.redirects import MOST_REDIRECTS, Outgoing, next_hop
from sparknb.runtimes.targets import Target

if TYPE_CHECKING:
    import ssl

    from sparknb.runtimes.transport import Received, Transport

__all__ = ["Answer", "Egress"]

_ERROR_PAGE_SIZE = 64 * 1024  # bytes read of an answer that only explains a failure
_SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The final answer, after all redirects.

    Attributes:
        body: Decoded bytes, at most as many as were asked for.
        is_cut: Whether there were more.
        target: Where it came from.
    """

    status: int
    reason: str
    content_type: str
    body: bytes = field(repr=False)
    is_cut: bool
    target: Target

    @property
    def is_success(self) -> bool:
        """Whether the status is one of 200-299."""
        return self.status in _SUCCESS


class Egress:
    """Sends requests under the guard; belongs to one event loop.

    Attributes:
        user_agent: What requests say they come from, unless a tool says otherwise.

    Args:
        version: Of sparknb, for the User-Agent.
        proxies: The proxy variables of the environment, by name.
        resolve: How names become addresses.
        make_tls: Makes the TLS settings; called once, for the first https URL.
    """

    def __init__(
        self,
        *,
        version: str,
        proxies: Mapping[str, str],
        resolve: Resolve = resolve_name,
        make_tls: "Callable[[], ssl.SSLContext] | None" = None,
    ) -> None:
        self.user_agent = f"sparknb/{version}"
        self._proxies = proxies
        self._resolve = resolve
        self._make_tls = make_tls
        self._opened: Transport | None = None

    async def fetch(
        self, outgoing: Outgoing, *, allow_private: bool | None, max_bytes: int
    ) -> Answer:
        """Send a request, follow its redirects, read the body up to `max_bytes`.

        Every hop passes the whole guard. There is no time limit and no second try:
        the caller holds the clock, and cancelling closes the connection at once.

        Raises:
            DeniedError: A hop leads where `allow_private` does not let it.
            UnreachableError: DNS, connection or TLS failed, or the answer is broken.
            HttpStatusError: More than 10 redirects.
            ExecutionFailedError: The proxy of the environment cannot be used.
        """
        hop = outgoing
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self._ask(
                hop, allow_private=allow_private, max_bytes=max_bytes
            )
            if isinstance(answer, Answer):
                return answer
            hop = answer
        raise HttpStatusError(
            f"{outgoing.target.shown} answers with more than {MOST_REDIRECTS} redirects"
        )

    async def close(self) -> None:
        """Close all connections."""
        if self._opened is not None:
            await self._opened.close()

    async def _ask(
        self, hop: Outgoing, *, allow_private: bool | None, max_bytes: int
    ) -> Answer | Outgoing:
        """Send one request; give the answer, or the request that follows from it."""
        check_host(hop.target.host, allow_private=allow_private)
        proxy = self._proxy(hop.target, allow_private=allow_private)
        exchange = self._transport().exchange(
            hop, allow_private=allow_private, proxy=proxy
        )
        async with exchange as received:
            locations = received.values(b"location")
            location = locations[0] if locations else None
            following = next_hop(hop, received.status, location)
            return following or await _read(received, hop.target, max_bytes)

    def _proxy(self, target: Target, *, allow_private: bool | None) -> Proxy | None:
        """Choose the proxy as the last column of ST-57 says."""
        if allow_private is False:
            return None
        if allow_private is None and leads_home(target.host):
            return None
        return choose_proxy(target, self._proxies)

    def _transport(self) -> "Transport":
        if self._opened is None:
            # httpcore and ssl take a while to import: not before the first request
            from sparknb.runtimes.transport import Transport, system_tls

            self._opened = Transport(
                resolve=self._resolve, make_tls=self._make_tls or system_tls
            )
        return self._opened


async def _read(received: "Received", target: Target, max_bytes: int) -> Answer:
    codings = [v.decode("latin-1") for v in received.values(b"content-encoding")]
    is_success = received.status in _SUCCESS
    limit = max_bytes if is_success else min(max_bytes, _ERROR_PAGE_SIZE)
    try:
        body, is_cut = await read_capped(received.chunks, codings, limit)
    except UnreachableError:
        if is_success:
            raise
        body, is_cut = b"", False  # the status says more than a broken page
    types = received.values(b"content-type")
    return Answer(
        status=received.status,
        reason=received.reason,
        content_type=types[0].decode("latin-1") if types else "",
        body=body,
        is_cut=is_cut,
        target=target,
    )
