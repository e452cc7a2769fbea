"""The report as JUnit XML, which CI systems show."""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sparknb.testing.report import CellReport, CheckReport, NotebookReport

__all__ = ["to_junit"]

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: CheckReport) -> bytes:
    """Give one suite a notebook; a case is named `notebook::cell id::first line`."""
    root = Element("testsuites", name="sparknb notebooks check")
    for notebook in report.notebooks:
        _suite(root, notebook)
    indent(root)
    body: bytes = tostring(root, "utf-8", xml_declaration=True)
    return body + b"\n"


def _suite(root: Element, notebook: NotebookReport) -> None:
    cells = notebook.cells
    failures = sum(cell.outcome == "failed" for cell in cells)
    suite = SubElement(
        root,
        "testsuite",
        name=_clean(notebook.path),
        tests=str(len(cells) + notebook.is_unusable),
        failures=str(failures),
        errors=str(int(notebook.is_unusable)),
        skipped=str(sum(cell.outcome == "skipped" for cell in cells)),
    )
    for cell in cells:
        _case(suite, notebook, cell)
    if notebook.is_unusable:
        path = _clean(notebook.path)
        case = SubElement(suite, "testcase", classname=path, name=path)
        SubElement(case, "error", message=_clean(notebook.message or ""))


def _case(suite: Element, notebook: NotebookReport, cell: CellReport) -> None:
    path = _clean(notebook.path)
    name = f"{path}::{_clean(cell.id)}::{_clean(cell.line)}"
    case = SubElement(suite, "testcase", classname=path, name=name)
    message = _clean(cell.message or "")
    if cell.outcome == "failed":
        first = message.split("\n", 1)[0]
        SubElement(case, "failure", message=first).text = message
    elif cell.outcome == "skipped":
        SubElement(case, "skipped", message=message)


def _clean(text: str) -> str:
    """Give the text with a mark in place of what XML cannot hold."""
    return _NOT_IN_XML.sub("\ufffd", text)
