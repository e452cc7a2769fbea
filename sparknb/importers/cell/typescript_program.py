"""A TypeScript program in a cell: a header in YAML, then the source (NB-12)."""

import re
from collections.abc import Mapping

from sparknb.core.definitions import SOURCE_PATH
from sparknb.core.validation.fields import wrong_type
from sparknb.importers.cell.forms import SETTINGS, corrected
from sparknb.importers.cell.program import FIRST_LINE, SOURCE, Program, kept, unfilled
from sparknb.importers.cell.reading import Found, read_tree, wrong
from sparknb.importers.cell.tree import Entry, Pairs, Value, as_json

__all__ = ["TYPESCRIPT_KEYS", "read_typescript"]

TYPESCRIPT_KEYS = ("title", "description", "params", *SETTINGS)

_HEADER = re.compile(r"(\s*/\*[ \t]*---(?!-))(.*?)(?<!-)---\s*\*/", re.DOTALL)
_OPENED = re.compile(r"\s*/\*[ \t]*---(?!-)")
_UNREAD = frozenset({"title", "description", "inputSchema"})
_HOW = "begin the cell with /* ---, the keys as YAML, and --- */"


def read_typescript(text: str, variables: Mapping[str, str]) -> Program:
    """Read the body of a cell of type typescript; its lines end in line feeds alone."""
    header = _HEADER.match(text)
    found: list[Found] = []
    root = Pairs((), FIRST_LINE)
    silent: frozenset[str] = frozenset()
    if header is None:
        found.append(_headless(text))
        silent = _UNREAD
        if _OPENED.match(text):  # where the program begins is not known
            silent |= {SOURCE_PATH}
    else:
        root, told, silent = _keys(header, variables)
        found += told
    end = header.end() if header else 0
    # what stands before the program is blanked out, so that its lines keep their number
    lines = (re.sub(r"[^\n]", " ", text[:end]) + text[end:]).split("\n")
    numbers = range(FIRST_LINE, FIRST_LINE + len(lines))
    source, kept_numbers = kept(lines, numbers)
    found += unfilled(source, kept_numbers, variables)
    first = kept_numbers[0] if kept_numbers else FIRST_LINE
    entry = Entry(SOURCE, first, Value(source, source, first))
    return Program(
        root=Pairs((*root.entries, entry), root.line),
        found=tuple(found),
        lines=kept_numbers,
        silent=silent,
    )


def _headless(text: str) -> Found:
    """Give why a text has no header."""
    opened = _OPENED.match(text)
    if opened is None:
        message = "the header is missing, which says what the tool is for"
        return Found(wrong(message, "title", _HOW, "FIELD_MISSING"), FIRST_LINE)
    problem = wrong(
        "the header is opened by /* --- and not closed",
        "title",
        "write --- */ on a line of its own below its last key",
    )
    return Found(problem, FIRST_LINE + opened[0].count("\n"))


def _keys(
    header: re.Match[str], variables: Mapping[str, str]
) -> tuple[Pairs, list[Found], frozenset[str]]:
    """Read what stands in the header, with the lines of the cell."""
    above = "\n" * header[1].count("\n")
    reading = read_tree(above + header[2], variables, optional_at="params")
    found = list(reading.found)
    match reading.root:
        case Pairs() as written:
            root, unknown = corrected(written, TYPESCRIPT_KEYS, ())
            return root, [*found, *unknown], frozenset()
        case None if not found:
            message = "the header says nothing"
            problem = wrong(message, "title", _HOW, "FIELD_MISSING")
            found.append(Found(problem, FIRST_LINE))
        case None:
            pass
        case other:
            told = wrong_type("title", "keys with values", as_json(other))
            found.append(Found(told, other.line))
    return Pairs((), FIRST_LINE), found, _UNREAD
