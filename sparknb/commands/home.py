"""init: a home for one project."""

from pathlib import Path

from sparknb.commands.context import Context
from sparknb.commands.table import Argument, Command, Outcome, Values
from sparknb.commands.views import Line, Span, Stack
from sparknb.commands.words import next_steps

__all__ = ["COMMANDS"]


async def _init(context: Context, values: Values) -> Outcome:
    del context  # works before there is a host
    from sparknb.settings import init_home

    folder = Path(values["dir"] or ".")
    existed = (folder / ".sparknb").is_dir()
    home = init_home(folder)
    said = "is confirmed on this machine" if existed else "is made"
    line = Line((Span(str(home), "strong"), Span(f" {said}")), "done")
    steps = next_steps([("sparknb draft FILE", "save the first tool of this project")])
    document = {"home": str(home), "created": not existed}
    return Outcome(document, Stack([line, steps]))


COMMANDS = (
    Command(
        path=("init",),
        summary="Make a project home, or confirm one that came with a folder.",
        details=(
            "Commands below the folder then use its .sparknb/. One that was cloned"
            " counts only after it was confirmed here: it may hold enabled tools."
        ),
        group="Set up",
        arguments=(
            Argument(
                name="dir",
                required=False,
                help="The project's folder; else the current one.",
            ),
        ),
        run=_init,
    ),
)
