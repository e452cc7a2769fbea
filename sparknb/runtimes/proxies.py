"""Which proxy of the environment a request goes through (ST-57).

Reads the customary variables, out of a mapping that `settings` gives: HTTP_PROXY,
HTTPS_PROXY, ALL_PROXY and NO_PROXY, in lower case first.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from urllib.parse import unquote, urlsplit

from sparknb.core.addresses import parse_address
from sparknb.core.errors import ExecutionFailedError
from sparknb.runtimes.targets import Target

__all__ = ["Proxy", "choose_proxy"]

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SEPARATOR = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """An HTTP proxy; `credentials` are the user name and password for it."""

    scheme: str
    host: str
    port: int
    credentials: tuple[str, str] | None = field(default=None, repr=False)


def choose_proxy(target: Target, environment: Mapping[str, str]) -> Proxy | None:
    """Give the proxy for a target, None for a direct connection.

    Raises:
        ExecutionFailedError: The variable names a proxy that cannot be used.
    """
    for name in (f"{target.scheme}_proxy", "all_proxy"):
        url = _variable(environment, name)
        if url:
            break
    else:
        return None
    if _is_excepted(target, _variable(environment, "no_proxy")):
        return None
    return _read(url, name)


def _variable(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name) or environment.get(name.upper()) or ""
    return value.strip()


def _read(url: str, variable: str) -> Proxy:
    written = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(written)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
        parts = urlsplit("")
    # The value may hold a password, so no message repeats it.
    if parts.scheme.startswith("socks"):
        raise ExecutionFailedError(
            f"{variable.upper()} names a SOCKS proxy, which sparknb cannot use",
            hint="name an HTTP proxy, or except the host in NO_PROXY",
        )
    if parts.scheme not in _DEFAULT_PORTS or not host:
        raise ExecutionFailedError(
            f"{variable.upper()} does not name a proxy that can be read",
            hint="write it as http://host:port",
        )
    credentials = None
    if parts.username is not None:
        credentials = (unquote(parts.username), unquote(parts.password or ""))
    return Proxy(
        scheme=parts.scheme,
        host=f"[{host}]" if ":" in host else host,
        port=port or _DEFAULT_PORTS[parts.scheme],
        credentials=credentials,
    )


def _is_excepted(target: Target, exceptions: str) -> bool:
    entries = [e for e in _SEPARATOR.split(exceptions.lower()) if e]
    return any(entry == "*" or _covers(entry, target) for entry in entries)


def _covers(entry: str, target: Target) -> bool:
    """Say whether a NO_PROXY entry (domain, address or network, port) is meant."""
    pattern, _, port = entry.rpartition(":")
    if not port.isdigit() or not pattern or pattern.endswith(":"):
        pattern = entry
    elif int(port) != target.port:
        return False
    address = parse_address(target.host)
    if address is not None:
        try:
            return address in ip_network(pattern.strip("[]"), strict=False)
        except ValueError:
            return False
    domain = pattern.removeprefix("*").strip(".")
    host = target.host.removesuffix(".")
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))
