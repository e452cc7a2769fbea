"""Where `sparknb mcp --http` listens."""

import errno
import ipaddress
import os
import re
import socket
import sys
from dataclasses import dataclass, replace

from sparknb.core.errors import InvalidInputError

__all__ = ["PATH", "Endpoint", "listen", "parse_endpoint"]

PATH = "/mcp"

_OPTION = "--http"
_EXAMPLE = "127.0.0.1:8765"
_SHAPE = re.compile(
    r"(?:\[(?P<six>[^\[\]]*)\]|(?P<four>[^:\[\]]*)):(?P<port>[0-9]{1,5})"
)
_LAST_PORT = 65_535
_WAITING = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address of this machine, and a port.

    Attributes:
        host: The address in its usual spelling, without brackets.
        port: 0 stands for any free one.
        is_local: Whether only this machine can reach it.
    """

    host: str
    port: int
    is_local: bool

    @property
    def is_everywhere(self) -> bool:
        """Whether it stands for every address of this machine."""
        return self.host in ("0.0.0.0", "::")  # noqa: S104  # compared, not bound

    @property
    def url(self) -> str:
        """Where a client on this machine finds it."""
        host = self.host
        if self.is_everywhere:
            host = "::1" if ":" in host else "127.0.0.1"
        return f"http://{_bracketed(host)}:{self.port}{PATH}"

    @property
    def authorities(self) -> frozenset[str]:
        """What `Host` may be: this address and `localhost`, each with the port."""
        names = (_bracketed(self.host), "localhost")
        found = {f"{name}:{self.port}" for name in names}
        if self.port == 80:  # noqa: PLR2004  # HTTP's own: clients leave it out
            found.update(names)
        return frozenset(found)


def parse_endpoint(text: str) -> Endpoint:
    """Read `HOST:PORT`. No name is looked up: `localhost` is 127.0.0.1.

    Raises:
        InvalidInputError: It is something else.
    """
    found = _SHAPE.fullmatch(text)
    if found is None or int(found["port"]) > _LAST_PORT:
        raise _refused(
            "it is no HOST:PORT",
            f"for example {_EXAMPLE}, or [::1]:8765; port 0 takes a free one",
        )
    port = int(found["port"])
    if found["four"] == "localhost":
        return Endpoint(host="127.0.0.1", port=port, is_local=True)
    address = _address(found["six"], found["four"])
    return Endpoint(host=str(address), port=port, is_local=address.is_loopback)


def _address(
    six: str | None, four: str | None
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        if four is not None:
            return ipaddress.IPv4Address(four)
        address = ipaddress.IPv6Address(six or "")
    except ipaddress.AddressValueError:
        raise _refused(
            "HOST is no address of this machine",
            f"an address in numbers, for example {_EXAMPLE}; of names only localhost",
        ) from None
    if address.scope_id is not None or address.ipv4_mapped is not None:
        raise _refused(
            "HOST is an address with a zone, or an IPv4 address inside an IPv6 one",
            "write the plain address",
        )
    return address


def listen(endpoint: Endpoint) -> tuple[socket.socket, Endpoint]:
    """Listen there; give the socket, and the endpoint with its real port.

    Raises:
        InvalidInputError: The system does not allow it.
    """
    is_six = ":" in endpoint.host
    family = socket.AF_INET6 if is_six else socket.AF_INET
    try:
        # asyncio sends small answers at once only where the protocol is said.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise _unusable(endpoint, error) from None
    try:
        if is_six:  # :: is not meant to stand for the IPv4 addresses as well
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if sys.platform == "win32":
            exclusive = socket.SO_EXCLUSIVEADDRUSE
            listener.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((endpoint.host, endpoint.port))
        listener.listen(_WAITING)
    except OSError as error:
        listener.close()
        raise _unusable(endpoint, error) from None
    return listener, replace(endpoint, port=listener.getsockname()[1])


def _unusable(endpoint: Endpoint, error: OSError) -> InvalidInputError:
    said = os.strerror(error.errno) if error.errno else "the system refuses"
    hint = "port 0 takes a free one"
    if error.errno == errno.EADDRINUSE:
        said = f"port {endpoint.port} is taken"
    elif error.errno in (errno.EACCES, errno.EPERM):
        said = f"the system does not let you listen on port {endpoint.port}"
        hint = "take a port above 1023; 0 takes a free one"
    elif error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
        said = f"this machine does not have the address {endpoint.host}"
        hint = f"for example {_EXAMPLE}"
    return _refused(said, hint)


def _refused(said: str, hint: str) -> InvalidInputError:
    return InvalidInputError(f"cannot listen: {said}", path=_OPTION, hint=hint)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
