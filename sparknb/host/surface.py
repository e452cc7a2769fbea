"""What agents may call: a snapshot of the enabled, published tools (ST-74, ST-75)."""

from collections.abc import Hashable, Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from sparknb.core.errors import SparknbError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Approver, SurfaceRow
from sparknb.core.records import ToolRecord
from sparknb.core.results import Source, ToolResult
from sparknb.host.agent_formats import (
    AgentTools,
    OpenAIForm,
    anthropic_tools,
    mcp_tools,
    openai_tools,
)
from sparknb.host.catalog import Catalog
from sparknb.host.execution import Caller, CallTarget, Execution
from sparknb.host.surface_entry import SurfaceEntry, agent_name, is_sound

__all__ = ["Surface", "not_found", "refused"]

_LONGEST_NAME = 80
"""Characters of a name that are compared; ids and agent names are shorter."""


class Surface:
    """An immutable snapshot; entries keep running the version they captured."""

    def __init__(
        self,
        rows: Iterable[SurfaceRow],
        catalog: Catalog,
        execution: Execution,
        approver: Approver | None = None,
    ) -> None:
        self._rows = {agent_name(row): row for row in rows}
        self._catalog = catalog
        self._execution = execution
        self._approver = approver

    @cached_property
    def mark(self) -> Hashable:
        """Equal for surfaces on which agents see the same."""
        return tuple((row.id, row.number) for row in self._rows.values())

    @cached_property
    def entries(self) -> tuple[SurfaceEntry, ...]:
        """All tools, sorted by name. One that is damaged is left out, and logged."""
        return tuple(filter(is_sound, map(SurfaceEntry, self._rows.values())))

    def __iter__(self) -> Iterator[SurfaceEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, name: str) -> SurfaceEntry | None:
        """Give the entry an agent knows by this name, unless it is damaged."""
        entry = self._entry(name)
        return entry if entry is not None and is_sound(entry) else None

    def nearest(self, name: str) -> str | None:
        """Give the agent name or id that was probably meant."""
        names = [word for entry in self.entries for word in (entry.name, entry.id)]
        return next(iter(get_close_matches(name[:_LONGEST_NAME], names, n=1)), None)

    # ---------------------------------------------------------- for other agents
    def to_mcp(self) -> AgentTools:
        """Give the tools as an MCP server lists them; `notes` say what is lost."""
        return mcp_tools(self.entries)

    def to_openai(
        self, form: OpenAIForm = "chat", *, strict: bool = False
    ) -> AgentTools:
        """Give the tools for OpenAI; `notes` say what is lost, or left out.

        Args:
            form: `chat` for Chat Completions, which many services speak, or
                `responses`.
            strict: Ask for strict arguments where a tool allows it.
        """
        return openai_tools(self.entries, form=form, strict=strict)

    def to_anthropic(self) -> AgentTools:
        """Give the tools for Anthropic; `notes` say what is lost, or left out."""
        return anthropic_tools(self.entries)

    def _entry(self, name: str) -> SurfaceEntry | None:
        row = self._rows.get(name)
        return None if row is None else SurfaceEntry(row)

    async def call(
        self,
        name: str,
        arguments: Any,
        *,
        source: Source = "model",
        approver: Approver | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
    ) -> ToolResult:
        """Call a tool of this snapshot.

        Disabling or deleting a tool acts at once, also on snapshots taken before.
        """
        caller = Caller(
            source=source,
            approver=approver or self._approver,
            session_id=session_id,
            turn_id=turn_id,
        )
        try:
            target = self._target(name)
        except SparknbError as error:
            return refused(error)
        if target is None:
            return not_found(name)
        return await self._execution.call(target, arguments, caller)

    def _target(self, name: str) -> CallTarget | None:
        entry = self._entry(name)
        record = self._catalog.record(entry.id) if entry else None
        if entry is None or record is None:
            return None
        return CallTarget(
            definition=self._catalog.definition(entry.stored),
            version=entry.version,
            barred=barred(record),
            require_open=lambda: self._catalog.require_enabled(entry.id),
            hide_patterns=True,
        )


def barred(record: ToolRecord) -> str | None:
    """Give why a tool may not be called now, or None."""
    return None if record.enabled else f"{record.id} is disabled"


def refused(error: SparknbError) -> ToolResult:
    """Give the result of a call whose tool cannot be looked up (ST-33)."""
    return ToolResult(
        ok=False,
        text=error.message,
        error_code=error.code,
        problems=error.problems,
        hint=error.hint,
    )


def not_found(name: str) -> ToolResult:
    """Give the result of calling a tool that is not there."""
    shown = ascii(name[:80]).strip("'\"")
    problem = Problem(code="NOT_FOUND", message=f"no tool is named {shown}")
    return ToolResult(
        ok=False,
        text=problem.message,
        error_code="NOT_FOUND",
        problems=[problem],
        hint="list the tools again: it may have been deleted or renamed",
    )
