"""Where in a JSON text a problem's path points."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from json import JSONDecoder

__all__ = ["lines_of"]

_PIECE = re.compile(r'[ \t\r\n]*([{}\[\],:"]|[^\s{}\[\],:"]+)')

_DEEPEST = 64
"""No definition nests deeper, and paths grow with every level."""

_STRINGS = JSONDecoder(strict=False)


@dataclass(slots=True)
class _Open:
    """An object or array that is not closed yet; `child` is what comes next in it."""

    path: str
    is_object: bool
    index: int = 0
    child: str = ""
    awaits_key: bool = False

    def under(self, name: str | int) -> str:
        return f"{self.path}.{name}" if self.path else str(name)


def lines_of(text: str, paths: Iterable[str]) -> Mapping[str, int]:
    """Give the 1-based line of each path, or of its nearest parent in the text.

    A path that is missing in the text is told by its parent, so that a field that
    has to be added has a place. Text that is not JSON is read as far as it goes.
    """
    starts = _starts(text)
    found: dict[str, int] = {}
    for path in paths:
        known = path
        while known and known not in starts:
            known = known.rpartition(".")[0]
        if known:
            found[path] = text.count("\n", 0, starts[known]) + 1
    return found


def _starts(text: str) -> dict[str, int]:
    """Give the offset at which each path of the text begins; its first mention wins."""
    starts: dict[str, int] = {}
    frames: list[_Open] = []
    position = 0
    while match := _PIECE.match(text, position):
        piece, at, position = match[1], match.start(1), match.end()
        frame = frames[-1] if frames else None
        if piece == '"':
            try:
                word, position = _STRINGS.raw_decode(text, at)
            except ValueError:
                break
            if frame is not None and frame.awaits_key:
                frame.awaits_key, frame.child = False, frame.under(word)
                starts.setdefault(frame.child, at)
                continue
        if piece in "}],:":
            _punctuate(piece, frames)
            continue
        path = _value(frame, starts, at)
        if len(frames) > _DEEPEST:
            break
        if piece in "{[":
            frames.append(_Open(path, piece == "{", awaits_key=piece == "{"))
    return starts


def _punctuate(piece: str, frames: list[_Open]) -> None:
    """Close an object or array, or go on to its next member."""
    if piece in "}]":
        if frames:
            frames.pop()
    elif piece == "," and frames:
        frames[-1].index += 1
        frames[-1].awaits_key = frames[-1].is_object


def _value(frame: _Open | None, starts: dict[str, int], at: int) -> str:
    """Give the path of the value that begins here, and note the place."""
    if frame is None:
        return ""
    if frame.is_object:
        return frame.child
    path = frame.under(frame.index)
    starts.setdefault(path, at)
    return path
