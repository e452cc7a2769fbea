"""The text of one keychain entry: value and origin together, so one write has both."""

import json

from sparknb.core.protocols import StoredSecret

__all__ = ["decode_entry", "encode_entry"]

_FORMAT = 1


def encode_entry(secret: StoredSecret) -> str:
    """Give `{"v": 1, "origin": …, "value": …}`; not in ASCII, as stores have limits."""
    entry = {"v": _FORMAT, "origin": secret.origin, "value": secret.value}
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def decode_entry(text: str) -> StoredSecret | None:
    """Give the secret, or None when this is no entry of a known form."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match entry:
        case {"v": 1, "origin": str() | None as origin, "value": str() as value}:
            return StoredSecret(value, origin)
    return None
