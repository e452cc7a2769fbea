"""Names as they stand in a URL."""

from urllib.parse import quote

__all__ = ["wire_name"]

_PLAIN = "-_.!~*'()"  # what a value keeps too (ST-24)


def wire_name(name: str) -> str:
    """Give the name percent-encoded."""
    return quote(name, safe=_PLAIN)
