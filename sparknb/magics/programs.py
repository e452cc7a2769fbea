"""Commands that the kernel carries out itself: home, and the example service."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sparknb.commands.programs import examples_port
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import Line, Span
from sparknb.core.errors import InvalidInputError, UnsupportedError, UsageError

if TYPE_CHECKING:
    from sparknb.magics.session import Session

__all__ = ["HOME", "run_program"]

HOME = Command(
    path=("home",),
    summary="Show or change the home that this notebook works in.",
    details=(
        "It stays until the kernel ends. Programs that are started from cells, such"
        " as !sparknb, work in the same home."
    ),
    group="Set up",
    arguments=(
        Argument(
            name="dir",
            required=False,
            help="The folder to use; made at first use. Left out: says which it is.",
        ),
    ),
    options=(
        Option(
            name="--temp",
            kind="flag",
            help="Use a new, empty home that is removed when the kernel ends.",
        ),
    ),
    examples=("%spark home --temp",),
    run=None,
)


def run_program(session: "Session", path: tuple[str, ...], values: Values) -> Outcome:
    """Carry out a command that is no coroutine; on the kernel's thread.

    Raises:
        UnsupportedError: It needs a process of its own.
        SparknbError: It refuses.
    """
    program = _PROGRAMS.get(path)
    if program is None:
        words = " ".join(path)
        raise UnsupportedError(
            f"{words} lasts until it is stopped, so it needs a terminal of its own",
            hint=f"run `sparknb {words}` in a terminal",
        )
    return program(session, values)


def _home(session: "Session", values: Values) -> Outcome:
    if values["temp"] and values["dir"]:
        raise UsageError("--temp makes its own folder: leave out DIR", path="--temp")
    if values["temp"]:
        session.use_home(None)
        return Outcome({"temporary": True}, _done("a new, empty home", _UNTIL))
    if values["dir"]:
        folder = Path(values["dir"]).expanduser().absolute()
        if folder.exists() and not folder.is_dir():
            raise InvalidInputError(
                f"{folder} is a file; a home is a folder", path="DIR"
            )
        session.use_home(folder)
        return Outcome({"home": str(folder), "temporary": False}, _done(str(folder)))
    return _which(session)


_UNTIL = ", which is removed when the kernel ends"


def _done(home: str, more: str = "") -> Line:
    return Line(
        (Span("This notebook works in "), Span(home, "strong"), Span(more)), "done"
    )


def _which(session: "Session") -> Outcome:
    from sparknb.settings import load_settings

    settings = load_settings()
    is_temporary = session.home.is_temporary
    document = {"home": str(settings.home), "temporary": is_temporary}
    said = _done(str(settings.home), _UNTIL if is_temporary else "")
    return Outcome(document, Line(said.text))


def _examples(session: "Session", values: Values) -> Outcome:
    from sparknb.examples import API_KEY, ExampleServiceError

    try:
        url = session.serve_examples(examples_port(values))
    except ExampleServiceError as error:
        raise InvalidInputError(
            error.message, path="--port", hint="--port 0 takes a free one"
        ) from None
    document = {"url": url, "apiKey": API_KEY}
    said = (
        Span("The example service listens on "),
        Span(url, "strong"),
        Span("; its API key is "),
        Span(API_KEY, "strong"),
    )
    return Outcome(document, Line(said, "done"))


_PROGRAMS: Mapping[tuple[str, ...], Callable[["Session", Values], Outcome]] = {
    ("home",): _home,
    ("examples", "serve"): _examples,
}
