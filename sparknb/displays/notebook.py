"""Hints that name a command, as one types it in a cell."""

import functools
import re

__all__ = ["in_notebook"]

_WITH_A_THREAD = {("examples", "serve")}
"""Programs that a kernel runs beside its cells."""
_NEW_TOOL = re.compile(r"\bsparknb draft FILE(?![|\w])")
"""How a first tool is made at a terminal; in a notebook it is a cell."""


def in_notebook(text: str) -> str:
    """Give the text with `sparknb publish x` as `%spark publish x`.

    A definition in a file becomes one in a cell.
    Programs that need a terminal of their own keep their name, and so does a
    command behind a pipe.
    """
    return _commands().sub("%spark", _NEW_TOOL.sub("%%spark_tool ID", text))


@functools.cache
def _commands() -> re.Pattern[str]:
    from sparknb.commands.index import COMMANDS

    words = sorted(
        r"\s+".join(map(re.escape, command.path))
        for command in COMMANDS
        if command.run is not None or command.path in _WITH_A_THREAD
    )
    return re.compile(rf"(?<![\w./%|-])(?<!\| )sparknb(?=\s+(?:{'|'.join(words)})\b)")
