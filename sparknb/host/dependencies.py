"""The rules for tools that name others, before they run (ST-60 to ST-62).

A chain is looked at in both directions: what a tool calls, and what calls it, since
a tool deep in a chain may be the one that makes it too long.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from sparknb.core.definitions import RISKS, CodeSpec, Risk, ToolDefinition
from sparknb.core.problems import Problem
from sparknb.core.protocols import Registry
from sparknb.core.records import ToolLinks, ToolRecord
from sparknb.core.risk import is_above
from sparknb.host.catalog import Catalog

__all__ = [
    "MOST_LEVELS",
    "Dependencies",
    "goes_live",
    "named_tools",
    "shown_chain",
    "tools_below",
]

MOST_LEVELS = 8
"""Tools in a chain, the first one too."""

_MOST_SHOWN = 12  # tools of a chain, and tools of a list, in a message
_PATH = "spec.permissions.toolIds"

Graph = Mapping[str, Sequence[str]]


class Dependencies:
    """Judges what a tool names against what is published now.

    Answers are as fresh as the registry. What another process publishes at the same
    moment is met again when the tool runs (ST-59).
    """

    def __init__(self, registry: Registry, catalog: Catalog) -> None:
        self._registry = registry
        self._catalog = catalog

    async def problems(
        self, definition: ToolDefinition, *, must_be_enabled: bool
    ) -> list[Problem]:
        """Give what keeps agents from using this definition, as errors.

        Args:
            definition: Valid in itself; of any type.
            must_be_enabled: Whether agents could call it at once (ST-61).
        """
        named = named_tools(definition)
        if not named:
            return []
        links = _published(await asyncio.to_thread(self._registry.links))
        links[definition.id] = named
        found: list[Problem] = []
        for position, tool_id in enumerate(named):
            path = f"{_PATH}.{position}"
            problem = self._absent(tool_id, path, must_be_enabled=must_be_enabled)
            if problem is not None:
                found.append(await self._explained(problem, tool_id, definition.id))
            if problem is None or problem.code != "DEPENDENCY_MISSING":
                found += _in_chain(links, definition.id, tool_id, path)
        return [*self._below_risk(definition, links), *found]

    async def warnings(self, definition: ToolDefinition) -> list[Problem]:
        """Give the same for a draft, which may still be kept."""
        record = self._catalog.record(definition.id)
        errors = await self.problems(definition, must_be_enabled=goes_live(record))
        return [replace(problem, level="warning") for problem in errors]

    async def of_use(self, tool_id: str, *, is_leaving: bool = False) -> list[Problem]:
        """Give the warning that others name this tool, where they do.

        Args:
            tool_id: The tool that was published, disabled or deleted.
            is_leaving: Whether others can no longer call it.
        """
        links = await asyncio.to_thread(self._registry.links)
        users = [each for each in links if tool_id in each.tool_ids]
        if not users:
            return []
        names = list(dict.fromkeys(map(_label, users)))
        hint = f"their calls of {tool_id} fail from now on" if is_leaving else None
        warned = [
            Problem(
                code="TOOL_IN_USE",
                message=f"other tools call {tool_id}: {_listed(names)}",
                path="id",
                hint=hint or "they use the new version from now on",
                level="warning",
            )
        ]
        return warned if is_leaving else [*warned, *self._outgrown(tool_id, users)]

    # ---------------------------------------------------------------- the rules
    def _absent(
        self, tool_id: str, path: str, *, must_be_enabled: bool
    ) -> Problem | None:
        """Give why a tool that is named is not there to be called, if it is not."""
        record = self._catalog.record(tool_id)
        if record is None or record.published_version is None:
            state, hint = "does not exist", None
            if record is not None:
                state = "was never published"
                hint = f"publish {tool_id} first, or remove its id"
            return Problem(
                code="DEPENDENCY_MISSING",
                message=f"{tool_id} {state}",
                path=path,
                hint=hint,
            )
        if must_be_enabled and not record.enabled:
            return Problem(
                code="DEPENDENCY_DISABLED",
                message=f"{tool_id} is disabled",
                path=path,
                hint=f"enable it first: sparknb enable {tool_id}",
            )
        return None

    async def _explained(self, problem: Problem, tool_id: str, own: str) -> Problem:
        """Add what to do about a tool that does not exist: it may be misspelt."""
        if problem.hint is not None:
            return problem
        records, _ = await asyncio.to_thread(self._registry.tools)
        known = [each.id for each in records if each.id != own]
        near = get_close_matches(tool_id, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "make it first, or remove its id"
        return replace(problem, hint=hint)

    def _below_risk(self, definition: ToolDefinition, links: Graph) -> list[Problem]:
        """Give the one tool below that the definition's risk does not cover, if any."""
        highest: tuple[Risk, str] = (definition.risk, "")
        for tool_id in _below(links, definition.id):
            found = self._catalog.published(tool_id)
            if found is not None and is_above(found.definition.risk, highest[0]):
                highest = (found.definition.risk, tool_id)
        risk, tool_id = highest
        if not tool_id:
            return []
        return [
            Problem(
                code="DEPENDENCY_RISK",
                message=f"it calls {tool_id}, whose risk is {risk}; its own is "
                f"{definition.risk}",
                path="risk",
                hint=f"set risk to {risk}"
                + ("" if risk == RISKS[-1] else " or higher"),
            )
        ]

    def _outgrown(self, tool_id: str, users: Sequence[ToolLinks]) -> list[Problem]:
        """Give the published tools whose risk is below that of a tool they call."""
        found = self._catalog.published(tool_id)
        if found is None:
            return []
        risk = found.definition.risk
        low = [
            each.tool_id
            for each in users
            if each.is_published and self._has_less(each.tool_id, risk)
        ]
        if not low:
            return []
        return [
            Problem(
                code="DEPENDENCY_RISK",
                message=f"{tool_id} has the risk {risk}, above that of {_listed(low)}",
                path="risk",
                hint=f"their calls of {tool_id} are refused until they are published "
                "with that risk or a higher one",
                level="warning",
            )
        ]

    def _has_less(self, tool_id: str, risk: Risk) -> bool:
        found = self._catalog.published(tool_id)
        return found is not None and is_above(risk, found.definition.risk)


def goes_live(record: ToolRecord | None) -> bool:
    """Say whether agents can call a tool as soon as it is published (ST-61)."""
    return record is None or record.published_version is None or record.enabled


def shown_chain(chain: Sequence[str]) -> str:
    """Give a chain as text; a long one without its middle."""
    shown = list(chain)
    if len(shown) > _MOST_SHOWN:
        shown = [*shown[: _MOST_SHOWN - 2], "…", shown[-1]]
    return " -> ".join(shown)


def named_tools(definition: ToolDefinition) -> tuple[str, ...]:
    """Give the ids of the tools that a definition may call."""
    spec = definition.spec
    return spec.tool_ids if isinstance(spec, CodeSpec) else ()


def tools_below(catalog: Catalog, definition: ToolDefinition) -> list[ToolDefinition]:
    """Give the published tools that a run may come to, at all levels, each once."""
    seen = {definition.id}
    waiting, found = list(named_tools(definition)), []
    for tool_id in waiting:
        known = None if tool_id in seen else catalog.published(tool_id)
        seen.add(tool_id)
        if known is not None:
            found.append(known.definition)
            waiting += named_tools(known.definition)
    return found


def _published(links: Iterable[ToolLinks]) -> dict[str, Sequence[str]]:
    return {each.tool_id: each.tool_ids for each in links if each.is_published}


def _label(user: ToolLinks) -> str:
    return user.tool_id if user.is_published else f"{user.tool_id} (draft)"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_SHOWN
    listed = ", ".join(names[:_MOST_SHOWN])
    return f"{listed} and {more} more" if more > 0 else listed


def _below(links: Graph, start: str) -> Iterator[str]:
    """Yield all tools that can be reached, nearest first, each once."""
    seen, waiting = {start}, [start]
    for tool_id in waiting:
        for following in links.get(tool_id, ()):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
                yield following


def _in_chain(links: Graph, own: str, tool_id: str, path: str) -> list[Problem]:
    """Give what is wrong with the chains that lead by way of a tool that is named."""
    circle = _circle(links, own, tool_id)
    if circle:
        return [
            Problem(
                code="DEPENDENCY_CYCLE",
                message=f"tools call each other in a circle: {shown_chain(circle)}",
                path=path,
                hint="break the chain in one of its tools",
            )
        ]
    chain = _longest(links, own, tool_id)
    if len(chain) <= MOST_LEVELS:
        return []
    return [
        Problem(
            code="DEPENDENCY_DEPTH",
            message=f"the chain is longer than {MOST_LEVELS} tools: "
            f"{shown_chain(chain)}",
            path=path,
            hint="shorten the chain",
        )
    ]


def _circle(links: Graph, own: str, first: str) -> list[str]:
    """Give a chain from `own` by way of `first` that comes back to one of its tools."""
    done: set[str] = set()
    path, ways = [own, first], [iter(links.get(first, ()))]
    while ways:
        following = next(ways[-1], None)
        if following is None:
            ways.pop()
            done.add(path.pop())
        elif following in path:
            return [*path, following]
        elif following not in done:
            path.append(following)
            ways.append(iter(links.get(following, ())))
    return []


def _longest(links: Graph, own: str, first: str) -> list[str]:
    """Give the longest chain by way of `own` and `first`, as far as it matters."""
    callers: dict[str, list[str]] = {}
    for tool_id, named in links.items():
        for each in named:
            callers.setdefault(each, []).append(tool_id)
    return [*reversed(_walk(callers, own)), *_walk(links, first)]


def _walk(graph: Graph, start: str) -> list[str]:
    """Give the longest chain from `start`, cut where it is too long anyway.

    Level by level: each level holds the tools that some chain of that length ends in.
    """
    levels: list[dict[str, str]] = [{start: ""}]
    while len(levels) <= MOST_LEVELS:
        level = {
            following: tool_id
            for tool_id in levels[-1]
            for following in graph.get(tool_id, ())
        }
        if not level:
            break
        levels.append(level)
    chain = [next(iter(levels[-1]))]
    for level in reversed(levels[1:]):
        chain.append(level[chain[-1]])
    return chain[::-1]
