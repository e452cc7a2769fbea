"""A text of any length in bounded memory: its beginning and its end."""

from collections import deque
from collections.abc import Iterable

__all__ = ["MARKER", "both_ends"]

MARKER = "\n…[truncated middle]…\n"

_END_SIZE = 4 << 20  # characters kept of each end


def both_ends(pieces: Iterable[str], size: int = _END_SIZE) -> str:
    """Join the pieces; beyond `size` characters at each end a marker stands.

    Indented JSON and tables can be a hundred times as long as the response they are
    made from, and the clip that follows keeps a part of each end anyway. A single
    piece is never cut, so the text may be longer by one piece at each end.
    """
    remaining = iter(pieces)
    head: list[str] = []
    length = 0
    for piece in remaining:
        head.append(piece)
        length += len(piece)
        if length >= size:
            break
    tail: deque[str] = deque()
    length, is_cut = 0, False
    for piece in remaining:
        tail.append(piece)
        length += len(piece)
        while length - len(tail[0]) >= size:
            length -= len(tail.popleft())
            is_cut = True
    return "".join([*head, MARKER if is_cut else "", *tail])
