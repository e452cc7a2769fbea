"""pytest hooks that put nbval's notebooks into closed rooms, with guards of our own.

`sparknb notebooks check` loads this module as a plugin; a `conftest.py` beside
notebooks may import its hooks, as ours does, and plain `pytest --nbval` has them too.
"""

import json
import os
from collections.abc import Callable, Generator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError, get_sanitize_patterns

from sparknb.testing.judging import cell_fault, explained
from sparknb.testing.room import Room, as_environment, open_room
from sparknb.testing.watch import KernelDiedError, Watch
from sparknb.tutorials import shipped_folder

__all__ = [
    "pytest_runtest_call",
    "pytest_runtest_makereport",
    "pytest_runtest_setup",
    "pytest_runtest_teardown",
]

_ROOM = pytest.StashKey[Room]()
_WATCH = pytest.StashKey[Watch]()
_IS_UNWATCHED = pytest.StashKey[bool]()

_STARTS = 3
_DIED_AT_START = "Kernel died"  # as jupyter_client says it

_UNWATCHED = (
    "The kernel was not kept from the network, and so the cell was not run: its kernel"
    " spec, or how Python is set up for it, sets PYTHONPATH aside"
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Start the kernel, which nbval does before the first cell, in a room."""
    notebook: Any = item.parent
    if not isinstance(item, IPyNbCell) or _ROOM in notebook.stash:
        return (yield)
    room = open_room(_rooms_of(item.config), os.environ)
    notebook.stash[_ROOM] = room
    notebook.setup = partial(_started, notebook.setup)
    with as_environment(room.variables):
        done = yield
    notebook.stash[_WATCH] = Watch(notebook.kernel)
    is_python = notebook.kernel.language == "python"
    notebook.stash[_IS_UNWATCHED] = is_python and not room.is_watched
    for file in _sanitizers(item.config):
        patterns = get_sanitize_patterns(file.read_text(encoding="utf-8"))
        notebook.sanitize_patterns.update(patterns)
    return done


def _started(start: Callable[[], None]) -> None:
    """Start a kernel, again if it ended at once.

    Its ports were chosen before it starts, and another program may take one meanwhile.
    """
    for _ in range(_STARTS - 1):
        try:
            return start()
        except RuntimeError as error:
            if _DIED_AT_START not in str(error):
                raise
    return start()


def _rooms_of(config: pytest.Config) -> Path | None:
    given: str | None = config.getoption("sparknb_rooms", None)
    return None if given is None else Path(given)


def _sanitizers(config: pytest.Config) -> list[Path]:
    given: list[str] = config.getoption("sparknb_sanitize", None) or []
    return [shipped_folder() / "sanitize.cfg", *map(Path, given)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let nbval run and compare a cell; then look at what it leaves aside."""
    if not isinstance(item, IPyNbCell):
        return (yield)
    room, watch = item.parent.stash[_ROOM], item.parent.stash[_WATCH]
    watch.reply = {}
    if item.parent.stash[_IS_UNWATCHED]:
        raise _error(item, _UNWATCHED)
    item.sanitize = partial(_comparable, item.sanitize)
    try:
        done = yield
    except KernelDiedError:
        item.parent.timed_out = False
        raise _error(item, "The kernel died while this cell ran") from None
    except NbCellError:
        fault = cell_fault(item, watch.reply, room.refused())
        if fault is None or not fault.explains_more:
            raise
        raise _error(item, fault.message) from None
    fault = cell_fault(item, watch.reply, room.refused())
    if fault is not None:
        raise _error(item, fault.message)
    return done


def _comparable(sanitize: Callable[[str], str], value: Any) -> str:
    """Give a value as the text that is compared: nbval joins texts, and only those."""
    cleaned = _sanitized(sanitize, value)
    if isinstance(cleaned, str):
        return cleaned
    return json.dumps(cleaned, indent=1, sort_keys=True)


def _sanitized(sanitize: Callable[[str], str], value: Any) -> Any:
    """Apply nbval's patterns also to the texts in JSON, which it leaves as it is."""
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, Mapping):
        return {key: _sanitized(sanitize, each) for key, each in value.items()}
    if isinstance(value, list):
        return [_sanitized(sanitize, each) for each in value]
    return value


def _error(item: Any, message: str) -> Exception:
    error: Exception = NbCellError(item.cell_num, message, item.cell.source)
    return error


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, Any, Any]:
    """Remove the room after the last cell of its notebook."""
    try:
        return (yield)
    finally:
        notebook = item.parent
        is_last = nextitem is None or nextitem.parent is not notebook
        if isinstance(notebook, IPyNbFile) and is_last and _ROOM in notebook.stash:
            notebook.stash[_ROOM].close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, Any]:
    """Add to the report which cell it is about, and what is wrong in plain words."""
    report = yield
    if isinstance(item, IPyNbCell):
        finding = {
            "path": str(item.path),
            "number": item.cell_num + 1,
            "id": item.cell.get("id"),
            "line": next(iter(item.cell.source.splitlines()), ""),
            "message": explained(item, call.excinfo, report),
        }
        report.sparknb_finding = finding
    return report
