"""Notebooks as regression tests: nbval in closed rooms, with guards of our own."""

from sparknb.testing.checking import CheckOptions, check_notebooks
from sparknb.testing.finding import find_notebooks
from sparknb.testing.junit import to_junit
from sparknb.testing.report import CellReport, CheckReport, NotebookReport

__all__ = [
    "CellReport",
    "CheckOptions",
    "CheckReport",
    "NotebookReport",
    "check_notebooks",
    "find_notebooks",
    "to_junit",
]
