"""Where a command of several lines goes on, and what stands around it in a text."""

import re

from sparknb.importers.curl.shell_words import Words

__all__ = ["LINE_END", "LOST_LINE_END", "continues_at", "find_end"]

LINE_END = re.compile(r"\r?\n|\r\Z")
# Where a form of one line took a command of several: no word begins with a blank.
LOST_LINE_END = re.compile(r"[ \t]+(?=--?[A-Za-z]|https?://)")
_BETWEEN = re.compile(
    r"(?:[ \t\r]*+\n|[ \t]*+(?:#|::|(?i:rem\b))[^\n]*+(?:\n|\Z))*+[ \t]*+"
)


def continues_at(text: str, start: int, out: Words) -> int | None:
    """Tell where the command goes on after an end of line that a shell would obey.

    No command begins with `-`: a line that does belongs to the one before, which lost
    its sign of continuation, or has a blank line or a comment in between.

    Args:
        text: The whole text.
        start: The beginning of the next line.
        out: Where a notice goes.
    """
    between = _BETWEEN.match(text, start)
    end = between.end() if between else start
    if text[end : end + 1] != "-":
        return None
    out.notice("a line that begins with an option is read as part of the command")
    return end


def find_end(text: str, start: int) -> int:
    """Give the end of the line that `start` is in."""
    found = text.find("\n", start)
    return found if found >= 0 else len(text)
