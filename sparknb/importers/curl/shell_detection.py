"""Which shell a pasted command was written for."""

import re
from collections.abc import Iterator

from sparknb.importers.curl.cmd import looks_encoded
from sparknb.importers.curl.command import Shell

__all__ = ["detect_shell", "mixes_shells"]

_MARK = re.compile(r"['\"\\^`$@%]")
_LINE_END = re.compile(r"[ \t]*\r?(?:\n|\Z)")
_CARET_ESCAPE = re.compile(r"\^[\"&%|<>^{}!\\]")
_ENV = re.compile(r"\$(?:env:|\{env:)\w", re.IGNORECASE)
_VARIABLE = re.compile(r"%([A-Z_][A-Z0-9_]{2,127})%")
_QUOTE = re.compile(r"['\"]")
_QUOTED = re.compile(
    r"""\\.|'[^']*+(?:'|\Z)|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)""", re.DOTALL
)
_BASH_VARIABLE = re.compile(r"\$[A-Za-z_{(]|`")
_EXE = re.compile(r"\S*curl\.exe\b", re.IGNORECASE)
_POWERSHELL_VALUE = re.compile(r"\$[A-Za-z_{(]")
_CARET_LINE = re.compile(r"\^[ \t]*\r?\n")
_INK = re.compile(r"\S")
_FEWEST_DOUBLED = 2


def detect_shell(text: str, *, prompt: Shell | None = None) -> Shell:
    """Tell the shell: by its signs outside quotes first, then by weaker ones.

    Args:
        text: From `curl` on.
        prompt: The shell whose own prompt stood before it.
    """
    if text.startswith("&"):
        return "powershell"  # only there it calls what follows
    for shell in _signs(text):
        return shell
    if prompt is not None and prompt != "posix":
        return prompt
    if _EXE.match(text):
        return "powershell" if _is_of_powershell(text) else "cmd"
    return "cmd" if _is_of_windows(text) else "posix"


def _is_of_powershell(text: str) -> bool:
    r"""Tell whose a `curl.exe` is: where PowerShell could put a value, its own.

    A `$name` that was meant literally is refused then, and one that was not is never
    sent as it stands. `\"` is how cmd writes a quote.
    """
    quote = _QUOTE.search(text)
    if quote and quote[0] == "'":
        return True
    return '\\"' not in text and _POWERSHELL_VALUE.search(text) is not None


def mixes_shells(text: str) -> bool:
    """Tell a text with the quotes of bash and the line ends of cmd."""
    quote = _QUOTE.search(text)
    return bool(quote and quote[0] == "'" and _CARET_LINE.search(text))


def _signs(text: str) -> Iterator[Shell]:
    """Find what only one of the shells has, in order."""
    quote = ""
    skipped = 0
    for found in _MARK.finditer(text):
        at, char = found.start(), found[0]
        if at < skipped:
            continue
        if quote == "'":
            quote = "" if char == "'" else quote
            continue
        shell = _sign(text, at, is_quoted=bool(quote))
        if shell:
            yield shell
        if char == '"' or (char == "'" and not quote):
            quote = "" if quote else char
        elif char == "\\":
            skipped = at + 2


def _sign(text: str, at: int, *, is_quoted: bool) -> Shell | None:
    char = text[at]
    if char == "$" and _ENV.match(text, at):
        return "powershell"
    if char == "`" and is_quoted:
        return "powershell" if _opens_escape(text, at) else None
    return None if is_quoted else _bare_sign(text, at)


def _bare_sign(text: str, at: int) -> Shell | None:
    char = text[at]
    ends_line = _LINE_END.match(text, at + 1) is not None
    if (char == "\\" and ends_line) or text.startswith("$'", at):
        return "posix"
    if char == "`" and ends_line:
        return "powershell" if _continues_line(text, at) else None
    if char == "@" and text[at + 1 : at + 2] in ("'", '"'):
        return "powershell" if _LINE_END.match(text, at + 2) else None
    if char == "^" and (ends_line or _CARET_ESCAPE.match(text, at)):
        return "posix" if ends_line and mixes_shells(text) else "cmd"
    return None


def _continues_line(text: str, at: int) -> bool:
    """Tell a backtick that continues a line from one that ends a command of bash."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    if "`" in line or line[-1:] not in (" ", "\t", ""):
        return False
    return _INK.search(text, at + 1) is not None


def _opens_escape(text: str, at: int) -> bool:
    """Tell a backtick before a quote from the one that ends a command of bash."""
    opened = text.rfind('"', max(at - 2000, 0), at)
    return text[at + 1 : at + 2] == '"' and "`" not in text[opened + 1 : at]


def _is_of_windows(text: str) -> bool:
    """Tell the doubled quotes, or the variables, of a text without signs of bash."""
    doubled = end = 0
    for found in _QUOTED.finditer(text):
        if found[0][0] == "'" and text[found.start() - 1 : found.start()].isspace():
            return False
        doubled += found[0][0] == '"' and found.start() == end
        end = found.end()
    if _BASH_VARIABLE.search(text):
        return False
    return doubled >= _FEWEST_DOUBLED or any(
        not looks_encoded(found) for found in _VARIABLE.finditer(text)
    )
