"""How problems speak of what they found: short, printable, no secrets."""

from typing import Any

from sparknb.core.secret_scan import mask_secrets

__all__ = ["join_path", "kind_of", "show", "show_key", "with_printed"]

_LONGEST_SHOWN = 40
_LONGEST_KEY = 128
_SHORTEST_SECRET = 15  # of all shapes; most of what is shown is shorter
_SCANNED = 2000  # enough to recognise a secret that starts within what is shown


def show(value: str, longest: int = _LONGEST_SHOWN) -> str:
    """Give a text fit for a message: secrets masked, at most `longest` characters.

    Line breaks, terminal escapes and direction marks are written as escapes.
    """
    if len(value) < _SHORTEST_SECRET and value.isprintable():
        return value
    masked = mask_secrets(value[:_SCANNED])
    short = masked if len(masked) <= longest else f"{masked[: longest - 1]}…"
    if short.isprintable():
        return short
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short)


def show_key(key: Any) -> str:
    """Give a key as a segment of a path; Python may bring keys that are no text."""
    return (
        show(key, _LONGEST_KEY) if isinstance(key, str) else f"<{type(key).__name__}>"
    )


def join_path(path: str, key: Any) -> str:
    """Give the path of a member whose key somebody else chose."""
    segment = show_key(key)
    return f"{path}.{segment}" if path else segment


def with_printed(reason: str, printed: str) -> str:
    """Give why a program failed, with what it had printed below it (ST-43)."""
    return f"{reason}\nprinted:\n{printed}" if printed else reason


def kind_of(value: Any) -> str:
    """Name the JSON type of a value, with its article."""
    for kinds, name in _NAMES:
        if isinstance(value, kinds):
            return name
    return "null" if value is None else f"a Python {type(value).__name__}"


_NAMES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "a string"),
    (bool, "a boolean"),
    ((int, float), "a number"),
    (list, "an array"),
    (dict, "an object"),
)
