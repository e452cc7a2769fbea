"""What can stand at a place of a command: ids, versions, secret names."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparknb.commands.context import Context
from sparknb.commands.table import Command, Completion, Option

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["candidates", "complete_word"]


async def candidates(
    context: Context, kind: Completion, values: Mapping[str, Any]
) -> Sequence[tuple[str, str]]:
    """Give what fits, each with a few words about it.

    Args:
        context: Where the host is.
        kind: What is wanted.
        values: The words before it; `id` or `target` names the tool.
    """
    host = await context.host()
    if kind == "tool":
        found = await host.studio.list()
        return [(tool.id, tool.title) for tool in found.tools]
    if kind == "published":
        surface = await host.surface()
        return [(entry.id, entry.title) for entry in surface]
    if kind == "provider":
        states = await host.providers.list(with_keys=False)
        return [(s.profile.id, s.profile.name) for s in states]
    tool_id = values.get("id") or values.get("target")
    return await _of_tool(host, kind, tool_id) if tool_id else []


async def _of_tool(
    host: "Host", kind: Completion, tool_id: str
) -> Sequence[tuple[str, str]]:
    detail = await host.studio.get(tool_id)
    if kind == "version":
        return [(str(v.version), v.status) for v in detail.versions]
    names = dict.fromkeys(
        name
        for version in (detail.draft, detail.published)
        if version is not None
        for name in version.definition.get("secretRefs", {})
    )
    return [(name, "secret") for name in names]


Lookup = Callable[[Completion, Mapping[str, Any]], Sequence[tuple[str, str]]]
"""Gives what the registry knows, as `candidates` does."""


def complete_word(
    commands: Sequence[Command],
    common: Sequence[Option],
    before: Sequence[str],
    incomplete: str,
    look_up: Lookup,
) -> Sequence[str]:
    """Give the words that can stand at a place of a command line.

    Args:
        commands: What there is.
        common: Options of every command.
        before: The whole words so far.
        incomplete: What is typed of the word.
        look_up: Asked for ids, versions and names.
    """
    command = next(
        (c for c in commands if tuple(before[: len(c.path)]) == c.path), None
    )
    if command is None:
        offered: Sequence[str] = _next_words(commands, before)
    else:
        offered = _words_of(command, common, before, incomplete, look_up)
    return [word for word in offered if word.startswith(incomplete)]


def _next_words(commands: Sequence[Command], before: Sequence[str]) -> Sequence[str]:
    depth = len(before)
    begun = [c.path for c in commands if c.path[:depth] == tuple(before)]
    return list(dict.fromkeys(path[depth] for path in begun if len(path) > depth))


def _words_of(
    command: Command,
    common: Sequence[Option],
    before: Sequence[str],
    incomplete: str,
    look_up: Lookup,
) -> Sequence[str]:
    options = {option.name: option for option in (*command.options, *common)}
    values: dict[str, Any] = {}
    places = iter(command.arguments)
    pending: Option | None = None
    for word in before[len(command.path) :]:
        if pending is not None:
            values[pending.key], pending = word, None
        elif word in options:
            pending = None if options[word].kind == "flag" else options[word]
        elif not word.startswith("-") and (place := next(places, None)) is not None:
            values[place.key] = word
    if pending is None and incomplete.startswith("-"):
        return list(options)
    part = pending or next(places, None)
    if part is None:
        return list(options)
    if isinstance(part, Option) and part.choices:
        return part.choices
    if part.completion is None:
        return []
    return [word for word, _ in look_up(part.completion, values)]
