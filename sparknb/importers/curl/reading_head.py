"""Finding `curl` among the first words of a command."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparknb.core.problems import Problem
from sparknb.importers.curl.command import Variable, Word

__all__ = ["Head", "find_curl", "not_curl", "sets_variables"]

_CURL = re.compile(r"(?:[^\n]*[\\/])?curl(?:\.exe)?", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=", re.ASCII)
# Only these are repeated: any other first word may be a secret pasted alone.
_SAYABLE = frozenset(
    {
        "wget",
        "http",
        "https",
        "httpie",
        "xh",
        "fetch",
        "echo",
        "cat",
        "sudo",
        "invoke-webrequest",
        "invoke-restmethod",
        "iwr",
        "irm",
    }
)
# Words that start another program, and which of their options take a value.
_STARTERS = {
    "sudo": frozenset("ughpCTURDr"),
    "doas": frozenset("uC"),
    "env": frozenset("uCS"),
    "time": frozenset("fo"),
    "nice": frozenset("n"),
    "nohup": frozenset[str](),
    "command": frozenset[str](),
    "exec": frozenset("a"),
    "winpty": frozenset[str](),
}
# Parameters of the command that Windows PowerShell calls curl.
_OTHER_CURL = frozenset(
    {
        "-uri",
        "-method",
        "-headers",
        "-body",
        "-contenttype",
        "-usebasicparsing",
        "-outfile",
        "-infile",
        "-websession",
        "-useragent",
        "-credential",
        "-timeoutsec",
    }
)
_COPY_AS_CURL = "paste a curl command; browsers give it as Copy as cURL"


@dataclass(frozen=True, slots=True)
class Head:
    """Where `curl` stands, and what stood before it, without any values."""

    place: int
    dropped: Sequence[str]


def find_curl(words: Sequence[Word]) -> Head | None:
    """Find the word `curl`; None when the command starts another program."""
    dropped: list[str] = []
    place = 0
    takes_value: frozenset[str] = frozenset()
    while place < len(words):
        text = words[place].text
        if _CURL.fullmatch(text) and not words[place].variables:
            return Head(place, dropped)
        name = re.split(r"[\\/]", text)[-1]
        assigned = _ASSIGNMENT.match(text)
        if assigned:
            dropped.append(assigned[1])
        elif name in _STARTERS:
            dropped.append(name)
            takes_value = _STARTERS[name]
        elif text.startswith("-") and dropped:
            place += len(text) == len("-u") and text[1] in takes_value
        else:
            return None
        place += 1
    return None


def sets_variables(words: Sequence[Word]) -> bool:
    """Tell a command that only gives values to variables of the shell."""
    if not words:
        return False
    first = words[0].text.lower()
    if first in ("export", "set") and len(words) > 1:
        return all(_ASSIGNMENT.match(word.text) for word in words[1:])
    if isinstance(next(iter(words[0].pieces), None), Variable):
        return len(words) > 1 and words[1].text == "="
    return all(_ASSIGNMENT.match(word.text) for word in words)


def not_curl(words: Sequence[Word]) -> Problem | None:
    """Tell what begins like curl from what does not; None when it is curl."""
    if not words or find_curl(words) is None:
        first = words[0].text if words and not words[0].variables else ""
        said = f"the text begins with {first}, not with curl"
        return Problem(
            code="CURL_NOT_CURL",
            message=said if first.lower() in _SAYABLE else _no_curl(words),
            path="curl.0",
            hint=_COPY_AS_CURL,
        )
    for number, word in enumerate(words):
        if word.text.lower() in _OTHER_CURL:
            return Problem(
                code="CURL_NOT_CURL",
                message="this is PowerShell's own web command under the name curl",
                path=f"curl.{number}",
                hint=_COPY_AS_CURL,
            )
    return None


def _no_curl(words: Sequence[Word]) -> str:
    return "the text does not begin with curl" if words else "the text holds no command"
