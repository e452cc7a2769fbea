"""Which words the magics know: those of the command table, and a few of their own."""

import keyword
import shlex

from sparknb.commands.cells import CELL_COMMANDS
from sparknb.commands.help import command_page, overview
from sparknb.commands.index import COMMANDS
from sparknb.commands.parser import Answered, Grammar, Invocation, parse
from sparknb.commands.table import Option
from sparknb.core.errors import UsageError
from sparknb.displays import in_notebook, renamed, to_text
from sparknb.magics.programs import HOME

__all__ = ["CELL", "LINE", "help_text", "read_words", "split"]

_COMMON = (
    Option(name="--json", kind="flag", help="Print the JSON document alone."),
    Option(
        name="-o",
        metavar="NAME",
        help="Keep the outcome in the Python variable NAME: a result, or a document.",
    ),
    Option(
        name="--no-raise",
        kind="flag",
        help="Show a failure without failing the cell.",
    ),
)

LINE = Grammar(program="%spark", commands=(*COMMANDS, HOME), common=_COMMON)
CELL = Grammar(program="%%", commands=CELL_COMMANDS, common=_COMMON)


def split(line: str) -> list[str]:
    """Give the words of a line, as a shell reads quotes.

    Raises:
        UsageError: A quote is not closed.
    """
    try:
        return shlex.split(line)
    except ValueError:
        raise UsageError(
            "a quote is opened and not closed",
            hint="""JSON stands in single quotes: --input '{"city": "Oslo"}'""",
        ) from None


def read_words(words: list[str], grammar: Grammar) -> Invocation | Answered:
    """Read the words of a magic.

    Raises:
        UsageError: They are no command, or `-o` names no variable.
    """
    read = parse(words, grammar=grammar)
    name = read.common["o"] if isinstance(read, Invocation) else None
    if name is not None and (not name.isidentifier() or keyword.iskeyword(name)):
        raise UsageError(
            "-o wants the name of a Python variable", path="-o", hint="-o result"
        )
    return read


def help_text(name: str | None) -> str:
    """Give the help of a cell magic, or of the line magic, as plain text."""
    if name is None:
        page = overview(LINE.program, LINE.commands, LINE.common)
    else:
        command = next(c for c in CELL.commands if c.words == name)
        page = command_page(CELL.program, command, CELL.common)
    return to_text(renamed(page, in_notebook))
