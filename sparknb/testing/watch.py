"""Sees what nbval does not look at: how the kernel replied, and that it died."""

import time
from queue import Empty
from typing import Any

__all__ = ["KernelDiedError", "Watch"]

_SLICE = 1.0  # seconds after which a silent kernel is asked whether it lives


class KernelDiedError(Exception):
    """The kernel's process ended while a cell ran."""


class Watch:
    """Stands between nbval and the messages of one kernel.

    Attributes:
        reply: The last reply to a cell: its status, and what was raised.
    """

    def __init__(self, kernel: Any) -> None:
        self.reply: dict[str, Any] = {}
        self._kernel = kernel
        self._get = kernel.get_message
        kernel.get_message = self._watched

    def _watched(self, stream: str, timeout: float | None = None) -> Any:
        message = self._await(stream, timeout)
        if message["msg_type"] == "execute_reply":
            self.reply = message["content"]
        return message

    def _await(self, stream: str, timeout: float | None) -> Any:
        """Wait as long as nbval would, in slices, but not for the dead."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE if end is None else end - time.monotonic()
            is_last = left <= _SLICE and end is not None
            try:
                return self._get(stream, timeout=max(0.0, min(left, _SLICE)))
            except Empty:
                if not self._kernel.is_alive():
                    raise KernelDiedError from None
                if is_last:
                    raise
