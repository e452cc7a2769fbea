"""The pieces of a YAML text, one by one; the only place that knows the library.

Limits are checked as pieces come, so a text that nests or goes on for ever is left at
once. Aliases are pieces like any other: nothing is ever copied.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sparknb.core.json_text import LONE_SURROGATE
from sparknb.importers.cell.syntax import Slip, explain

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_VALUES",
    "LeftError",
    "Lines",
    "Piece",
    "pieces",
]

MAX_BYTES = 262_144
MAX_VALUES = 10_000
MAX_DEPTH = 64

_FIRST_LINE = 2  # of the body, below the magic
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
# The library looks far ahead at brackets that open one after the other.
_DEEP = re.compile(rf"(?:[\[{{][ \t\n]*+){{{MAX_DEPTH + 1}}}")
_ENDED = re.compile("end of stream|stream end|document separator|could not find")
_BETWEEN = re.compile(r"[\s:,?-]*")

_TOO_DEEP = Slip(f"the cell nests deeper than {MAX_DEPTH} levels", "make it flatter")

Kind = Literal["text", "list", "map", "alias", "end"]
_KINDS: dict[str, Kind] = {
    "ScalarEvent": "text",
    "SequenceStartEvent": "list",
    "MappingStartEvent": "map",
    "AliasEvent": "alias",
    "SequenceEndEvent": "end",
    "MappingEndEvent": "end",
}


class Piece(NamedTuple):
    """A text, or the begin or end of a list or mapping.

    Attributes:
        at: Where it begins, in characters.
        end: Where it ends; of a list or mapping its first bracket.
        text: What a text says, without quotes.
        is_plain: A text without quotes: it may be a number.
        flaw: `&`, `*`, `!` or `%`, when the piece uses what no cell needs.
    """

    kind: Kind
    at: int
    end: int
    text: str = ""
    is_plain: bool = False
    flaw: str = ""


class LeftError(Exception):
    """A text is not read to its end: why, and at which character."""

    def __init__(self, slip: Slip, at: int) -> None:
        super().__init__(slip.message)
        self.slip = slip
        self.at = at


class Lines:
    """Lines of a cell, from characters of its body."""

    def __init__(self, text: str, first: int = _FIRST_LINE) -> None:
        self._first = first
        self._breaks = [match.start() for match in re.finditer("\n", text)]

    def of(self, at: int) -> int:
        """Give the line on which a character stands; the magic's own is the first."""
        return self._first + bisect_right(self._breaks, at - 1)


def pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of the one document in a text.

    Raises:
        LeftError: It is no YAML, has more than one document, or passes a limit.
    """
    _check_text(text)
    depth = count = 0
    for event in _events(text):
        kind = _KINDS.get(type(event).__name__)
        if kind is None:
            continue
        piece = _piece(kind, event)
        if kind == "end":
            depth -= 1
        else:
            count += 1
            depth += kind in ("list", "map")
        if count > MAX_VALUES:
            what = f"the cell has more than {MAX_VALUES:,} values"
            raise LeftError(Slip(what, "a cell holds one tool"), piece.at)
        if depth > MAX_DEPTH:
            raise LeftError(_TOO_DEEP, piece.at)
        yield piece


def _piece(kind: Kind, event: Any) -> Piece:
    at, end = event.start_mark.index, event.end_mark.index
    flaw = ""
    if kind == "alias":
        flaw = "*"
    elif kind != "end":
        flaw = "&" if event.anchor is not None else "!" if event.tag is not None else ""
    if kind != "text":
        return Piece(kind, at, end, flaw=flaw)
    return Piece(kind, at, end, _whole(event.value), event.style is None, flaw)


def _whole(text: str) -> str:
    """Join the two escapes that JSON writes for one character beyond U+FFFF."""
    if text.isascii() or not LONE_SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode(
        "utf-16-le", "surrogatepass"
    )


def _check_text(text: str) -> None:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        what = f"the cell is larger than {MAX_BYTES:,} bytes"
        raise LeftError(Slip(what, "a cell holds one tool"), 0)
    odd = _UNPRINTABLE.search(text)
    if odd:
        what = f"the cell holds the character U+{ord(odd[0]):04X}, which YAML refuses"
        hint = "remove it; in double quotes an escape such as \\u001b stands for one"
        raise LeftError(Slip(what, hint), odd.start())
    deep = _DEEP.search(text)
    if deep:
        raise LeftError(_TOO_DEEP, deep.start())


def _events(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    last = documents = 0
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            if type(event).__name__ == "DocumentStartEvent":
                documents += 1
                _check_document(event, documents)
            last = event.end_mark.index
            yield event
    except MarkedYAMLError as error:
        raise _left(text, error) from None
    except (ValueError, OverflowError):
        slip = Slip("an escape names no character", "correct it, or use single quotes")
        match = _BETWEEN.match(text, last)
        raise LeftError(slip, match.end() if match else last) from None


def _check_document(event: Any, number: int) -> None:
    at = event.start_mark.index
    if number > 1:
        slip = Slip("a second document begins here", "give each tool its own cell")
        raise LeftError(slip, at)
    if event.version is not None or event.tags:
        raise LeftError(Slip("a directive (%) is not used here", "remove the line"), 0)


def _left(text: str, error: "MarkedYAMLError") -> LeftError:
    """Give where the author has to look, and the likely cause."""
    said = f"{error.problem}"
    mark = error.problem_mark or error.context_mark
    at = mark.index
    if error.context_mark is not None and _ENDED.search(said):
        at = error.context_mark.index  # where it was opened, not where the text ends
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:].partition("\n")[0]
    return LeftError(explain(said, line, at - begin), at)
