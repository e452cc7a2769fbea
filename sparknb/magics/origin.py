"""Where in a cell of Python an exception came from, for a block without a traceback."""

import linecache
from collections.abc import Iterator
from traceback import walk_tb
from typing import Any, NamedTuple

__all__ = ["origin"]


class _Spot(NamedTuple):
    """A line of a cell, and the function around it."""

    cell: str
    line: int
    function: str


def origin(error: BaseException, compiler: Any) -> str | None:
    """Give the line of the cell that ended in an error, None in a cell of one line.

    Only numbers and the name of a function are told: a line itself may hold a secret,
    and the number of a cell is another in every run.

    Args:
        error: What ended the cell.
        compiler: The shell's own; it knows what is a cell.
    """
    spots = list(_spots(error, compiler))
    if not spots:
        return None
    first, last = spots[0], spots[-1]
    inner = ""
    if (last.cell, last.line) != (first.cell, first.line):
        of = "" if last.cell == first.cell else " of another cell"
        inner = f", in {last.function}() at line {last.line}{of}"
    elif len(linecache.getlines(first.cell)) < 2:  # noqa: PLR2004  # one line says it
        return None
    return f"at line {first.line} of the cell{inner}"


def _spots(error: BaseException, compiler: Any) -> Iterator[_Spot]:
    """Yield the lines of cells that were under way, the cell that ran first."""
    for frame, line in walk_tb(error.__traceback__):
        code = frame.f_code
        if compiler.format_code_name(code.co_filename) is not None:
            yield _Spot(code.co_filename, line, code.co_name)
