"""What there is to say about commands: an overview, and each one's own page."""

from collections.abc import Sequence

from sparknb.commands.index import COMMANDS, GROUPS
from sparknb.commands.table import Command, Option
from sparknb.commands.views import Line, Section, Span, Stack, View

__all__ = ["command_page", "noun_page", "overview"]

_WHAT = "Write, check, test and publish the tools that AI agents use."
_COMMON: Sequence[tuple[str, str]] = (
    ("--json", "Print exactly one JSON document on standard output."),
    ("-h, --help", "Show this help."),
)


def overview(program: str, more: Sequence[tuple[str, str]] = ()) -> View:
    """Give all commands by group.

    Args:
        program: The word that starts a command, such as `sparknb`.
        more: Options of the front door itself, with what they mean.
    """
    sections = [
        Section(group, [_row(c) for c in COMMANDS if c.group == group])
        for group in GROUPS
    ]
    options = Section("Options", [_option(*o) for o in (*_COMMON, *more)])
    head = (Span(program, "strong"), Span(" COMMAND ..."))
    foot = f"{program} COMMAND --help tells more about one."
    parts: list[View] = [Line(head), Line(_WHAT), *sections, options]
    return Stack([*parts, Line((Span(foot, "quiet"),))])


def noun_page(program: str, noun: str) -> View:
    """Give the commands that begin with the same word."""
    rows = [_row(c) for c in COMMANDS if c.path[0] == noun]
    head = (Span(f"{program} {noun}", "strong"), Span(" COMMAND ..."))
    return Stack([Line(head), Section("Commands", rows)])


def command_page(program: str, command: Command) -> View:
    """Give everything about one command."""
    head = (Span(f"{program} {command.words}", "strong"),)
    rest = command.usage.removeprefix(command.words)
    options = " [OPTIONS]" if command.options else ""
    parts: list[View] = [Line((*head, Span(f"{rest}{options}")))]
    parts.append(Line(" ".join(filter(None, (command.summary, command.details)))))
    if command.arguments:
        rows = [_option(a.metavar, a.help) for a in command.arguments]
        parts.append(Section("Arguments", rows))
    parts.append(Section("Options", [*map(_of, command.options), *_common()]))
    if command.examples:
        lines = [(example, "") for example in command.examples]
        parts.append(Section("Examples", lines))
    return Stack(parts)


def _row(command: Command) -> tuple[Span, Span]:
    return Span(command.usage, "notice"), Span(command.summary)


def _of(option: Option) -> tuple[Span, Span]:
    return _option(option.usage, option.help)


def _common() -> list[tuple[Span, Span]]:
    return [_option(*words) for words in _COMMON]


def _option(name: str, meaning: str) -> tuple[Span, Span]:
    return Span(name, "notice"), Span(meaning)
