"""Names under which secrets travel (ST-19): headers, query pairs, fields."""

import re

__all__ = [
    "is_originally_sensitive",
    "is_sensitive_field",
    "is_sensitive_header",
    "is_sensitive_query",
    "warns_as_parameter",
]

_SENSITIVE = re.compile(
    r"(?:^|[_-])(?:access[_-]?token|refresh[_-]?token|token|secret|password"
    r"|authorization|cookie|credential|api[_-]?key|private[_-]?key)(?:$|[_-])",
    re.IGNORECASE,
)
# Written with `-`, as `_words` gives them.
_SENSITIVE_HEADER = re.compile(
    r"(?:^|-)(?:auth-?token|session-?token"
    r"|(?:api|access|subscription|functions|auth|signing)-?key)(?:$|-)"
)
# These page through lists.
_PAGING = re.compile(
    r"(?:next[_-]page|page|next|continuation|sync)[_-]token", re.IGNORECASE
)
_DOUBTFUL = frozenset({"key", "sig", "signature", "auth", "jwt", "pwd"})
# Most names hold none of these, and are done with at once.
_ANY_HINT = re.compile(
    r"token|secret|password|authorization|cookie|credential|key|sig|auth|jwt|pwd",
    re.IGNORECASE,
)
_CAMEL_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATOR = re.compile(r"[_.\s]")


def is_originally_sensitive(name: str) -> bool:
    """Tell whether the pattern alone, without our additions, matches the name."""
    return _SENSITIVE.search(name) is not None


def is_sensitive_header(name: str) -> bool:
    """Tell whether a header of this name must take its value from a secret."""
    if not _ANY_HINT.search(name):
        return False
    words = _words(name)
    found = _SENSITIVE.search(name) or _SENSITIVE.search(words)
    return bool(found or _SENSITIVE_HEADER.search(words))


def is_sensitive_query(name: str) -> bool:
    """Tell whether a query name, percent-decoded, may not stand in a URL."""
    return bool(_SENSITIVE.search(name)) and not _PAGING.fullmatch(name)


def is_sensitive_field(name: str) -> bool:
    """Tell whether a form field or JSON member of this name should hold no literal."""
    return bool(_SENSITIVE.search(name) or _SENSITIVE.search(_words(name)))


def warns_as_parameter(name: str) -> bool:
    """Tell whether a query name may carry a secret, so that a warning is due."""
    if not _ANY_HINT.search(name):
        return False
    if name.lower() in _DOUBTFUL:
        return True
    words = _words(name)
    return bool(_SENSITIVE.search(words)) and not _PAGING.fullmatch(words)


def _words(name: str) -> str:
    return _SEPARATOR.sub("-", _CAMEL_BORDER.sub("-", name)).lower()
