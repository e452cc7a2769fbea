"""What the text of a source shows that the interpreter would only refuse when it runs.

The interpreter has a part of Python. These parts pass its parser and the type check,
and then fail each call that comes to them.
"""

import ast
import builtins
from collections.abc import Iterator

from sparknb.core.validation.python_source_entry import Finding

__all__ = ["bound_names", "lacking", "lines_of_decorated"]

_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
_NO_TEXT = (ast.Tuple, ast.List, ast.Set, ast.Dict)


def lacking(tree: ast.Module) -> Iterator[Finding]:
    """Yield each exception that is made of something else than one text."""
    own = set(bound_names(tree))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _EXCEPTIONS - own
            and not _is_of_one_text(node)
        ):
            yield Finding(
                "CODE_SYNTAX",
                "the interpreter takes one text for an exception",
                node,
                f'write {node.func.id}(f"...")',
            )


def lines_of_decorated(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of all methods that have a decorator, with those of these."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                    for first in each.decorator_list[:1]:
                        last = each.end_lineno or each.lineno
                        yield from range(first.lineno, last + 1)


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names to which the source gives a meaning of its own, anywhere."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name
            case _:
                pass


def _is_of_one_text(call: ast.Call) -> bool:
    """Tell whether it may be one text; what is computed is given the doubt."""
    if call.keywords:
        return False
    match call.args:
        case []:
            return True
        case [ast.Constant(value=value)]:
            return isinstance(value, str)
        case [one]:
            return not isinstance(one, _NO_TEXT)
        case several:
            return any(isinstance(each, ast.Starred) for each in several)
