"""Writing traces in the background, so that no call waits for the disk."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence

from sparknb.core.records import TraceRecord

__all__ = ["TraceWriter"]

_logger = logging.getLogger("sparknb.registry")

_PAUSE = 0.15  # seconds that a trace waits for company; 0.2 are allowed in all
_BATCH = 500
_ROOM = 50_000


class TraceWriter:
    """Collects traces and hands them to `write` in batches, on a thread of its own."""

    def __init__(self, write: Callable[[Sequence[TraceRecord]], None]) -> None:
        self._write = write
        self._waiting: deque[TraceRecord] = deque()
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def add(self, traces: Sequence[TraceRecord]) -> None:
        """Take traces over; never waits. What finds no room is logged and lost."""
        with self._changed:
            room = 0 if self._is_closed else _ROOM - len(self._waiting)
            before = len(self._waiting)
            self._waiting.extend(traces[:room])
            if self._thread is None and self._waiting:
                self._thread = threading.Thread(
                    target=self._run, name="sparknb-traces", daemon=True
                )
                self._thread.start()
            # Waking the thread for each trace would cost more than the trace.
            if before == 0 or before < _BATCH <= len(self._waiting):
                self._changed.notify_all()
        if len(traces) > room:
            _logger.warning(
                "%d traces were not written: %s.",
                len(traces) - room,
                "the registry is closed" if self._is_closed else "too many are waiting",
            )

    def flush(self) -> None:
        """Write what waits, now. A failure is logged and changes nothing (ST-89)."""
        with self._writing:
            with self._changed:
                traces = list(self._waiting)
                self._waiting.clear()
            if not traces:
                return
            try:
                self._write(traces)
            except Exception as error:  # noqa: BLE001 - ST-89: a trace never changes a result
                _logger.warning("%d traces were not written: %s", len(traces), error)

    def close(self) -> None:
        """Write what waits and end the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        self.flush()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                if not self._waiting:
                    return
                self._changed.wait_for(
                    lambda: len(self._waiting) >= _BATCH or self._is_closed, _PAUSE
                )
            self.flush()
