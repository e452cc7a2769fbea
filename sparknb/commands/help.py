"""What there is to say about commands: an overview, and each one's own page."""

from collections.abc import Sequence

from sparknb.commands.table import Command, Option
from sparknb.commands.views import Line, Section, Span, Stack, View

__all__ = ["command_page", "full_name", "noun_page", "overview"]

_WHAT = "Write, check, test and publish the tools that AI agents use."
_HELP = ("-h, --help", "Show this help.")


def full_name(program: str, path: Sequence[str]) -> str:
    """Give a command as it is typed: `sparknb secret set`, `%%spark_tool`."""
    if program == "%%":  # the sign of cell magics is no word of its own
        return program + " ".join(path)
    return " ".join((program, *path))


def overview(
    program: str,
    commands: Sequence[Command],
    common: Sequence[Option] = (),
    more: Sequence[tuple[str, str]] = (),
) -> View:
    """Give all commands by group.

    Args:
        program: The word that starts a command, such as `sparknb`.
        commands: What there is.
        common: Options of every command.
        more: Options of the front door itself, with what they mean.
    """
    sections = [
        Section(group, [_row(c) for c in commands if c.group == group])
        for group in dict.fromkeys(c.group for c in commands)
    ]
    options = Section("Options", [*_common(common), *(_option(*o) for o in more)])
    head = (Span(program, "strong"), Span(" COMMAND ..."))
    foot = f"{program} COMMAND --help tells more about one."
    parts: list[View] = [Line(head), Line(_WHAT), *sections, options]
    return Stack([*parts, Line((Span(foot, "quiet"),))])


def noun_page(program: str, noun: str, commands: Sequence[Command]) -> View:
    """Give the commands that begin with the same word."""
    rows = [_row(c) for c in commands if c.path[0] == noun]
    head = (Span(f"{program} {noun}", "strong"), Span(" COMMAND ..."))
    return Stack([Line(head), Section("Commands", rows)])


def command_page(program: str, command: Command, common: Sequence[Option] = ()) -> View:
    """Give everything about one command; `common` are the options of all."""
    head = (Span(full_name(program, command.path), "strong"),)
    rest = command.usage.removeprefix(command.words)
    options = " [OPTIONS]" if command.options else ""
    parts: list[View] = [Line((*head, Span(f"{rest}{options}")))]
    parts.append(Line(" ".join(filter(None, (command.summary, command.details)))))
    if command.arguments:
        rows = [_option(a.metavar, a.help) for a in command.arguments]
        parts.append(Section("Arguments", rows))
    parts.append(Section("Options", [*map(_of, command.options), *_common(common)]))
    if command.examples:
        lines = [(example, "") for example in command.examples]
        parts.append(Section("Examples", lines))
    return Stack(parts)


def _row(command: Command) -> tuple[Span, Span]:
    return Span(command.usage, "notice"), Span(command.summary)


def _of(option: Option) -> tuple[Span, Span]:
    return _option(option.usage, option.help)


def _common(options: Sequence[Option]) -> list[tuple[Span, Span]]:
    return [*map(_of, options), _option(*_HELP)]


def _option(name: str, meaning: str) -> tuple[Span, Span]:
    return Span(name, "notice"), Span(meaning)
