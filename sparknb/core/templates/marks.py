"""A URL template as one text with a mark for each placeholder.

The text is cut at the delimiters of a URL, and each piece gets its placeholders
back. Values take no part, so they cannot move a cut.
"""

from collections.abc import Iterator

from sparknb.core.templates.percent import encode_literal
from sparknb.core.templates.placeholder import Parts, Placeholder

__all__ = ["MARK", "mark", "restore"]

MARK = "\0"  # no literal of a URL may hold it


def mark(parts: Parts) -> str:
    """Give the text with a mark for each placeholder."""
    return "".join([part if isinstance(part, str) else MARK for part in parts])


def restore(text: str, slots: Iterator[Placeholder]) -> Parts:
    """Give the encoded literals and the placeholders of one piece.

    Args:
        text: A piece of a marked text; pieces come in order.
        slots: The placeholders that have not been given back yet.
    """
    first, *rest = text.split(MARK)
    parts: list[str | Placeholder] = [encode_literal(first)] if first else []
    for literal in rest:
        parts.append(next(slots))
        if literal:
            parts.append(encode_literal(literal))
    return tuple(parts)
