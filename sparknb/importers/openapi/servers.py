"""Where an operation is called: a server of the document, or one given (ST-103)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urljoin

from sparknb.core.errors import InvalidInputError
from sparknb.core.templates.authority import parse_authority
from sparknb.importers.openapi.model import Description, Operation
from sparknb.importers.openapi.outcomes import SkipError

__all__ = ["base_of", "checked_base_url", "escape_literal"]

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_URL = re.compile(
    r"(https?)://([^/?#\\]*+)(/[^?#]*+)?(\?[^#]*+)?(#.*+)?", re.IGNORECASE | re.DOTALL
)
_UNFIT = re.compile(
    r'[\x00-\x20\x7f-\x9f"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})',
)


def escape_literal(text: str) -> str:
    """Give text of a path with all that cannot stand in a URL percent-encoded."""
    fit = _UNFIT.sub(_encoded, text)
    if fit.isprintable():
        return fit
    # What hides or turns around the rest of an address is sent all the same.
    return "".join(c if c.isprintable() else quote(c, errors="replace") for c in fit)


def _encoded(match: re.Match[str]) -> str:
    return "".join(f"%{b:02X}" for b in match[0].encode())


def checked_base_url(text: str) -> str:
    """Give the base URL that a person chose, without its last slash.

    Raises:
        InvalidInputError: No tool can call it.
    """
    try:
        return _usable(text.strip())
    except SkipError as error:
        raise InvalidInputError(
            f"the base URL cannot be used: {error.message}",
            path="baseUrl",
            hint="write it as in https://api.example.com/v1",
        ) from None


def base_of(description: Description, operation: Operation) -> str:
    """Give the URL before the path of an operation, without its last slash.

    Raises:
        SkipError: There is none that a tool can call.
    """
    server = _first(operation.node.get("servers"))
    if server is None:
        server = _first(operation.item.get("servers"))
    if server is None:
        server = _first(description.servers)
    if server is None:
        # A document that names no server means the one that it came from.
        server = {"url": "/"}
    url = _filled(server)
    if not _ABSOLUTE.match(url):
        if description.url is None:
            kind = "no server" if url == "/" else "a server relative to its own address"
            raise _no_server(f"the document names {kind}, and was read from no address")
        url = _joined(description.url, url)
    return _usable(url)


def _first(servers: Any) -> Mapping[str, Any] | None:
    if not isinstance(servers, Sequence) or isinstance(servers, str):
        return None
    first = servers[0] if servers else None
    return first if isinstance(first, Mapping) else None


def _filled(server: Mapping[str, Any]) -> str:
    """Give the URL of a server with the defaults of its variables."""
    url = server.get("url")
    if not isinstance(url, str):
        raise _no_server("the server has no URL")
    variables = server.get("variables")
    known = variables if isinstance(variables, Mapping) else {}

    def default(match: re.Match[str]) -> str:
        variable = known.get(match[1])
        value = variable.get("default") if isinstance(variable, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise _no_server("a variable of the server's URL has no default")
        return str(value)

    return _VARIABLE.sub(default, url).strip()


def _joined(document: str, relative: str) -> str:
    try:
        return urljoin(document, relative)
    except ValueError:
        raise _no_server("the server's URL cannot be read") from None


def _usable(url: str) -> str:
    """Check a URL, and give it without dots in its path and without a last slash."""
    match = _URL.fullmatch(url)
    if match is None:
        raise _no_server("the server's URL is no http or https URL")
    scheme, authority, path, query, fragment = match.groups()
    if query is not None or fragment is not None:
        raise _no_server("the server's URL has a query or a fragment")
    if "{" in url or "}" in url:
        raise _no_server("a variable of the server's URL has no value")
    _, problems = parse_authority(scheme.lower(), authority)
    if problems:
        raise _no_server(problems[0].message.replace("the URL", "the server's URL", 1))
    path = escape_literal(_without_dots(path or ""))
    return f"{scheme.lower()}://{authority}{path.removesuffix('/')}"


def _without_dots(path: str) -> str:
    """Resolve `.` and `..` segments, as every client does with a reference."""
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            del kept[max(1, len(kept) - 1) :]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/".join(kept)


def _no_server(message: str) -> SkipError:
    return SkipError("NO_SERVER", message)
