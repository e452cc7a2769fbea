"""Writes a JSON template so that no two braces touch that are no placeholder's.

The original takes every `{{` and `}}` for one, also `}}` that closes two objects
(ST-21). What the template means stays the same; one that the original can read stays
as it is written.
"""

import re
from collections.abc import Iterator

from sparknb.core.templates.placeholder import PLACEHOLDER

__all__ = ["without_touching_braces"]

# Possessive quantifiers: linear, also where nothing matches.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def without_touching_braces(template: str) -> str:
    """Give the same JSON template, its closing braces apart.

    Between tokens a blank comes between them; next to a placeholder inside a string
    a brace is written as an escape.
    """
    rest = PLACEHOLDER.sub("x", template)
    if "}}" not in rest and "{{" not in rest:
        return template
    written: list[str] = []
    before = ""
    for token in _tokens(template):
        if before and before == token[0] and before in "{}":
            written.append(" ")
        written.append(_spelled(token) if token[0] == '"' else token)
        before = token[-1]
    return "".join(written)


def _tokens(template: str) -> Iterator[str]:
    """Yield strings and placeholders whole, all else character by character."""
    at = 0
    while at < len(template):
        pattern = _STRING if template[at] == '"' else PLACEHOLDER
        found = pattern.match(template, at) if template[at] in '"{' else None
        token = template[at] if found is None else found[0]
        yield token
        at += len(token)


def _spelled(string: str) -> str:
    """Give a JSON string whose single braces do not touch a placeholder."""
    pieces: list[str] = []
    end = 0
    for found in PLACEHOLDER.finditer(string):
        pieces += [_apart(string[end : found.start()], is_first=not end), found[0]]
        end = found.end()
    if not end:
        return string
    rest = string[end:]
    return "".join([*pieces, rf"\u007d{rest[1:]}" if rest[0] == "}" else rest])


def _apart(literal: str, *, is_first: bool) -> str:
    """Escape the brace before the next placeholder, and behind the last one."""
    if literal.endswith("{"):
        literal = rf"{literal[:-1]}\u007b"
    if not is_first and literal.startswith("}"):
        literal = rf"\u007d{literal[1:]}"
    return literal
