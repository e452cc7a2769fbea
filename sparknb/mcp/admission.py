"""Who may speak to the server over HTTP: decided before anything is read (ST-64).

A web page can make a browser send requests to this machine, and a name of its own
can be made to lead here. So `Host` must be ours, and `Origin`, which only browsers
send, too. Beyond this machine nothing but the token tells friend from foe.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sparknb.core.errors import InvalidInputError
from sparknb.mcp.endpoint import PATH, Endpoint

if TYPE_CHECKING:
    from starlette.types import Scope

__all__ = ["Admission", "Refusal", "require_token"]

TOKEN_VARIABLE = "SPARKNB_MCP_TOKEN"  # noqa: S105  # the name of it
_SHORTEST_TOKEN = 24
_FEWEST_CHARACTERS = 10  # different ones
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_MAKE_ONE = 'python -c "import secrets; print(secrets.token_urlsafe(32))" makes one'

_METHODS = ("GET", "POST", "DELETE")
_AUTHORITY = re.compile(rb"[A-Za-z0-9.-]+(:[0-9]+)?|\[[0-9A-Fa-f:.]+\](:[0-9]+)?")
# Twice with two meanings: whoever reads the other one is talked into something.
_ONCE = (
    b"content-type",
    b"last-event-id",
    b"mcp-protocol-version",
    b"mcp-session-id",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer in place of the one that was asked for."""

    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()


def require_token(endpoint: Endpoint, token: str | None) -> None:
    """Refuse a token that can be guessed, and one that is missing where it is needed.

    Raises:
        InvalidInputError: So it is; the message never holds the token.
    """
    if token is None:
        if endpoint.is_local:
            return
        raise InvalidInputError(
            f"{endpoint.host} can be reached from other machines, and no token is set",
            path="--http",
            hint=f"listen on 127.0.0.1, or set {TOKEN_VARIABLE}; {_MAKE_ONE}",
        )
    flaw = _flaw(token)
    if flaw is not None:
        raise InvalidInputError(
            f"the token {flaw}", path=TOKEN_VARIABLE, hint=_MAKE_ONE
        )


def _flaw(token: str) -> str | None:
    if not _TOKEN.fullmatch(token):
        return "may hold letters, digits and . _ ~ + / - only, and = at its end"
    if len(token) < _SHORTEST_TOKEN:
        return f"is too short: it needs {_SHORTEST_TOKEN} characters"
    if len(set(token)) < _FEWEST_CHARACTERS:
        return f"can be guessed: it needs {_FEWEST_CHARACTERS} different characters"
    return None


class Admission:
    """Decides about requests, by their heads alone."""

    def __init__(self, endpoint: Endpoint, token: str | None) -> None:
        self._endpoint = endpoint
        self._hosts = frozenset(a.encode() for a in endpoint.authorities)
        # Compared by digest: so neither content nor length shows in the time it takes.
        self._token = None if token is None else _digest(token.encode())

    def refusal(self, scope: "Scope") -> Refusal | None:
        """Give why a request is turned away, or None."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        host = _only(headers, b"host")
        return (
            self._foreign_host(host)
            or self._foreign_origin(headers, host or b"")
            or self._stranger(headers)
            or _ambiguous(headers)
            or _elsewhere(scope)
        )

    def _foreign_host(self, host: bytes | None) -> Refusal | None:
        if host is not None:
            if self._endpoint.is_local and host.lower() in self._hosts:
                return None
            # Which names lead here from elsewhere is not ours to know.
            if not self._endpoint.is_local and _AUTHORITY.fullmatch(host):
                return None
        return Refusal(status=403, message="the Host of the request is not this server")

    def _foreign_origin(
        self, headers: Iterable[tuple[bytes, bytes]], host: bytes
    ) -> Refusal | None:
        origins = [value.lower() for name, value in headers if name == b"origin"]
        if not origins:
            return None
        # Locally all of our names are one place; beyond, a proxy may speak TLS for us.
        ours = {b"http://" + name for name in self._hosts}
        if not self._endpoint.is_local:
            ours = {b"http://" + host.lower(), b"https://" + host.lower()}
        if len(origins) == 1 and origins[0] in ours:
            return None
        return Refusal(
            status=403, message="the Origin of the request is not this server"
        )

    def _stranger(self, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        if self._token is None:
            return None
        given = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = (given[0] if len(given) == 1 else b"").partition(b" ")
        is_known = hmac.compare_digest(_digest(token.strip()), self._token)
        if is_known and scheme.lower() == b"bearer":
            return None
        challenge = 'Bearer realm="sparknb"'
        if given:
            challenge += ', error="invalid_token"'
        return Refusal(
            status=401,
            message="the server's token is needed as bearer token",
            headers=(("WWW-Authenticate", challenge),),
        )


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _only(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> bytes | None:
    found = [value for name, value in headers if name == wanted]
    return found[0] if len(found) == 1 else None


def _ambiguous(headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
    names = [name for name, _ in headers if name in _ONCE]
    for name in set(names):
        if names.count(name) > 1:
            said = f"the header {name.decode()} stands there more than once"
            return Refusal(status=400, message=said)
    return None


def _elsewhere(scope: "Scope") -> Refusal | None:
    if scope["path"].removesuffix("/") != PATH:
        return Refusal(status=404, message=f"MCP is served at {PATH}")
    if scope["method"] not in _METHODS:
        allow = (("Allow", ", ".join(_METHODS)),)
        return Refusal(status=405, message="no such method", headers=allow)
    return None
