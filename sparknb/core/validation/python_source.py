"""What Python source of a tool must be: readable, one `run`, few imports.

These are the rules ST-39 and ST-40 as far as the text alone shows them.
Everything is read from the syntax tree; nothing is run.
"""

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from sparknb.core.definitions import SOURCE_PATH, InputSchema
from sparknb.core.problems import Problem
from sparknb.core.validation.python_source_entry import Finding, entry_findings
from sparknb.core.validation.python_source_scopes import scope_findings
from sparknb.core.wording import show

__all__ = ["IMPORTABLE", "further_problems", "source_problems"]

IMPORTABLE = frozenset(
    {
        "asyncio",
        "base64",
        "bisect",
        "collections",
        "copy",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "functools",
        "hashlib",
        "itertools",
        "json",
        "math",
        "random",
        "re",
        "time",
        "typing",
        "unicodedata",
    }
)
"""Modules that a Python tool may import."""

_MOST = 50  # problems of one source; more would say nothing new


class _Place(NamedTuple):
    line: int
    column: int


def source_problems(source: str, schema: InputSchema) -> list[Problem]:
    """Give everything that is wrong with the source, in the order of its lines.

    Args:
        source: Python, as it came.
        schema: What `run` is called with.

    Returns:
        One `CODE_SYNTAX` where the source cannot be parsed; else any number of
        `CODE_SYNTAX`, `CODE_IMPORT` and `CODE_ENTRY`, of which the first hides the
        others at its place.
    """
    tree = _parsed(source)
    if isinstance(tree, Problem):
        return [tree]
    lines = _Lines(source)
    try:
        found = [*_import_findings(tree), *entry_findings(tree, schema)]
    except RecursionError:
        return [_too_deep()]
    misplaced = list(islice(scope_findings(tree), _MOST))
    hidden = {lines.place(finding.node) for finding in misplaced}
    rest = [each for each in found if lines.place(each.node) not in hidden]
    problems = [_problem(each, lines) for each in [*misplaced, *rest][:_MOST]]
    return sorted(problems, key=lambda p: (p.line or 0, p.column or 0))


def further_problems(
    source: str, find: Callable[[ast.Module], Iterable[Finding]]
) -> list[Problem]:
    """Give what somebody else finds in a source, with its places.

    Args:
        source: One in which `source_problems` finds nothing.
        find: Gives what it finds in the tree.
    """
    tree = _parsed(source)
    if isinstance(tree, Problem):
        return [tree]
    lines = _Lines(source)
    return [_problem(each, lines) for each in islice(find(tree), _MOST)]


def _parsed(source: str) -> ast.Module | Problem:
    if "\0" in source:
        return _syntax_at("the source holds a NUL", source, source.index("\0"))
    try:
        with warnings.catch_warnings():
            # An odd escape in a text is the author's business, and no error.
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        return _syntax(
            f"this is no Python: {show(error.msg or 'it cannot be read', 120)}",
            error.lineno,
            error.offset,
        )
    except UnicodeEncodeError as error:
        return _syntax_at("the source holds half of a character", source, error.start)
    except (ValueError, OverflowError):
        return _syntax("the source cannot be read", 1, 1)
    except (RecursionError, MemoryError):
        return _too_deep()


def _too_deep() -> Problem:
    return _syntax("the source is nested too deeply", 1, 1)


def _syntax(message: str, line: int | None, column: int | None) -> Problem:
    return Problem(
        code="CODE_SYNTAX",
        message=message,
        path=SOURCE_PATH,
        line=max(1, line or 1),
        column=max(1, column or 1),
    )


def _syntax_at(message: str, source: str, position: int) -> Problem:
    before = _split(source[:position])
    return _syntax(message, len(before), len(before[-1]) + 1)


class _Lines:
    """Turns the byte columns of the syntax tree into columns of characters."""

    def __init__(self, source: str) -> None:
        self._lines = [] if source.isascii() else _split(source)

    def place(self, node: ast.AST) -> _Place:
        line = max(1, getattr(node, "lineno", 1))
        offset = max(0, getattr(node, "col_offset", 0))
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        if not text.isascii():
            offset = len(text.encode()[:offset].decode(errors="replace"))
        return _Place(line, offset + 1)


def _split(source: str) -> list[str]:
    """Split at what ends a line in Python; `str.splitlines` knows more than that."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _problem(finding: Finding, lines: _Lines) -> Problem:
    place = lines.place(finding.node)
    return Problem(
        code=finding.code,
        message=finding.message,
        path=SOURCE_PATH,
        hint=finding.hint,
        line=place.line,
        column=place.column,
    )


def _import_findings(tree: ast.Module) -> Iterator[Finding]:
    """Yield imports of other modules than those listed, wherever they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name not in IMPORTABLE:
                    yield _import_finding(name, name.name)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module not in IMPORTABLE:
                yield _import_finding(node, module)


def _import_finding(node: ast.AST, module: str) -> Finding:
    return Finding(
        "CODE_IMPORT",
        f"the module {show(module)} cannot be imported in a tool",
        node,
        f"what can be: {', '.join(sorted(IMPORTABLE))}",
    )
