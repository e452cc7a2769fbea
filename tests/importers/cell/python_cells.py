"""What a cell with a program in Python says, short enough to compare."""

from typing import Any

from sparknb.importers.cell import Cell, read_cell

DOC = '"""Counts words of a text."""\n'


def read(body: str, **variables: str) -> Cell:
    return read_cell(body, variables, tool_id="words", tool_type="python")


def document(body: str) -> dict[str, Any]:
    cell = read(body)
    assert [str(p) for p in cell.check() if p.level == "error"] == []
    assert cell.document is not None
    return cell.document


def told(body: str, **variables: str) -> list[tuple[int, str, str]]:
    """Give line, path and code of all that is wrong, in order."""
    cell = read(body, **variables)
    found = cell.check()
    lines = cell.lines([p.path for p in found])
    return [(p.line or lines[p.path], p.path, p.code) for p in found]
