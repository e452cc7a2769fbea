"""Keeps the text of cells that may hold a secret where it has to be, and nowhere else.

The body of `%%spark_curl` is a pasted command, often with a key in it. IPython would
write it into its history, into variables such as `_i` and `In`, and into the source
lines of tracebacks; a kernel in debug mode would log it.
"""

import ast
import logging
import re
import secrets
from typing import Any

__all__ = ["Discretion", "without_body"]

_MAGIC = "spark_curl"
_LINE = re.compile(rf"^([ \t]*%%{_MAGIC}\b[^\n]*)\n", re.MULTILINE)
_CALL = re.compile(rf"\s*(?:await )?get_ipython\(\)\.run_cell_magic\('\w*{_MAGIC}',")
_MISPLACED = re.compile(rf"\s*get_ipython\(\)\.run_line_magic\('%{_MAGIC}'")
_REFUSAL = (
    "raise __import__('sparknb.magics.errors', fromlist=['x'])"
    f".misplaced('%%{_MAGIC}')\n"
)
_KEPT_OUT = "# what was pasted is kept out of the history"
_MARK = "sparknb:"
_MOST_HELD = (
    64  # cells are read more often than they run: while one types, for instance
)
_ARGUMENTS = 3


def without_body(text: str) -> str:
    """Give a cell without what stands below the line of the magic."""
    found = _LINE.search(text)
    if found is None:
        return text if _MAGIC not in text else _KEPT_OUT
    return f"{text[: found.end()]}{_KEPT_OUT}"


class Discretion:
    """Holds bodies of cells until they run, and wraps what would write them down."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._held: dict[str, str] = {}
        self._kernel_log = _KernelLog()
        self._store: Any = None
        self._log: Any = None

    # ----------------------------------------------------------------- the body
    def cover(self, lines: list[str]) -> list[str]:
        """Give the source of a cell without the bodies in it.

        Below a magic that does not stand first, the body would be taken for Python,
        and be shown by a syntax error: it is left out, and the cell says why.
        """
        for at, line in enumerate(lines):
            if _MISPLACED.match(line):
                return [*lines[:at], _REFUSAL]
        return [self.covered(line) for line in lines]

    def covered(self, line: str) -> str:
        """Give a line of transformed source with a token in place of the body."""
        if _CALL.match(line) is None:
            return line
        try:
            call = ast.parse(line.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return line
        if not isinstance(call, ast.Call) or len(call.args) != _ARGUMENTS:
            return line
        body = call.args[-1]
        if not isinstance(body, ast.Constant) or not isinstance(body.value, str):
            return line
        words = ast.unparse(call.args[1])
        token = self._hold(body.value)
        return f"get_ipython().run_cell_magic('{_MAGIC}', {words}, {token!r})\n"

    def uncovered(self, body: str) -> str:
        """Give the body that a token stands for; any other text is one itself."""
        return self._held.pop(body, body) if body.startswith(_MARK) else body

    def _hold(self, body: str) -> str:
        while len(self._held) >= _MOST_HELD:
            self._held.pop(next(iter(self._held)))
        token = _MARK + secrets.token_hex(8)
        self._held[token] = body
        return token

    # ------------------------------------------------------- what writes it down
    def add(self) -> None:
        """Begin to keep it out of the history and of the kernel's log."""
        history = self._shell.history_manager
        if history is not None:
            self._store = history.store_inputs
            history.store_inputs = self._store_inputs
        self._log = self._shell.logger.log
        self._shell.logger.log = self._log_inputs
        if (log := self._find_kernel_log()) is not None:
            log.addFilter(self._kernel_log)

    def remove(self) -> None:
        """Let everything write as before."""
        if self._store is not None:
            del self._shell.history_manager.store_inputs
            self._store = None
        if self._log is not None:
            del self._shell.logger.log
            self._log = None
        if (log := self._find_kernel_log()) is not None:
            log.removeFilter(self._kernel_log)
        self._held.clear()

    def _store_inputs(
        self, line_num: int, source: str, source_raw: str | None = None
    ) -> None:
        raw = source if source_raw is None else source_raw
        if _MAGIC in raw or _MAGIC in source:
            source = raw = without_body(raw)
        self._store(line_num, source, raw)

    def _log_inputs(self, line_mod: str, line_ori: str) -> None:
        if _MAGIC in line_ori or _MAGIC in line_mod:
            line_mod = line_ori = without_body(line_ori)
        self._log(line_mod, line_ori)

    def _find_kernel_log(self) -> logging.Logger | None:
        kernel = getattr(self._shell, "kernel", None)
        log = getattr(kernel, "log", None)
        log = getattr(log, "logger", log)  # an adapter has the logger inside
        return log if isinstance(log, logging.Logger) else None


class _KernelLog(logging.Filter):
    """Drops what a kernel in debug mode says of messages that hold such a cell."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let the record through, without the text of a cell."""
        if record.levelno <= logging.DEBUG and _MAGIC in record.getMessage():
            record.msg = f"a message with a %%{_MAGIC} cell is not logged"
            record.args = ()
        return True
