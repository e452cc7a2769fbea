"""What `-H` says, as curl reads it: a header to send, one to take away, or nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sparknb.importers.curl.command import Variable, Word
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.texts import refuse_variables

__all__ = ["Line", "read_lines"]

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BLANK = " \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class Line:
    """One header.

    Attributes:
        name: As written.
        value: What stands behind the colon; None takes the header away.
        number: The word that it comes from.
    """

    name: str
    value: Word | None = field(repr=False)
    number: int


def read_lines(words: Sequence[Word], notes: Notes) -> list[Line]:
    """Read the words of `-H`, in order."""
    lines = [_line(word, notes) for word in words]
    return [line for line in lines if line is not None]


def _line(word: Word, notes: Notes) -> Line | None:
    first = word.pieces[0] if word.pieces else ""
    if isinstance(first, Variable) or (word.variables and ":" not in first):
        hint = "write the name of the header and a colon literally"
        refuse_variables(word, notes, hint)
        return None
    name, colon, rest = first.partition(":")
    if not colon:
        return _without_colon(first, word, notes)
    if not name:
        notes.tell(word, "a pseudo-header of HTTP/2 is left out, as curl does")
        return None
    if not _TOKEN.fullmatch(name):
        message = "the name of a header holds a character that no name may have"
        notes.refuse("CURL_UNSUPPORTED_OPTION", word, message)
        return None
    value = replace(word, pieces=(rest, *word.pieces[1:]))
    is_empty = not word.variables and not rest.strip(_BLANK)
    return Line(name, None if is_empty else value, word.number)


def _without_colon(text: str, word: Word, notes: Notes) -> Line | None:
    name, semicolon, rest = text.partition(";")
    if semicolon and not rest and _TOKEN.fullmatch(name):
        return Line(name, replace(word, pieces=("",)), word.number)
    hint = "write Name: value, or Name; for an empty value"
    notes.tell(word, "a header without a colon is left out: curl sends none", hint)
    return None
