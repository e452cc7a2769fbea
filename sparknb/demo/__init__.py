"""The main job of sparknb, done once from end to end: `sparknb demo`."""

from typing import TextIO

__all__ = ["run_demo"]


def run_demo(out: TextIO) -> int:
    """Define, check, publish and call two tools; tell about it on `out`.

    Needs no display, no network and no keychain; ends within a minute, and takes
    everything away that it made.

    Returns:
        0 when all of it really happened, else 1.
    """
    from sparknb.demo.story import tell

    return tell(out)
