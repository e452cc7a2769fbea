"""The request of a tool: slots and names put together to templates."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from sparknb.importers.openapi.bodies import Body
from sparknb.importers.openapi.outcomes import SkipError
from sparknb.importers.openapi.servers import escape_literal
from sparknb.importers.openapi.slots import Slot, placeholder
from sparknb.importers.openapi.texts import shown
from sparknb.importers.openapi.wire_names import wire_name

__all__ = ["body_of", "path_names", "url_of"]

Named = tuple[str, Slot]

_LONGEST_URL = 2000
_LONGEST_TEMPLATE = 100_000
_NAME_IN_PATH = re.compile(r"\{([^{}]*)\}")


def path_names(path: str) -> list[str]:
    """Give the names that a path has places for."""
    return _NAME_IN_PATH.findall(path.partition("#")[0])


def url_of(base: str, path: str, slots: Sequence[Named]) -> str:
    """Give the URL template; a fragment of the path is left out, as nobody sends it.

    Raises:
        SkipError: A name in the path is no path parameter, or the URL is too long.
    """
    places = {slot.wire: (name, slot) for name, slot in slots if slot.place == "path"}
    # Literals and names take turns, as the pattern has one group.
    pieces = _NAME_IN_PATH.split(path.partition("#")[0])
    filled = ""
    for position, piece in enumerate(pieces):
        if position % 2 == 0:
            filled += escape_literal(piece)
        elif piece in places:
            name, slot = places[piece]
            filled += slot.lead + placeholder(name, slot)
        else:
            message = f"the path names '{shown(piece)}', which is no path parameter"
            raise SkipError("UNDECLARED_PATH_PARAMETER", message)
    gap = "" if filled.startswith("/") else "/"
    url = base + gap + filled
    pairs = [
        f"{wire_name(slot.wire)}={placeholder(name, slot)}"
        for name, slot in slots
        if slot.place == "query"
    ]
    if pairs:
        mark = "&" if "?" in filled else "?"
        if filled.endswith(("?", "&")):
            mark = ""
        url += mark + "&".join(pairs)
    if len(url) > _LONGEST_URL:
        raise _too_long("the URL", len(url), _LONGEST_URL)
    return url


def body_of(body: Body, slots: Iterable[Named]) -> dict[str, Any]:
    """Give the body of a request.

    Raises:
        SkipError: It is too long.
    """
    fields = [(name, slot) for name, slot in slots if slot.place == "body"]
    if body.mode == "form":
        pairs = [
            {"name": slot.wire, "valueTemplate": placeholder(name, slot)}
            for name, slot in fields
        ]
        return {"mode": "form", "fields": pairs}
    if body.is_whole:
        [(name, slot)] = fields
        whole = placeholder(name, slot)
        if body.mode == "json":
            return {"mode": "json", "jsonTemplate": whole}
        return {"mode": "text", "contentType": body.media_type, "template": whole}
    members = [f"{_quoted(slot.wire)}: {placeholder(n, slot)}" for n, slot in fields]
    # The blank keeps the braces of the object away from those of a placeholder.
    template = f"{{{', '.join(members)} }}"
    if len(template) > _LONGEST_TEMPLATE:
        raise _too_long("the body", len(template), _LONGEST_TEMPLATE)
    return {"mode": "json", "jsonTemplate": template}


def _quoted(name: str) -> str:
    text = json.dumps(name, ensure_ascii=False)
    return text.replace("{{", r"\u007b\u007b").replace("}}", r"\u007d\u007d")


def _too_long(what: str, length: int, most: int) -> SkipError:
    message = f"{what} would have {length:,} characters, and may have {most:,}"
    return SkipError("TOO_LONG", message)
