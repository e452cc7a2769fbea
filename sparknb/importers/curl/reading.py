"""From a pasted text to what its curl command says (ST-91 to ST-93)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from sparknb.core.problems import Problem
from sparknb.importers.curl.cmd import read_cmd
from sparknb.importers.curl.command import CurlCommand, Shell, Word
from sparknb.importers.curl.options_reading import read_options
from sparknb.importers.curl.posix import read_posix
from sparknb.importers.curl.powershell import read_powershell
from sparknb.importers.curl.reading_head import find_curl, not_curl, sets_variables
from sparknb.importers.curl.shell_detection import detect_shell, mixes_shells
from sparknb.importers.curl.shell_prompts import Pasted, unwrap
from sparknb.importers.curl.shell_words import Reader, ShellText

__all__ = ["MOST_BYTES", "read_command"]

MOST_BYTES = 256 * 1024
_ANOTHER = re.compile(
    r"^[ \t]*+(?:(?:[$%>!]|PS[^>\n]{0,200}>)[ \t]*+)?curl(?:\.exe)?(?=\s)",
    re.MULTILINE | re.IGNORECASE,
)
_CALL = re.compile(r"&[ \t]*+(?=\S)")  # how PowerShell runs a path in quotes
_COMMENTS = re.compile(r"(?:[ \t]*+(?:#|::|(?i:rem\b))[^\n]*+(?:\n|\Z)|\s++)*+")


def read_command(text: str, shell: Shell | None = None) -> CurlCommand:
    """Read one curl command, without running, expanding or opening anything.

    Takes time in proportion to the length of the text, and never raises.

    Args:
        text: What was pasted, at most 256 KiB: a command of a browser, a manual or a
            console, with its prompt, comments and line ends.
        shell: Whose rules hold; None finds it out.

    Returns:
        What the command says. `problems` holds all that is wrong at once, each at
        `curl.N`, the word's number; while there are any, the rest is incomplete.
    """
    unfit = _find_unfit(text)
    if unfit is not None:
        return CurlCommand(shell=shell or "posix", problems=[unfit])
    pasted = unwrap(text)
    chosen = shell or detect_shell(pasted.text, prompt=pasted.prompt)
    read, set_before = _read_words(pasted.text, chosen)
    wrong = not_curl(read.words)
    if wrong is not None:
        return CurlCommand(shell=chosen, problems=_or_shell(wrong, read))
    return _finish(pasted, read, chosen, set_before=set_before)


def _find_unfit(text: str) -> Problem | None:
    """Tell what no shell could be given."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return _syntax("the text holds broken characters", "copy the command again")
    if size > MOST_BYTES:
        return _syntax(
            "the text has more than 256 KiB", "import a command with a shorter body"
        )
    if "\0" in text:
        return _syntax("the text holds a NUL", "copy the command again")
    return None


def _syntax(message: str, hint: str) -> Problem:
    return Problem(code="CURL_SYNTAX", message=message, path="curl.0", hint=hint)


def _read_words(text: str, shell: Shell) -> tuple[ShellText, bool]:
    """Read the first command that does more than set variables."""
    posix = partial(read_posix, caret=mixes_shells(text))
    readers: dict[Shell, Reader] = {
        "posix": posix,
        "cmd": read_cmd,
        "powershell": read_powershell,
    }
    call = _CALL.match(text) if shell == "powershell" else None
    read = readers[shell](text, call.end() if call else 0)
    set_before = False
    while read.end < len(text) and sets_variables(read.words):
        read = readers[shell](text, read.end)
        set_before = True
    return read, set_before


def _or_shell(wrong: Problem, read: ShellText) -> Sequence[Problem]:
    """Give what is wrong; for `NAME=value; curl …` that is what the shell would do."""
    if sets_variables(read.words):
        shell = [f.to_problem() for f in read.flaws if f.code == "CURL_SHELL"]
        return shell or [wrong]
    return [wrong]


def _finish(
    pasted: Pasted, read: ShellText, shell: Shell, *, set_before: bool
) -> CurlCommand:
    head = find_curl(read.words)
    first = head.place if head else 0
    dropped = [*(head.dropped if head else ())]
    words = [replace(w, number=w.number - first) for w in read.words[first:]]
    changed = {number - first: what for number, what in read.changed.items()}
    command = read_options(words, changed=changed, stdin=read.stdin)
    notices = [*_leading(pasted, dropped, set_before=set_before)]
    problems: list[Problem] = []
    after = _following(pasted, read, words)
    for problem in [*(f.to_problem(first) for f in read.flaws), *after]:
        (notices if problem.level == "notice" else problems).append(problem)
    return replace(
        command,
        shell=shell,
        notices=[*notices, *command.notices],
        problems=[*problems, *command.problems],
    )


def _leading(
    pasted: Pasted, dropped: Sequence[str], *, set_before: bool
) -> Sequence[Problem]:
    """Tell what stood before the command."""
    told: list[str] = []
    if pasted.comments:
        told.append("comments are left out")
    if set_before:
        told.append("variables that are set before the command are left out")
    if dropped:
        told.append(f"left out before curl: {', '.join(dropped[:10])}")
    return [_notice(message, "curl.0") for message in told]


def _following(
    pasted: Pasted, read: ShellText, words: Sequence[Word]
) -> Sequence[Problem]:
    """Tell what stands after the command."""
    rest = pasted.text[read.end :]
    blank = _COMMENTS.match(rest)
    if blank is None or blank.end() == len(rest):
        return [_notice("comments are left out", "curl.0")] if rest.strip() else []
    path = f"curl.{len(words)}"
    if _ANOTHER.search(rest, blank.start()):
        return [
            Problem(
                code="CURL_MULTIPLE",
                message="the text holds another curl command",
                path=path,
                hint="import the requests one by one",
            )
        ]
    if pasted.prompt is not None:
        return [_notice("what follows the command is taken for its output", path)]
    return [
        Problem(
            code="CURL_SHELL",
            message="another line follows the command",
            path=path,
            hint=(
                "paste the command alone; a line that goes on ends with \\ "
                "(^ for cmd, ` for PowerShell)"
            ),
        )
    ]


def _notice(message: str, path: str) -> Problem:
    return Problem(code="IMPORT_NOTICE", message=message, path=path, level="notice")
