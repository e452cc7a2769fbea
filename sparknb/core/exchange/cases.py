"""The test cases of an export file."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.core.problems import Problem

__all__ = ["read_cases"]

Cases = Sequence[Mapping[str, Any]]


def read_cases(written: Any) -> tuple[Cases, Sequence[Problem]]:
    """Give the cases of one tool, or what is wrong with them, each at `cases.N`."""
    return written, []
