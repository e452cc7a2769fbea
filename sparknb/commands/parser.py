"""The grammar of the front doors, made from the command table with typer.

The command line and the magics of a notebook read words in the same way, and say the
same about words that they do not know.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from sparknb.commands.help import command_page, full_name, noun_page, overview
from sparknb.commands.table import Argument, Command, Option, Values
from sparknb.commands.views import Line, View
from sparknb.core.errors import UsageError
from sparknb.core.secret_scan import mask_secrets

__all__ = ["Answered", "Complete", "Grammar", "Invocation", "parse"]

Complete = Callable[[typer.Context, str], Sequence[tuple[str, str]]]
"""What typer calls to complete a word in a shell."""

_SETTINGS = {"help_option_names": ["-h", "--help"]}
_USAGE = 2
_WORDINGS = (
    (re.compile("Value error, "), ""),
    (re.compile("Input should be a valid integer.*"), "it has to be a whole number"),
    (
        re.compile("Input should be greater than or equal to ([0-9]+)"),
        r"it has to be at least \1",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """Which words a front door knows.

    Attributes:
        program: What stands before a command, such as `sparknb` or `%spark`.
        commands: The commands, in the order in which help lists them.
        common: Options that every command takes.
        root_options: Options of the door itself with their meaning, for the overview.
        completer: Gives what completes a word in a shell; None where no shell asks.
    """

    program: str
    commands: tuple[Command, ...]
    common: tuple[Option, ...]
    root_options: tuple[tuple[str, str], ...] = ()
    completer: Callable[[Argument | Option], Complete | None] | None = None


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with its values, ready to run; `common` are those of every command."""

    command: Command
    values: Values
    common: Values


@dataclass(frozen=True, slots=True)
class Answered:
    """Words that need no command: help, the version, a completion.

    Attributes:
        view: What is to be shown; None when all was said already.
        exit_code: How it went.
    """

    view: View | None
    exit_code: int = 0


def parse(words: Sequence[str], *, grammar: Grammar) -> Invocation | Answered:
    """Read the words of a front door.

    Raises:
        UsageError: The words are no command.
    """
    found: list[Invocation] = []
    try:
        ended = _application(grammar).main(
            args=list(words),
            prog_name=grammar.program,
            standalone_mode=False,
            obj=found.append,
        )
    except _PageAsked as asked:
        return Answered(asked.view)
    except typer.TyperException as error:
        if error.exit_code != _USAGE:
            raise
        context = getattr(error, "ctx", None)
        path = tuple(context.command_path.split()[1:]) if context else None
        raise UsageError(
            mask_secrets(_in_our_words(error.format_message())),
            hint=_help_of(grammar, _named(words, grammar) if path is None else path),
        ) from None
    return found[0] if found else Answered(None, int(ended or 0))


def _help_of(grammar: Grammar, path: tuple[str, ...]) -> str:
    return f"`{full_name(grammar.program, path)} --help` shows how it is used"


def _named(words: Sequence[str], grammar: Grammar) -> tuple[str, ...]:
    """Give the command that the words begin with, as its help is asked for."""
    paths = (c.path for c in grammar.commands)
    return next((p for p in paths if tuple(words[: len(p)]) == p), ())


def _in_our_words(message: str) -> str:
    """Give a message without the terms of the library that found the mistake."""
    for theirs, ours in _WORDINGS:
        message = theirs.sub(ours, message)
    return message


# ------------------------------------------------------------------------- help
class _PageAsked(Exception):  # noqa: N818  # a way out of the library, no error
    """Somebody asked for help, or the version."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view


def _helpful(grammar: Grammar) -> tuple[type[TyperCommand], type[TyperGroup]]:
    """Give commands and groups that answer with the pages of the command table."""

    class HelpfulCommand(TyperCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            del formatter
            path = tuple(ctx.command_path.split()[1:])
            command = next(c for c in grammar.commands if c.path == path)
            raise _PageAsked(command_page(grammar.program, command, grammar.common))

    class HelpfulGroup(TyperGroup):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            del formatter
            path = ctx.command_path.split()[1:]
            raise _PageAsked(_group_page(grammar, path))

    return HelpfulCommand, HelpfulGroup


def _group_page(grammar: Grammar, path: Sequence[str]) -> View:
    program, commands = grammar.program, grammar.commands
    if path:
        return noun_page(program, path[0], commands)
    return overview(program, commands, grammar.common, grammar.root_options)


# ------------------------------------------------------------------ application
@cache
def _application(grammar: Grammar) -> Any:
    """Give what typer makes of the table; made once, it takes milliseconds."""
    helpful, group = _helpful(grammar)

    def new_group() -> typer.Typer:
        return typer.Typer(
            cls=group,
            rich_markup_mode=None,
            context_settings=_SETTINGS,
            add_completion=grammar.completer is not None,
        )

    application = new_group()
    application.callback(invoke_without_command=True)(_root)
    nouns = {c.path[0]: new_group() for c in grammar.commands if len(c.path) > 1}
    for command in grammar.commands:
        place = application if len(command.path) == 1 else nouns[command.path[0]]
        place.command(
            command.path[-1],
            cls=helpful,
            context_settings=_SETTINGS | {"allow_extra_args": True},
        )(_callback(command, grammar))
    for noun, app in nouns.items():
        application.add_typer(app, name=noun, cls=group)
    return get_command(application)


def _root(
    ctx: typer.Context,
    version: bool = typer.Option(  # noqa: FBT001  # typer reads the annotation
        False,  # noqa: FBT003  # typer's own signature
        "--version",
        help="Print the version and end.",
        is_eager=True,
    ),
) -> None:
    if version:
        from sparknb._version import __version__

        raise _PageAsked(Line(f"sparknb {__version__}"))
    if ctx.invoked_subcommand is None:
        ctx.get_help()


def _callback(command: Command, grammar: Grammar) -> Callable[..., None]:
    """Give a function whose signature is the command's, as typer reads it."""
    options = (*command.options, *grammar.common)

    def run(ctx: typer.Context, **values: Any) -> None:
        if ctx.args:
            # the words themselves stay unsaid: one of them may be a secret value
            takes = " ".join(a.metavar for a in command.arguments) or "no words"
            is_json = any(word.endswith(("}", "]")) for word in ctx.args)
            quotes = "JSON stands in single quotes; " if is_json else ""
            raise UsageError(
                f"too many words: {command.words} takes {takes}",
                hint=quotes + _help_of(grammar, command.path),
            )
        for option in options:
            if option.repeats:
                values[option.key] = list(values[option.key] or ())
        common = {option.key: values.pop(option.key) for option in grammar.common}
        ctx.obj(Invocation(command, values, common))

    parameters = [
        inspect.Parameter(
            "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
        )
    ]
    complete = grammar.completer or _nothing
    parameters += [_parameter(a, _argument(a, complete)) for a in command.arguments]
    parameters += [_parameter(o, _option(o, complete)) for o in options]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect.signature reads first
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _nothing(part: Argument | Option) -> None:
    del part  # no shell asks here


def _parameter(part: Argument | Option, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        part.key,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=_annotation(part),
    )


def _annotation(part: Argument | Option) -> Any:
    if part.kind == "flag":
        return bool
    kind: Any = int if part.kind == "integer" else str
    if isinstance(part, Option) and part.choices:
        kind = Literal[part.choices]
    if part.repeats:
        return list[kind] if _is_needed(part) else list[kind] | None
    return kind if _is_needed(part) else kind | None


def _is_needed(part: Argument | Option) -> bool:
    return isinstance(part, Argument) and part.required


def _argument(
    argument: Argument, completer: Callable[[Argument | Option], Complete | None]
) -> Any:
    return typer.Argument(
        ... if argument.required else None,
        help=argument.help,
        metavar=argument.metavar,
        show_default=False,
        min=argument.minimum,
        autocompletion=completer(argument),
    )


def _option(
    option: Option, completer: Callable[[Argument | Option], Complete | None]
) -> Any:
    return typer.Option(
        False if option.kind == "flag" else None,
        option.name,
        help=option.help,
        metavar=option.metavar,
        show_default=False,
        min=option.minimum,
        autocompletion=completer(option),
    )
