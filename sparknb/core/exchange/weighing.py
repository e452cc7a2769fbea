"""Weighs a JSON text before it is read: small texts can become very many objects."""

import re

__all__ = ["MOST_CONTAINERS", "has_too_many_containers"]

MOST_CONTAINERS = 1_000_000
"""Objects and arrays of a text that is read; a full export file has far fewer."""

# Matches at every quote, to the end of the text if need be: linear.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def has_too_many_containers(text: str | bytes) -> bool:
    """Whether a text has more objects and arrays than are worth their memory."""
    if len(text) <= 2 * MOST_CONTAINERS:
        return False
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if _count(data) <= MOST_CONTAINERS:
        return False
    return _count(_STRING.sub(b"", data)) > MOST_CONTAINERS


def _count(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")
