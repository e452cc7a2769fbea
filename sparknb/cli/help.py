"""Help in the look of all other output; typer finds the words, we draw them."""

import sys
from typing import Any

from typer.core import TyperCommand, TyperGroup

from sparknb.cli.output import console_for
from sparknb.cli.render import render
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
        """Draw the page; nothing is left for typer to print."""
        del formatter
        program, *path = ctx.command_path.split()
        command = next(c for c in COMMANDS if list(c.path) == path)
        _draw(command_page(program, command))


class HelpfulGroup(TyperGroup):
    """A group that shows an overview of its commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Draw the overview; nothing is left for typer to print."""
        del formatter
        program, *path = ctx.command_path.split()
        noun = path[0] if path else None
        _draw(noun_page(program, noun) if noun else overview(program, _ROOT_OPTIONS))


def _draw(view: View) -> None:
    render(console_for(sys.stdout), view)
