"""Tables whose rows stay on one line each, so that a pipe can search them."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from sparknb.commands.views import Column
from sparknb.displays.safe_text import printable

__all__ = ["draw_lines"]

_GAP = 3
"""Blanks between the columns."""

_NARROWEST = 16
"""Columns that are left of a text that is cut."""


def draw_lines(
    console: Console, columns: Sequence[Column], rows: Sequence[Sequence[Text]]
) -> None:
    """Draw each row as one line; columns that yield are cut or left out for that.

    What does not yield is never cut: where it alone is wider than a terminal, that
    wraps it, and a pipe gets it whole.
    """
    heading = [Text(printable(column.title), style="dim") for column in columns]
    lines = [heading, *rows]
    widths = _widths(columns, lines, console.width)
    for cells in lines:
        parts = [
            _fitted(cells[place], width, columns[place])
            for place, width in sorted(widths.items())
        ]
        line = Text(" " * _GAP).join(parts)
        line.rstrip()
        console.print(line, soft_wrap=True)


def _widths(
    columns: Sequence[Column], lines: Sequence[Sequence[Text]], room: int
) -> dict[int, int]:
    """Give the width of each column that is shown, by its place."""
    natural = [
        max(cell.cell_len for cell in cells) for cells in zip(*lines, strict=True)
    ]
    widths = {p: natural[p] for p, column in enumerate(columns) if not column.yields}
    left = room - sum(widths.values()) - _GAP * (len(widths) - 1)
    for place, column in enumerate(columns):
        if not column.yields:
            continue
        width = min(natural[place], left - _GAP)
        if width == natural[place] or (column.wraps and width >= _NARROWEST):
            widths[place] = width
            left -= width + _GAP
    return widths


def _fitted(cell: Text, width: int, column: Column) -> Text:
    """Give a cell as wide as its column."""
    fitted = cell.copy()
    fitted.truncate(width, overflow="ellipsis")
    blanks = width - fitted.cell_len
    if column.align == "right":
        fitted.pad_left(blanks)
    else:
        fitted.pad_right(blanks)
    return fitted
