"""Percent-encoding of what goes into a URL (ST-24)."""

from typing import Any
from urllib.parse import quote, unquote

from sparknb.core.templates.display import display

__all__ = ["encode_literal", "spell_in_url", "unquote"]

_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))


def spell_in_url(value: Any) -> str:
    """Encode all but letters, digits and `- _ . ! ~ * ' ( )`, as UTF-8."""
    return quote(display(value), safe="!~*'()")


def encode_literal(text: str) -> str:
    """Encode only what is not ASCII: an author's text is sent as written."""
    return text if text.isascii() else quote(text, safe=_PRINTABLE)
