"""Ids for tools where the one that is wanted may be taken."""

from collections.abc import Callable
from itertools import count

__all__ = ["LONGEST_ID", "free_id", "numbered"]

LONGEST_ID = 64


def free_id(base: str, is_taken: Callable[[str], bool]) -> str:
    """Give the id, or the first of `base_2`, `base_3`, … that is free."""
    if not is_taken(base):
        return base
    ids = (numbered(base, number) for number in count(2))
    return next(each for each in ids if not is_taken(each))


def numbered(base: str, number: int) -> str:
    """Give `base_<number>`, the base shortened so that it fits."""
    end = f"_{number}"
    return base[: LONGEST_ID - len(end)] + end
