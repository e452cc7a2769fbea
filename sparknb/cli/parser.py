"""The command line's grammar, made from the command table with typer."""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import typer
from typer.main import get_command

from sparknb.cli.completion import completer
from sparknb.cli.help import HelpfulCommand, HelpfulGroup
from sparknb.commands.index import COMMANDS
from sparknb.commands.table import Argument, Command, Option, Values
from sparknb.core.errors import UsageError
from sparknb.core.secret_scan import mask_secrets

__all__ = ["Invocation", "parse"]

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


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with its values, ready to run."""

    command: Command
    values: Values
    json: bool


def parse(words: Sequence[str]) -> Invocation | int:
    """Read a command line.

    Help, the version and completion are answered here: the exit code comes back.

    Raises:
        UsageError: The words are no command.
    """
    found: list[Invocation] = []
    command = get_command(_application(found.append))
    try:
        ended = command.main(
            args=list(words), prog_name="sparknb", standalone_mode=False
        )
    except typer.TyperException as error:
        if error.exit_code != _USAGE:
            raise
        context = getattr(error, "ctx", None)
        path = context.command_path if context else _named(words)
        raise UsageError(
            mask_secrets(_in_our_words(error.format_message())),
            hint=f"`{path} --help` shows how it is used",
        ) from None
    return found[0] if found else int(ended or 0)


def _named(words: Sequence[str]) -> str:
    """Give the command that the words begin with, as its help is asked for."""
    paths = [c.path for c in COMMANDS if tuple(words[: len(c.path)]) == c.path]
    return " ".join(("sparknb", *paths[0])) if paths else "sparknb"


def _in_our_words(message: str) -> str:
    """Give a message without the terms of the library that found the mistake."""
    for theirs, ours in _WORDINGS:
        message = theirs.sub(ours, message)
    return message


def _application(keep: Callable[[Invocation], None]) -> typer.Typer:
    application = _group()
    application.callback(invoke_without_command=True)(_root)
    nouns = {c.path[0]: _group() for c in COMMANDS if len(c.path) > 1}
    for command in COMMANDS:
        place = application if len(command.path) == 1 else nouns[command.path[0]]
        place.command(
            command.path[-1],
            cls=HelpfulCommand,
            context_settings=_SETTINGS | {"allow_extra_args": True},
        )(_callback(command, keep))
    for noun, group in nouns.items():
        application.add_typer(group, name=noun, cls=HelpfulGroup)
    return application


def _group() -> typer.Typer:
    return typer.Typer(
        cls=HelpfulGroup, rich_markup_mode=None, context_settings=_SETTINGS
    )


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

        typer.echo(f"sparknb {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit


def _callback(
    command: Command, keep: Callable[[Invocation], None]
) -> Callable[..., None]:
    """Give a function whose signature is the command's, as typer reads it."""

    def run(ctx: typer.Context, **values: Any) -> None:
        as_json = values.pop("json")
        if ctx.args:
            # the words themselves stay unsaid: one of them may be a secret value
            takes = " ".join(a.metavar for a in command.arguments) or "no words"
            raise UsageError(
                f"too many words: {command.words} takes {takes}",
                hint=f"`sparknb {command.words} --help` shows how it is used",
            )
        keep(Invocation(command, values, as_json))

    context = inspect.Parameter(
        "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    parameters = [context]
    parameters += [_parameter(a, _argument(a)) for a in command.arguments]
    parameters += [_parameter(o, _option(o)) for o in command.options]
    parameters.append(_parameter(_JSON, _option(_JSON)))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect.signature reads first
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


_JSON = Option(
    name="--json", kind="flag", help="Print one JSON document on standard output."
)


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
    is_needed = isinstance(part, Argument) and part.required
    return kind if is_needed else kind | None


def _argument(argument: Argument) -> Any:
    return typer.Argument(
        ... if argument.required else None,
        help=argument.help,
        metavar=argument.metavar,
        show_default=False,
        min=argument.minimum,
        autocompletion=completer(argument),
    )


def _option(option: Option) -> Any:
    return typer.Option(
        False if option.kind == "flag" else None,
        option.name,
        help=option.help,
        metavar=option.metavar,
        show_default=False,
        min=option.minimum,
        autocompletion=completer(option),
    )
