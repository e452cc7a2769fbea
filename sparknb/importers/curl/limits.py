"""Limits that a command may set: how long, and how much (ST-93)."""

import re

from sparknb.importers.curl.command import CurlCommand, Word
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.texts import refuse_variables

__all__ = ["max_size_bytes", "timeout_ms"]

_SHORTEST, _LONGEST = 1000, 300_000
_LARGEST = 1_048_576
_SECONDS = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,9})?", re.ASCII)
_BYTES = re.compile(r"([0-9]{1,18})([BbKkMmGgTtPp]?)", re.ASCII)
_UNITS = "bkmgtp"


def timeout_ms(command: CurlCommand, notes: Notes) -> int | None:
    """Give the time limit of `-m`, in milliseconds; None where there is none."""
    word = command.max_time
    match = _number(word, _SECONDS, "-m", notes)
    if word is None or match is None:
        return None
    wanted = round(float(match[0]) * 1000)
    allowed = min(max(wanted or _LONGEST, _SHORTEST), _LONGEST)
    if allowed != wanted:
        notes.tell(
            word, f"the time limit becomes {allowed / 1000:g} s: 1 to 300 are allowed"
        )
    return allowed


def max_size_bytes(command: CurlCommand, notes: Notes) -> int | None:
    """Give the limit of `--max-filesize`; None where there is none."""
    word = command.max_filesize
    match = _number(word, _BYTES, "--max-filesize", notes)
    if word is None or match is None:
        return None
    wanted = int(match[1]) * 1024 ** max(_UNITS.find(match[2].lower()), 0)
    allowed = min(wanted or _LARGEST, _LARGEST)
    if allowed != wanted:
        notes.tell(
            word, f"the largest answer becomes {allowed:,} bytes: no more is kept"
        )
    notes.tell(word, "a longer answer is cut, where curl would fail")
    return allowed


def _number(
    word: Word | None, pattern: re.Pattern[str], option: str, notes: Notes
) -> re.Match[str] | None:
    if word is None:
        return None
    if word.variables:
        refuse_variables(word, notes, "write the number")
        return None
    match = pattern.fullmatch(word.text)
    if match is None:
        message = f"the value of {option} is no number"
        notes.refuse("CURL_SYNTAX", word, message)
    return match
