"""pytest plugin that writes down what was found, a line of JSON a cell.

It works beside `sparknb.testing.plugin` in the process that `check_notebooks` starts,
also when pytest-xdist spreads the notebooks over processes.
"""

import json
import os
import signal
import time
from collections.abc import Generator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from sparknb.testing.hiding import redactor

__all__ = ["pytest_addoption", "pytest_configure", "pytest_make_collect_report"]

_LOOK_SECONDS = 1.0


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that `check_notebooks` gives."""
    group = parser.getgroup("sparknb")
    group.addoption("--sparknb-lines", help="File for what was found.")
    group.addoption("--sparknb-rooms", help="Folder for the notebooks' rooms.")
    group.addoption("--sparknb-sanitize", action="append", help="More patterns.")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, Any, Any]:
    """Add to the report of a file which one it is."""
    report = yield
    report.sparknb_path = str(collector.path)
    return report


def pytest_configure(config: pytest.Config) -> None:
    """Write in the main process only: the reports of workers come there."""
    given = config.getoption("sparknb_lines")
    if given and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Writer(Path(given)), "sparknb-writer")
        watch = Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True)
        watch.start()


def _end_with_parent(parent: int) -> None:
    """Interrupt pytest when nobody waits for it any more: kernels would be left."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGINT)


class _Writer:
    """Appends to the file as reports come in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._redactor = redactor()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write a cell's verdict; a later one, such as a failing end, counts more."""
        finding: dict[str, Any] | None = getattr(report, "sparknb_finding", None)
        if finding is not None and (report.when == "call" or not report.passed):
            self._write(finding | {"outcome": report.outcome})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write that a notebook could not be read."""
        if report.failed:
            said = str(report.longrepr).strip().splitlines()
            why = said[-1].removeprefix("E").strip() if said else ""
            path = getattr(report, "sparknb_path", report.nodeid)
            self._write({"path": path, "message": why})

    def _write(self, line: dict[str, Any]) -> None:
        told = {key: line[key] for key in ("line", "message") if key in line}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | self._redactor.value(told)) + "\n")
