"""All commands, in the order in which help lists them."""

from sparknb.commands import (
    call,
    doctor,
    drafting,
    exchange,
    home,
    imports,
    lifecycle,
    looking,
    new,
    programs,
    provider,
    secret,
    traces,
)
from sparknb.commands.table import Command

__all__ = ["COMMANDS", "GROUPS"]

COMMANDS: tuple[Command, ...] = (
    *new.COMMANDS,
    *drafting.COMMANDS,
    *imports.COMMANDS,
    *exchange.COMMANDS,
    *secret.COMMANDS,
    *provider.COMMANDS,
    *lifecycle.COMMANDS,
    *call.COMMANDS,
    *looking.COMMANDS,
    *traces.COMMANDS,
    *home.COMMANDS,
    *doctor.COMMANDS,
    *programs.COMMANDS,
)

GROUPS = tuple(dict.fromkeys(command.group for command in COMMANDS))
"""Headings of lists, in order."""
