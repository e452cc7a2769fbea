"""A call under way that its caller may stop."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from sparknb.core.results import ToolResult

__all__ = ["RunningCall"]


class RunningCall:
    """Handle of a started call; its cancellation comes back as a result."""

    def __init__(self, call: Coroutine[Any, Any, ToolResult]) -> None:
        self._task = asyncio.get_running_loop().create_task(call)

    def cancel(self) -> None:
        """Stop the call; connections and children end at once."""
        self._task.cancel()

    async def result(self) -> ToolResult:
        """Wait for the end of the call.

        Cancelling the task that waits here stops the call too.
        """
        try:
            await asyncio.wait([self._task])
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.wait([self._task])
            raise
        if self._task.cancelled():
            return ToolResult(
                ok=False, text="the caller stopped the call", error_code="CANCELLED"
            )
        return self._task.result()
