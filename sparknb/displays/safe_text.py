"""Text of tools, servers and files made harmless for a terminal."""

import json
import re
from typing import Any

__all__ = ["printable", "to_json"]

# What moves the cursor, changes colours, reverses or hides text, or is no character:
# C0 but tab and line feed, DEL and C1, bidi marks and overrides, invisible
# separators, tags, and surrogates.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Give the text with every unsafe character spelled out, as in `\x1b`."""
    return _UNSAFE.sub(_spelled, text.replace("\r\n", "\n"))


def to_json(document: Any) -> str:
    """Give a document as JSON that is safe to print; it reads back as the same."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(_escaped, text)


def _spelled(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)
    )
