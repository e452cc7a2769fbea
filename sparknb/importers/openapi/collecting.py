"""When Python looks for garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_collections"]


@contextmanager
def no_collections() -> Iterator[None]:
    """Keep the garbage collector from running.

    An import builds hundreds of thousands of objects, all of which are used to its
    end: looking through them again and again finds nothing and takes a quarter of the
    time. What is collected by counting references is collected as always.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
