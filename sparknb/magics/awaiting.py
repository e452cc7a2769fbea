"""Magics at the top level of a cell are awaited: the kernel's loop does not wait.

A click reaches a cell that awaits it, and never one that blocks. So the lines that
IPython makes of our magics are rewritten, where nothing stands around them.
"""

import re
from collections.abc import Callable
from typing import Any

__all__ = ["TWIN", "Rewriting"]

TWIN = "_async_"
"""What the name of an awaited magic begins with."""

_CALL = re.compile(
    r"get_ipython\(\)\.run_(line_magic\('spark'|cell_magic\('spark_(?:tool|test|curl)')"
)
_NO_BODY = re.compile(r"(get_ipython\(\)\.run_cell_magic\('spark_\w+',.*, )''\)\s*")


class Rewriting:
    """An input transformer, with the events that tell it where a cell begins."""

    def __init__(
        self, shell: Any, *, can_await: bool, cover: Callable[[list[str]], list[str]]
    ) -> None:
        self._shell = shell
        self._cover = cover
        self._can_await = can_await
        self._running: list[Any] = []

    def __call__(self, lines: list[str]) -> list[str]:
        """Rewrite our magics at the top level of a cell.

        Code that is transformed while a cell runs is nested in it (`%%time`,
        `%%capture`): there nobody would await.
        """
        lines = self._cover([_with_body(line) for line in lines])
        if self._running or not (self._can_await and self._shell.autoawait):
            return lines
        return [_awaited(line) for line in lines]

    def pre_run_cell(self, info: Any) -> None:
        """Note that a cell runs."""
        self._running.append(info)

    def post_run_cell(self, result: Any) -> None:
        """Note that it has ended, and all that ran in it; None ends everything."""
        info = getattr(result, "info", None)
        places = [i for i, known in enumerate(self._running) if known is info]
        if info is None:
            self._running.clear()
        elif places:
            del self._running[places[0] :]


def _with_body(line: str) -> str:
    """Give an empty body a line end: IPython itself would refuse an empty one."""
    match = _NO_BODY.fullmatch(line)
    return line if match is None else f"{match[1]}'\\n')\n"


def _awaited(line: str) -> str:
    match = _CALL.match(line)
    if match is None:
        return line
    kind, quote, name = match[1].partition("'")
    called = f"await get_ipython().run_{kind}{quote}{TWIN}{name}"
    return called + line[match.end() :]
