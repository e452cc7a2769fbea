"""Names of modules that a source uses and the interpreter's modules do not have.

The type check knows the modules of Python; those of the interpreter have a part of
it. Which one, the interpreter is asked.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sparknb.core.validation.python_source import IMPORTABLE
from sparknb.core.validation.python_source_entry import Finding
from sparknb.core.wording import show
from sparknb.runtimes.monty.lacks import bound_names
from sparknb.runtimes.monty.workers import Lease

__all__ = ["Name", "answers", "lacking_names", "names_used"]


class Name(NamedTuple):
    """A name of a module."""

    module: str
    name: str


def names_used(tree: ast.Module) -> Iterator[tuple[Name, ast.AST]]:
    """Yield what is taken from modules, by `from M import N` or as `M.N`.

    What stands in a `try` is left out: the source may be ready for its absence.
    """
    modules = dict(_modules(tree))
    tried = set(_tried(tree))
    for node in ast.walk(tree):
        if node in tried:
            continue
        match node:
            case ast.ImportFrom(module=str(module), level=0) if module in IMPORTABLE:
                for alias in node.names:
                    if alias.name != "*":
                        yield Name(module, alias.name), alias
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Load()) if (
                name in modules
            ):
                yield Name(modules[name], node.attr), node
            case _:
                pass


def lacking_names(tree: ast.Module, known: Mapping[Name, bool]) -> Iterator[Finding]:
    """Yield the uses of names that the interpreter said it does not have."""
    for name, node in names_used(tree):
        if not known.get(name, True):
            yield Finding(
                "CODE_IMPORT",
                f"the interpreter's {name.module} has no {show(name.name)}",
                node,
                "the interpreter has a part of Python only: do without it",
            )


def answers(lease: Lease, names: Sequence[Name]) -> Mapping[Name, bool]:
    """Ask the interpreter for each name; nothing else of a source takes part."""
    lines = [f"import {module}" for module in sorted({each.module for each in names})]
    asked = [f"hasattr({each.module}, {each.name!r})" for each in names]
    session = lease.enter()
    try:
        step: Any = session.feed_start("\n".join([*lines, f"[{', '.join(asked)}]"]))
        while getattr(step, "is_os_function", False):
            step = step.resume_not_handled()
        return dict(zip(names, step.output, strict=True))
    finally:
        lease.leave()


def _modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that mean a module throughout the source, and nothing else."""
    meanings = Counter(bound_names(tree))
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                name = alias.asname or alias.name
                if meanings[name] == 1:
                    yield name, alias.name


def _tried(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            for statement in node.body:
                yield from ast.walk(statement)
