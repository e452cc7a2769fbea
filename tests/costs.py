"""How much work something is; a busy machine does not change the answer."""

import gc
import time
from collections.abc import Callable

__all__ = ["cpu_seconds"]


def cpu_seconds(work: Callable[[], object], *, runs: int = 3) -> float:
    """Give the CPU time of the quickest of some runs, without the garbage collector.

    A collection costs what the whole test process holds, not what `work` does.
    """
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        return min(_once(work) for _ in range(runs))
    finally:
        if was_on:
            gc.enable()


def _once(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
