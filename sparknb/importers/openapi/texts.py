"""Texts of a document made fit for a definition: clean, one line, of bounded length.

They come from strangers and end up before people and models. So they lose what
hides or reorders text, and what looks like a secret; their markup stays plain text.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.core.secret_scan import contains_secret, mask_secrets

__all__ = [
    "clean",
    "cut",
    "describe",
    "listed",
    "sentences",
    "shown",
    "spelled",
    "title_of",
]

LONGEST_TITLE = 160
LONGEST_DESCRIPTION = 4000
_SHORTEST_DESCRIPTION = 10
# A text is read up to so many times what is kept of it: the rest is not looked at,
# and a document cannot make us clean a megabyte for every operation.
_READ_AHEAD = 8

# Control, bidi, zero-width and tag characters, variation selectors beyond the
# usual ones, and halves of characters (TP-1303). Those that are white space too
# (line ends, tabs) are turned into a blank before.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_ENDS = (".", "!", "?", ":", ";", "…", "。", "！", "？", "：")  # noqa: RUF001  # as they are written


def clean(text: Any, longest: int) -> str:
    """Give a text of a document as one clean line of at most `longest` characters.

    Anything but a text gives an empty one. What is too long ends at a word, with `…`.
    """
    if not isinstance(text, str) or not text:
        return ""
    return cut(_clean(text[: longest * _READ_AHEAD]), longest)


def _clean(text: str) -> str:
    line = " ".join(text.split())
    if not line.isascii() or not line.isprintable():
        # Taking characters away may let blanks meet, or join the parts of a secret.
        line = " ".join(_HIDDEN.sub("", line).split())
    return mask_secrets(line)


def cut(text: str, longest: int) -> str:
    """Give at most `longest` characters; what is cut ends at a word, with `…`."""
    if len(text) <= longest:
        return text
    end = longest - 1
    blank = text.rfind(" ", end // 2, end + 1)
    if blank > 0:
        end = blank
    else:  # no word ends here: at least no accent is torn from its letter
        while end > 0 and _continues(text[end]):
            end -= 1
    return text[:end].rstrip() + "…"


def _continues(character: str) -> bool:
    return bool(unicodedata.combining(character)) or "\ufe00" <= character <= "\ufe0f"


def shown(name: Any) -> str:
    """Give a name of the document fit for a message."""
    return clean(name if isinstance(name, str) else str(name), 80)


def sentences(*texts: str) -> str:
    """Join texts to one, each ended as a sentence where it has no end of its own."""
    joined = ""
    for text in texts:
        if not text:
            continue
        gap = "" if not joined else " " if joined.endswith(_ENDS) else ". "
        joined += gap + text
    return joined


def title_of(node: Mapping[str, Any], operation: str) -> str:
    """Give the title of a tool: summary, else operationId, else `METHOD path`."""
    candidates = (node.get("summary"), node.get("operationId"), operation)
    titles = (clean(text, LONGEST_TITLE) for text in candidates)
    return next(filter(None, titles), "Operation")


def describe(node: Mapping[str, Any], operation: str) -> str:
    """Give the description of a tool; it never has fewer than 10 characters."""
    summary = clean(node.get("summary"), LONGEST_DESCRIPTION)
    text = clean(node.get("description"), LONGEST_DESCRIPTION)
    said = text if text.startswith(summary) else sentences(summary, text)
    if len(said) < _SHORTEST_DESCRIPTION:
        said = sentences(said, f"Calls {clean(operation, 2000)}.")
    if node.get("deprecated") is True:
        said = f"Deprecated. {said}"
    return cut(said, LONGEST_DESCRIPTION)


def spelled(value: Any, longest: int = 100) -> str:
    """Give a value of the document as short JSON, empty where it is a secret."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return ""
    return "" if contains_secret(text) else clean(text, longest)


def listed(values: Sequence[Any], longest: int = 600) -> str:
    """Give values one after the other, as many as there is room for."""
    text = ""
    for position, value in enumerate(values):
        item = spelled(value)
        more = len(values) - position
        if len(text) + len(item) > longest:
            return f"{text} and {more} more"
        text += f", {item}" if text else item
    return text
