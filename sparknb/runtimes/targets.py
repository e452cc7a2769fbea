"""Where a request goes: read from a URL, or from the `Location` of a redirect."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from sparknb.core.dot_segments import without_dot_segments
from sparknb.core.errors import DeniedError
from sparknb.core.templates.authority import parse_authority

__all__ = ["Target", "parse_target", "redirect_target"]

_URL = re.compile(r"(https?)://([^/?#]*)([^#]*)", re.IGNORECASE | re.DOTALL)
_REFERENCE = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?P<authority>[^/?#]*))?"
    r"(?P<rest>[^#]*)",
    re.DOTALL,
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_KEPT = "".join(map(chr, range(0x21, 0x7F))).replace("\\", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One address to ask, in the spelling that is sent.

    Attributes:
        scheme: `http` or `https`.
        host: Lower-case ASCII; a name, a number spelling, or IPv6 in brackets.
        port: Always there.
        path: The origin form `path?query`.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """What must be equal for credentials to travel on."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """The value of the `Host` header: without a default port."""
        if self.port == _DEFAULT_PORTS[self.scheme]:
            return self.host
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address; its query may hold what no message shows."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def shown(self) -> str:
        """Scheme, host and path: what messages and logs may say (ST-50)."""
        path = self.path.partition("?")[0]
        return f"{self.scheme}://{self.authority}{path}"


def parse_target(url: str) -> Target | None:
    """Read an absolute http(s) URL; None when it is none or holds user info."""
    found = _URL.fullmatch(url.partition("#")[0])
    return None if found is None else _target(found[1].lower(), found[2], found[3])


def _target(scheme: str, text: str, rest: str) -> Target | None:
    authority, _ = parse_authority(scheme, text)
    if authority is None:
        return None
    path = rest if rest.startswith("/") else f"/{rest}"
    return Target(
        scheme=scheme,
        host=authority.host,
        port=int(authority.origin.rpartition(":")[2]),
        path=path,
    )


def redirect_target(base: Target, location: bytes) -> Target:
    """Resolve a `Location`: absolute, relative, with bytes that no URL may hold.

    Raises:
        DeniedError: It is not http(s), holds user info, or cannot be read.
    """
    try:
        text = location.decode()
    except UnicodeDecodeError:
        text = location.decode("latin-1")
    found = _REFERENCE.match(text.strip())
    scheme, authority, rest = found.groups() if found else (None, None, "")
    if scheme is not None and scheme.lower() not in _DEFAULT_PORTS:
        raise _denied(base, "leads to something that is not http(s)")
    if authority is None:
        if scheme is not None:
            raise _denied(base, "names no host")
        path = _resolved(base.path, rest)
        return Target(scheme=base.scheme, host=base.host, port=base.port, path=path)
    if "@" in authority:
        raise _denied(base, "holds user info")
    path = _resolved("/", rest if rest.startswith("/") else f"/{rest}")
    target = _target((scheme or base.scheme).lower(), authority, path)
    if target is None:
        raise _denied(base, "names a host that cannot be read")
    return target


def _resolved(base: str, reference: str) -> str:
    """Resolve path and query, dot segments too (RFC 3986, 5.2).

    Python's `urljoin` takes a path that begins with `//` for a host, and drops empty
    segments.
    """
    path, mark, query = quote(reference, safe=_KEPT).partition("?")
    base_path, base_mark, base_query = base.partition("?")
    if not path:
        return base_path + (mark + query if mark else base_mark + base_query)
    if not path.startswith("/"):
        path = base_path[: base_path.rindex("/") + 1] + path
    return without_dot_segments(path) + mark + query


def _denied(base: Target, reason: str) -> DeniedError:
    return DeniedError(f"the redirect of {base.shown} {reason}")
