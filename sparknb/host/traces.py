"""Traces for people: list, clear, retention (ST-88 to ST-90)."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from sparknb.core.protocols import Registry
from sparknb.core.records import TraceRecord
from sparknb.core.results import CallStatus
from sparknb.host.catalog import Catalog

__all__ = ["Traces"]


class Traces:
    """What was called, by whom, and how it ended; never inputs or outputs."""

    def __init__(self, registry: Registry, catalog: Catalog) -> None:
        self._registry = registry
        self._catalog = catalog

    async def list(
        self,
        *,
        tool: str | None = None,
        status: CallStatus | None = None,
        since: datetime | None = None,
        limit: int = 50,
    ) -> Sequence[TraceRecord]:
        """Give traces, newest first; `limit` is clamped to 1-200."""
        tool_id = None if tool is None else self._catalog.resolve(tool)
        return await asyncio.to_thread(
            lambda: self._registry.traces(
                tool_id=tool_id, status=status, since=since, limit=limit
            )
        )

    async def clear(self, tool: str | None = None) -> int:
        """Remove all traces, or those of one tool; give the count."""
        tool_id = None if tool is None else self._catalog.resolve(tool)
        return await asyncio.to_thread(self._registry.clear_traces, tool_id)

    async def retention(self) -> int:
        """Give how many days traces are kept."""
        return await asyncio.to_thread(lambda: self._registry.retention_days)

    async def set_retention(self, days: int) -> None:
        """Change how long traces are kept, and prune.

        Raises:
            InvalidInputError: Not 7, 30, 90 or 365.
        """
        await asyncio.to_thread(self._registry.set_retention, days)
