"""Headers of requests: their names, and which of them are no parameter's business."""

import re

__all__ = ["OWN_HEADERS", "is_header_name"]

# The program sets them itself (ST-18).
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
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")


def is_header_name(name: str) -> bool:
    """Tell whether a header can have this name."""
    return _TOKEN.fullmatch(name) is not None
