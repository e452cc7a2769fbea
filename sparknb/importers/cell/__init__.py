"""What is written below `%%spark_tool` and `%%spark_test`, read: YAML or a program."""

from sparknb.importers.cell.cell import Cell, read_cell
from sparknb.importers.cell.values import CellValues, read_values
from sparknb.importers.cell.writing import why_no_cell, write_cell

__all__ = [
    "Cell",
    "CellValues",
    "read_cell",
    "read_values",
    "why_no_cell",
    "write_cell",
]
