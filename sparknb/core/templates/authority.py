"""The part of a URL that says whom to ask: host and port (ST-23).

Only spellings that every URL reader understands alike are let through; what the
host means (names, number spellings of addresses) is judged by the egress guard.
"""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address

from sparknb.core.problems import Problem
from sparknb.core.templates.placeholder import broken

__all__ = ["Authority", "parse_authority"]

_PORTS = {"http": 80, "https": 443}
_HIGHEST_PORT = 65_535
_SPLIT = re.compile(r"(\[[^\[\]]*+\]|[^:\[\]]*+)(?::([0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*+\.?")
_LONGEST_NAME = 254  # with the dot of the root


@dataclass(frozen=True, slots=True)
class Authority:
    """A checked scheme, host and port, all lower case and ASCII.

    Attributes:
        host: A name or a number spelling as written; IPv6 in brackets, compressed.
        origin: `scheme://host:port`, always with the port.
        prefix: What stands before the path of a URL, without a default port.
    """

    host: str
    origin: str
    prefix: str


def parse_authority(scheme: str, text: str) -> tuple[Authority | None, list[Problem]]:
    """Read what stands between `//` and the path; `scheme` is http or https."""
    if "@" in text:
        hint = "send credentials in a header with secretRef"
        return None, [broken("the URL holds user info", hint, strict=True)]
    match = _SPLIT.fullmatch(text)
    if match is None:
        return None, [broken("the URL's host or port cannot be read", strict=True)]
    problems = []
    host = _host(match[1])
    if host is None:
        message = "the URL's host is missing or no valid host name"
        problems.append(broken(message, strict=True))
    port = int(match[2] or _PORTS[scheme])
    if not 1 <= port <= _HIGHEST_PORT:
        problems.append(broken("the URL's port is not in 1-65535", strict=True))
    if host is None or problems:
        return None, problems
    origin = f"{scheme}://{host}:{port}"
    prefix = f"{scheme}://{host}" if port == _PORTS[scheme] else origin
    return Authority(host, origin, prefix), []


def _host(text: str) -> str | None:
    if text.startswith("["):
        return _address(text[1:-1])
    # Above this length no encoding makes it a valid name.
    if not text.isascii() and len(text) <= _LONGEST_NAME:
        text = _ascii_name(text)
    text = text.lower()
    if len(text) > _LONGEST_NAME or not _NAME.fullmatch(text):
        return None
    return text


def _address(text: str) -> str | None:
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return None
    # A zone names an interface of this machine, which no tool may choose.
    return None if address.scope_id else f"[{address.compressed}]"


def _ascii_name(text: str) -> str:
    """Give the IDNA spelling after compatibility mapping, empty if there is none."""
    import idna

    try:
        return idna.encode(text, uts46=True, transitional=False).decode("ascii")
    except idna.IDNAError:
        return ""
