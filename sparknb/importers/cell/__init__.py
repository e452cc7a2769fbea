"""What is written below `%%spark_tool` and `%%spark_test`, read: YAML 1.2."""

from sparknb.importers.cell.cell import Cell, read_cell
from sparknb.importers.cell.values import CellValues, read_values

__all__ = ["Cell", "CellValues", "read_cell", "read_values"]
