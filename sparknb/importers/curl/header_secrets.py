"""Which headers carry a secret, and what the secret is called (ST-96)."""

import re
from collections.abc import Collection

from sparknb.core.secret_scan import contains_secret
from sparknb.core.sensitive_names import is_sensitive_header, is_sensitive_query
from sparknb.importers.curl.notes import Notes

__all__ = ["is_secret_header", "keep_secret"]

# Beyond the names of ST-19: when pasting, one secret too many does no harm.
_ALSO_SECRET = re.compile(
    r"(?:^|[-_])(?:auth|jwt|pwd|passwd|passphrase)$", re.IGNORECASE
)
# A login or a signed token, under whatever name it travels.
_CREDENTIAL = re.compile(
    r"(?i:bearer)\s+\S{6,}|(?i:basic)\s+[A-Za-z0-9+/]{8,}={0,2}"
    r"|(?:\S+\s+)?eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_LOGIN_IN_URL = re.compile(r"://[^/?#\s@]+@")
_QUERY_NAME = re.compile(r"[?&]([^?&=\s]{1,100})=[^&\s]")
_NOT_IN_NAME = re.compile(r"[^a-z0-9_]")
_SUFFIX = "_secret"
_LONGEST_NAME = 64
_LONGEST_VALUE = 16_000


def is_secret_header(name: str, text: str) -> bool:
    """Tell whether a header must not stand in a definition as it is."""
    if is_sensitive_header(name) or contains_secret(text):
        return True
    value = text.strip()
    if value and (_ALSO_SECRET.search(name) or _CREDENTIAL.fullmatch(value)):
        return True
    # Such as a Referer that quotes an address with a login or a token in it.
    if _LOGIN_IN_URL.search(text):
        return True
    return any(is_sensitive_query(query) for query in _QUERY_NAME.findall(text))


def keep_secret(
    header: str,
    value: str | None,
    number: int,
    taken: Collection[str | None],
    notes: Notes,
) -> str:
    """Give the name of the secret of a header; tells whether there is a value."""
    name = _secret_name(header, taken)
    if value is None:
        notes.tell(
            number,
            f"the secret {name} has no value yet: the command does not say it",
            f"set the whole value of the header {header} with: "
            f"sparknb secret set ID {name}",
        )
    elif len(value) > _LONGEST_VALUE:
        message = f"the value of the header {header} is longer than a secret may be"
        hint = f"a secret has at most {_LONGEST_VALUE:,} characters"
        notes.refuse("FIELD_VALUE", number, message, hint)
    else:
        message = f"the value of the header {header} is kept apart as secret {name}"
        notes.tell(number, message, code="SECRET_CAPTURED")
    return name


def _secret_name(header: str, taken: Collection[str | None]) -> str:
    stem = _NOT_IN_NAME.sub("_", header.lower())
    name, number = stem[: _LONGEST_NAME - len(_SUFFIX)] + _SUFFIX, 1
    while name in taken:
        number += 1
        ending = f"{_SUFFIX}_{number}"
        name = stem[: _LONGEST_NAME - len(ending)] + ending
    return name
