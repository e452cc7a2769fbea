"""Help in the look of all other output; typer finds the words, we draw them."""

import sys
from typing import Any

from typer.core import TyperCommand, TyperGroup

from sparknb.cli.output import console_for
from sparknb.cli.render import drawn
from sparknb.commands.help import command_page, noun_page, overview
from sparknb.commands.index import COMMANDS
from sparknb.commands.views import View

__all__ = ["HelpfulCommand", "HelpfulGroup"]

_ROOT_OPTIONS = (
    ("--version", "Print the version."),
    ("--install-completion", "Let this shell complete commands, tool ids, versions."),
    ("--show-completion", "Print the completion script instead."),
)


class HelpfulCommand(TyperCommand):
    """A command that shows the page of the command table."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page for typer to print."""
        program, *path = ctx.command_path.split()
        command = next(c for c in COMMANDS if list(c.path) == path)
        formatter.write(_drawn(command_page(program, command)))


class HelpfulGroup(TyperGroup):
    """A group that shows an overview of its commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the overview for typer to print."""
        program, *path = ctx.command_path.split()
        page = noun_page(program, path[0]) if path else overview(program, _ROOT_OPTIONS)
        formatter.write(_drawn(page))


def _drawn(view: View) -> str:
    return drawn(console_for(sys.stdout), view)
