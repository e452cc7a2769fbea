"""One run of the command line, from words to an exit code."""

import asyncio
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TextIO

from sparknb.cli.completion import completer
from sparknb.cli.output import Output, OutputLostError, console_for, draw, writing
from sparknb.cli.programs import PROGRAMS
from sparknb.cli.terminal import TerminalDoor
from sparknb.commands.context import Context
from sparknb.commands.index import COMMANDS
from sparknb.commands.parser import Answered, Grammar, Invocation, parse
from sparknb.commands.running import failed
from sparknb.commands.running import run as run_command
from sparknb.commands.table import Option, Outcome, Run
from sparknb.core.errors import SparknbError, ToolCancelledError
from sparknb.core.secret_scan import mask_secrets

__all__ = ["run"]

_FAILED, _INTERRUPTED = 1, 130
_GRAMMAR = Grammar(
    program="sparknb",
    commands=COMMANDS,
    common=(
        Option(
            name="--json",
            kind="flag",
            help="Print exactly one JSON document on standard output.",
        ),
    ),
    root_options=(
        ("--version", "Print the version."),
        (
            "--install-completion",
            "Let this shell complete commands, tool ids, versions.",
        ),
        ("--show-completion", "Print the completion script instead."),
    ),
    completer=completer,
)


def run(words: Sequence[str]) -> int:
    """Run a command line; give the exit code.

    0 done, 1 refused or failed, 2 wrong usage, 130 interrupted.
    """
    output = Output(as_json=_wants_json(words))
    try:
        return _run(words, output)
    except BrokenPipeError:
        return _lost(None)
    except OutputLostError as error:
        return _lost(error.reason)


def _run(words: Sequence[str], output: Output) -> int:
    try:
        with writing():  # the completion of a shell is printed in there
            read = parse(words, grammar=_GRAMMAR)
        if isinstance(read, Answered):
            return _answer(read)
        return _execute(read, output)
    except SparknbError as error:
        return output.show(failed(error))
    except KeyboardInterrupt:
        return _interrupted(output)
    except (BrokenPipeError, OutputLostError):
        raise
    except Exception as error:  # noqa: BLE001  # the top: a bug is shown whole
        return _bug(error, output)


def _answer(answered: Answered) -> int:
    """Print help, or the version."""
    if answered.view is not None:
        with writing():
            draw(console_for(sys.stdout), answered.view)
    return answered.exit_code


def _execute(invocation: Invocation, output: Output) -> int:
    do = invocation.command.run
    if do is None:
        return PROGRAMS[invocation.command.path](invocation.values, output)
    return output.show(asyncio.run(_outcome(do, invocation, output)))


async def _outcome(do: Run, invocation: Invocation, output: Output) -> Outcome:
    async with Context(TerminalDoor(output.errors)) as context:
        return await run_command(do, context, invocation.values)


def _wants_json(words: Sequence[str]) -> bool:
    """Whether JSON is wanted, told before the words are known to be right."""
    before = words[: words.index("--")] if "--" in words else words
    return "--json" in before


def _interrupted(output: Output) -> int:
    if output.errors.is_terminal:
        output.errors.print()  # the cursor stands behind a question, or behind ^C
    output.show(failed(ToolCancelledError("interrupted")))
    return _INTERRUPTED


def _bug(error: Exception, output: Output) -> int:
    """Show the whole traceback: this is our mistake, not the person's."""
    text = mask_secrets("".join(traceback.format_exception(error)))
    sys.stderr.write(text)
    if output.as_json:
        message = f"sparknb itself failed ({type(error).__name__})"
        hint = "please report it with what stands on standard error"
        wire = {"code": "INTERNAL_ERROR", "message": message, "path": ""}
        output.document({"error": wire | {"hint": hint, "issues": []}})
    else:
        output.errors.print("This is a bug in sparknb: please report it.")
    output.flush()
    return _FAILED


def _lost(reason: str | None) -> int:
    """End when nobody reads the output any more; say why if it is not that."""
    _drop(sys.stdout)
    if reason is None:
        _drop(sys.stderr)
    elif sys.stderr is not None:
        sys.stderr.write(f"sparknb: cannot write the output: {reason}\n")
    return _FAILED


def _drop(stream: TextIO | None) -> None:
    """Lead what is still buffered to nowhere, so that the exit is silent."""
    if stream is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
