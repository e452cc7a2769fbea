"""What pages, consoles and notebooks put around a command."""

import re
from dataclasses import dataclass

from sparknb.importers.curl.command import Shell

__all__ = ["Pasted", "unwrap"]

_BLANK_OR_COMMENT = re.compile(
    r"(?:[ \t\r]*+\n|[ \t]*+(?:#|::|%%(?:bash|sh|cmd)\b|(?i:rem\b))[^\n]*+(?:\n|\Z))*+"
    r"[ \t]*+"
)
_FENCE = re.compile(r"\s*+(`{3,}|~{3,})[^\n`]*\n")
_POSIX = (
    r"(?:\([\w.-]{1,60}\) ?)?"
    r"(?:\[?[\w.-]{1,60}@[\w.-]{1,60}[^$#%>\n'\"]{0,120}[$#%>]"
    r"|[$%\u276f\u279c\u00bb>])[ \t]++"
)
_PROMPT = re.compile(
    rf"(?:{_POSIX}|(?P<powershell>PS(?:[ \t][^>\n]{{0,200}})?>[ \t]*+)"
    r"|(?P<cmd>[A-Za-z]:[\\/][^>\n]{0,200}>[ \t]*+)|!(?=\s*curl))(?=\S)"
)
_MORE = re.compile(r">{1,2}(?:[ \t]|$)|More\?[ \t]?")
_LEAST_FENCED = 3


@dataclass(frozen=True, slots=True)
class Pasted:
    """A text without its wrapping.

    Attributes:
        text: The command, perhaps with lines after it.
        prompt: The shell whose prompt stood before it, `posix` when that of any;
            None without one.
        comments: Comments stood before it.
    """

    text: str
    prompt: Shell | None = None
    comments: bool = False


def unwrap(text: str) -> Pasted:
    """Take a byte order mark, a fence of Markdown, comments and a prompt away."""
    bare = _without_fence(text.removeprefix("\ufeff"))
    before = _BLANK_OR_COMMENT.match(bare)
    start = before.end() if before else 0
    comments = bool(bare[:start].strip())
    prompt = _PROMPT.match(bare, start)
    if prompt is None:
        return Pasted(bare[start:], None, comments)
    rest = _without_more(bare[prompt.end() :])
    shell: Shell = "posix"
    if prompt.lastgroup == "cmd":
        shell = "cmd"
    elif prompt.lastgroup == "powershell":
        shell = "powershell"
    return Pasted(rest, shell, comments)


def _without_fence(text: str) -> str:
    opening = _FENCE.match(text)
    if opening is None:
        return text
    closing = text.find(f"\n{opening[1][:_LEAST_FENCED]}", opening.end() - 1)
    return text[opening.end() : closing if closing >= 0 else len(text)]


def _without_more(text: str) -> str:
    """Take the second prompt (`> `, `>> `) from the lines right after the first."""
    first, *lines = text.split("\n")
    for number, line in enumerate(lines):
        more = _MORE.match(line)
        if more is None:
            break
        lines[number] = line[more.end() :]
    return "\n".join([first, *lines])
