"""Here-documents: the lines after a command that it reads as its input."""

import re
from dataclasses import dataclass

__all__ = ["Body", "Document", "read_body", "read_mark"]

_MARK = re.compile(
    r"<<(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|(\\?)([\w.!-]+))(?=[\s;|&<>]|\Z)"
)
_INDENT = re.compile(r"^\t+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Document:
    """What `<<` says of the lines to come.

    Attributes:
        last_line: The line that ends them.
        is_literal: Nothing in them is expanded.
        is_indented: Tabs at the beginning of lines are no part of them.
    """

    last_line: str
    is_literal: bool
    is_indented: bool


@dataclass(frozen=True, slots=True)
class Body:
    """The lines, and where the text goes on after them."""

    text: str
    end: int


def read_mark(text: str, start: int) -> tuple[Document, int] | None:
    """Read `<<WORD` at `start`; give it and where it ends, or None."""
    found = _MARK.match(text, start)
    if found is None:
        return None
    indented, single, double, backslash, bare = found.groups()
    is_literal = bool(single or double or backslash)
    last_line = single or double or bare
    return Document(last_line, is_literal, bool(indented)), found.end()


def read_body(text: str, start: int, document: Document) -> Body | None:
    """Read the lines that begin at `start`; None when the last line is missing."""
    tabs = r"\t*" if document.is_indented else ""
    last = re.compile(
        rf"^{tabs}{re.escape(document.last_line)}[ \t]*\r?(?:\n|\Z)", re.MULTILINE
    ).search(text, start)
    if last is None:
        return None
    lines = text[start : last.start()]
    if document.is_indented:
        lines = _INDENT.sub("", lines)
    return Body(lines, last.end())
