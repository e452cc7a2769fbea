"""Names as they stand in a URL."""

from urllib.parse import quote

__all__ = ["is_encodable", "wire_name"]

_PLAIN = "-_.!~*'()"  # what a value keeps too (ST-24)


def wire_name(name: str) -> str:
    """Give the name percent-encoded."""
    return quote(name, safe=_PLAIN)


def is_encodable(name: str) -> bool:
    """Tell whether the name can be written as UTF-8."""
    return name.isascii() or not any("\ud800" <= c <= "\udfff" for c in name)
