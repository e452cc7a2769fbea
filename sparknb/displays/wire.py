"""The JSON form of what is shown: versioned, and the same for the same input."""

import math
import re
from collections.abc import Mapping
from typing import Any

from sparknb.displays.bounds import LONGEST_DOCUMENT

__all__ = ["MIME_TYPE", "VERSION", "to_wire"]

VERSION = 1
"""Raised when a reader of the form before could misunderstand the new one."""

MIME_TYPE = f"application/vnd.sparknb.v{VERSION}+json"
"""Not `application/json`: JupyterLab would draw its own tree over our HTML."""

_PASSING = frozenset(
    {
        "createdAt",
        "durationMs",
        "lastTestAt",
        "publishedAt",
        "sessionId",
        "traceId",
        "turnId",
        "updatedAt",
    }
)
"""Keys of ours whose values differ from run to run."""

_THEIRS = frozenset(
    {
        "arguments",
        "cases",
        "data",
        "definition",
        "draft",
        "inputSchema",
        "normalized",
        "preview",
        "published",
        "secretStatus",
    }
)
"""Keys whose values a person or a tool wrote: nothing is left out of those."""

_HALF = re.compile("[\ud800-\udfff]")


def to_wire(document: Any, *, kind: str = "document") -> dict[str, Any]:
    """Give `{version, kind, document}` without durations, times and ids of runs.

    It is valid JSON and UTF-8, whatever the document holds. One that is too long for
    a notebook is left out; `leftOut` says so then.
    """
    shown = {"version": VERSION, "kind": kind, "document": None}
    size = _size(document)
    if size > LONGEST_DOCUMENT:
        said = f"the document is too long for a notebook: over {LONGEST_DOCUMENT:,}"
        return shown | {"leftOut": f"{said} characters"}
    return shown | {"document": _lasting(document)}


def _size(value: Any) -> int:
    """Give about how many characters a value takes as JSON."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, Mapping):
        return 2 + sum(_size(k) + _size(v) + 2 for k, v in value.items())
    if isinstance(value, list | tuple):
        return 2 + sum(_size(item) + 1 for item in value)
    return len(repr(value))


def _lasting(value: Any) -> Any:
    """Give a value without what passes."""
    if not isinstance(value, Mapping):
        return [_lasting(v) for v in value] if _is_list(value) else _json(value)
    dropped = _PASSING | {"id"} if "inputSha256" in value else _PASSING
    return {
        _text(str(key)): _json(inner) if key in _THEIRS else _lasting(inner)
        for key, inner in value.items()
        if key not in dropped
    }


def _json(value: Any) -> Any:
    """Give a value that any JSON library can write as UTF-8."""
    if isinstance(value, Mapping):
        return {_text(str(key)): _json(inner) for key, inner in value.items()}
    if _is_list(value):
        return [_json(inner) for inner in value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, int | float) else str(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _text(text: str) -> str:
    """Spell out halves of characters, which UTF-8 has no form for."""
    return _HALF.sub(lambda match: ascii(match[0])[1:-1], text)
