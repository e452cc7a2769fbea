"""`${name}` in a cell: Python variables that were passed in by name (NB-18)."""

import re
from collections.abc import Iterator, Mapping

__all__ = ["fill", "missing"]

_MARK = re.compile(r"(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def fill(text: str, variables: Mapping[str, str]) -> str:
    """Put the variables in; one that was not passed stays as it is written.

    `$${name}` stands for the text `${name}` itself. What a variable holds is text,
    never looked through again.
    """
    if "${" not in text:
        return text

    def put(mark: re.Match[str]) -> str:
        return mark[0][1:] if mark[1] else variables.get(mark[2], mark[0])

    return _MARK.sub(put, text)


def missing(text: str, variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the names that a text wants and nobody passed, each once."""
    if "${" in text:
        found = (mark[2] for mark in _MARK.finditer(text) if not mark[1])
        yield from dict.fromkeys(name for name in found if name not in variables)
