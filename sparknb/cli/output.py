"""Where the command line writes: one answer on standard output, the rest beside it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any, TextIO

from rich.console import Console

from sparknb.commands.table import Outcome
from sparknb.commands.views import Failure, View
from sparknb.displays.drawing import drawn
from sparknb.displays.safe_text import to_json

__all__ = ["Output", "OutputLostError", "console_for", "draw", "writing"]


class OutputLostError(Exception):
    """The output cannot be written; `reason` is None when its reader has gone."""

    def __init__(self, error: OSError) -> None:
        gone = isinstance(error, BrokenPipeError)
        self.reason = None if gone else os.strerror(error.errno or 0)
        super().__init__(self.reason)


class Output:
    """Writes outcomes: as one JSON document, or for people."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.errors = console_for(sys.stderr)

    def show(self, outcome: Outcome) -> int:
        """Write an outcome and give its exit code.

        A refusal of a command goes to standard error, unless JSON is wanted.
        """
        with writing():
            if self.as_json:
                _write(outcome.document)
            elif isinstance(outcome.view, Failure):
                draw(self.errors, outcome.view)
            else:
                draw(console_for(sys.stdout), outcome.view)
        return outcome.exit_code

    def document(self, document: Any) -> None:
        """Write a JSON document."""
        with writing():
            _write(document)

    def flush(self) -> None:
        """Hand over now what was printed, while a failure can still be told."""
        with writing():
            pass


@contextmanager
def writing() -> Iterator[None]:
    """Write and flush, and tell a failure of that from all others."""
    try:
        yield
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError as error:
        raise OutputLostError(error) from None


def _write(document: Any) -> None:
    """Write JSON, as UTF-8 whatever the terminal speaks."""
    data = to_json(document).encode() + b"\n"
    if sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def draw(console: Console, view: View) -> None:
    """Draw a view on a console."""
    console.file.write(drawn(console, view))


def console_for(stream: TextIO | None) -> Console:
    """Give a console for a stream; what its encoding lacks is replaced."""
    if stream is None:  # closed from the start: nobody will read it
        stream = StringIO()
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return Console(file=stream, markup=False, emoji=False, highlight=False)
