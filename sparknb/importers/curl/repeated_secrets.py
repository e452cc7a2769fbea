"""Whether a secret that is kept apart stands in the definition too (ST-96)."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

__all__ = ["is_repeated"]

_BASIC = re.compile(r"basic\s+([A-Za-z0-9+/]+={0,2})", re.IGNORECASE)
# Words and short numbers stand in many places without being the secret.
_TELLING = re.compile(r"(?=.*[0-9])\S{8,}|[A-Za-z]{12,}")
_TELLING_COOKIE = 16


def is_repeated(header: str, value: str, document: Mapping[str, Any]) -> bool:
    """Tell whether what is secret in a header can be read in a definition.

    Args:
        header: Its name.
        value: All of it, as it goes to the keychain.
        document: The definition, which holds only the name of the secret.
    """
    written = json.dumps(document, ensure_ascii=False)
    texts = (written, unquote(written))
    parts = _cookies(value) if header.lower() == "cookie" else _words(value)
    return any(
        json.dumps(p, ensure_ascii=False)[1:-1] in t for p in parts for t in texts
    )


def _cookies(value: str) -> Iterator[str]:
    for pair in value.split(";"):
        part = pair.partition("=")[2].strip()
        if len(part) >= _TELLING_COOKIE and _TELLING.fullmatch(part):
            yield part


def _words(value: str) -> Iterator[str]:
    """Yield the credential, without the name of its scheme and without a user."""
    basic = _BASIC.fullmatch(value)
    last = _secret_of_login(basic[1]) if basic else value.rpartition(" ")[2]
    if _TELLING.fullmatch(last):
        yield last


def _secret_of_login(encoded: str) -> str:
    try:
        user, _, password = b64decode(encoded).decode().partition(":")
    except ValueError:
        return encoded
    return password or user
