"""Names of headers, and where sensitive ones take their value (ST-18, ST-19)."""

import re
from collections.abc import Iterator
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.sensitive_names import is_originally_sensitive, is_sensitive_header
from sparknb.core.validation.fields import BROKEN, at, bad_value
from sparknb.core.wording import show

__all__ = [
    "LONGEST_HEADER_NAME",
    "OWN_HEADERS",
    "check_headers",
    "is_header_name",
    "sound_headers",
]

LONGEST_HEADER_NAME = 128

_PATH = "spec.request.headers"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# They frame the request; a tool that sets one could smuggle a second request.
OWN_HEADERS = frozenset(
    {
        "host",
        "content-length",
        "connection",
        "transfer-encoding",
        "keep-alive",
        "upgrade",
        "te",
        "trailer",
        "expect",
        "proxy-connection",
    }
)


def is_header_name(name: str) -> bool:
    """Whether a header of a tool can have this name, but for `OWN_HEADERS`."""
    return len(name) <= LONGEST_HEADER_NAME and _TOKEN.fullmatch(name) is not None


def sound_headers(tree: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield path and members of each header that could be read."""
    headers = at(tree, "spec", "request", "headers")
    if isinstance(headers, list):
        for position, header in enumerate(headers):
            if header is not BROKEN:
                yield f"{_PATH}.{position}", header


def check_headers(tree: Any) -> Iterator[Problem]:
    """Yield refused names, and headers whose value comes from the wrong place."""
    seen: set[str] = set()
    for path, header in sound_headers(tree):
        name = header["name"]
        if name is not BROKEN:
            yield from _check_name(name, path, seen)
            seen.add(name.lower())
        if ("valueTemplate" in header) == ("secretRef" in header):
            rule = "must have exactly one of valueTemplate and secretRef"
            yield bad_value(path, rule)
        if name is not BROKEN and is_sensitive_header(name):
            yield from _check_source(name, header, path)


def _check_name(name: str, path: str, seen: set[str]) -> Iterator[Problem]:
    lower = name.lower()
    if not _TOKEN.fullmatch(name):
        message = "a header name holds only letters, digits and !#$%&'*+-.^_`|~"
    elif lower in OWN_HEADERS:
        message = f"the header {name} is set by the program itself"
    elif lower in seen:
        message = f"the header {show(name)} is there twice"
    else:
        return
    yield Problem(
        code="HEADER_NOT_ALLOWED", message=message, path=f"{path}.name", strict=True
    )


def _check_source(name: str, header: dict[str, Any], path: str) -> Iterator[Problem]:
    if "valueTemplate" in header:
        yield _sensitive(
            name, f"{path}.valueTemplate", "must not take its value from a template"
        )
    if "secretRef" not in header:
        yield _sensitive(name, f"{path}.secretRef", "must take its value from a secret")


def _sensitive(name: str, path: str, rule: str) -> Problem:
    return Problem(
        code="SENSITIVE_NAME",
        message=f"a header of this name {rule}",
        path=path,
        hint="declare a name under secretRefs and give it as secretRef",
        # Names that only our own splitting into words finds are new.
        strict=not is_originally_sensitive(name),
    )
