"""What is said of a text that is no YAML, in the words of its author."""

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Slip", "explain"]


class Slip(NamedTuple):
    """Why reading stopped, and what to do."""

    message: str
    hint: str


_QUOTE = "put the whole text in quotes"
_TAB = Slip("a tab stands where blanks are needed", "indent with blanks, never tabs")
_BRACES = Slip(
    "a text with {{…}} or ${…} stands without quotes between brackets",
    'put the whole text in quotes: "…{{name}}…"',
)
_PATH = Slip(
    "a path with [ ] stands without quotes between brackets",
    'put it in quotes: "$.items[*].name"',
)
_BARE_PATH = re.compile(r"""(?<!["'])\$[.\w]*\[""")
# What the reader of YAML says, and what it means for the author; the first that fits.
_SLIPS: Sequence[tuple[str, Slip]] = (
    (
        "mapping values are not allowed here",
        Slip("a colon stands where no key can be", f'{_QUOTE} if it holds ": "'),
    ),
    (
        "sequence entries are not allowed here",
        Slip("a list begins beside its key", "start it on a line of its own: - item"),
    ),
    (
        "found unexpected end of stream",
        Slip("a quote is opened and never closed", "close it, or double one inside"),
    ),
    (
        "found unexpected document separator",
        Slip("a quote is opened and never closed", "close it, or double one inside"),
    ),
    (
        "could not find expected ':'",
        Slip("a key has no colon behind it", "write key: value"),
    ),
    (
        "unknown escape character",
        Slip(
            "a backslash in double quotes is no escape that YAML knows",
            "double it, or use single quotes",
        ),
    ),
    (
        "that cannot start any token",
        Slip("a text begins with a character that YAML keeps for itself", _QUOTE),
    ),
    (
        "expected ',' or",
        Slip("a bracket is not closed, or a comma is missing", f"or {_QUOTE}"),
    ),
    (
        "expected <block end>",
        Slip(
            "this does not fit what stands before it",
            "keys of one mapping begin in the same column; "
            "text that goes on behind a quote or bracket stands whole in quotes",
        ),
    ),
)
_OTHER = Slip("this is not YAML", f"write key: value; or {_QUOTE}")


def explain(said: str, line: str, column: int) -> Slip:
    """Give the likely cause.

    Args:
        said: The reader's own words.
        line: The line on which it gave up.
        column: Where on that line, 0-based.
    """
    if "\t" in line[: column + 1] and not line[: column + 1].strip():
        return _TAB
    if ("expected" in said) and ("{{" in line or "${" in line):
        return _BRACES
    if "expected" in said and _BARE_PATH.search(line):
        return _PATH
    return next((slip for words, slip in _SLIPS if words in said), _OTHER)
