"""Percent-encoding of what goes into a URL (ST-24)."""

import re
from typing import Any
from urllib.parse import quote, unquote

from sparknb.core.templates.display import display

__all__ = ["encode_literal", "spell_in_url", "unquote"]

_UNRESERVED = re.compile(r"[A-Za-z0-9_.!~*'()-]*+")
# A table of our own halves the time that urllib's quote takes.
_BYTES = [chr(b) if _UNRESERVED.fullmatch(chr(b)) else f"%{b:02X}" for b in range(256)]
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))


def spell_in_url(value: Any) -> str:
    """Encode all but letters, digits and `- _ . ! ~ * ' ( )`, as UTF-8."""
    text = display(value)
    if _UNRESERVED.fullmatch(text):
        return text
    return "".join([_BYTES[byte] for byte in text.encode()])


def encode_literal(text: str) -> str:
    """Encode only what is not ASCII: an author's text is sent as written."""
    return text if text.isascii() else quote(text, safe=_PRINTABLE)
