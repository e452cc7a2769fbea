"""What may stand only in some places of Python source, such as `await`.

The parser of Python takes it anywhere; its compiler would refuse it. That one is not
asked: a few hundred characters of nested `finally` keep it busy for minutes, and take
all memory. What is not seen here the interpreter of the sandbox finds.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from sparknb.core.validation.python_source_entry import Finding
from sparknb.core.wording import show

__all__ = ["scope_findings"]


class _Scope(NamedTuple):
    """What surrounds a node: the innermost function, lambda, class or module."""

    node: ast.AST
    is_in_loop: bool = False


class _Rule(NamedTuple):
    word: str
    scopes: tuple[type[ast.AST], ...]
    where: str
    hint: str | None = None


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOVE = "move it into a function"
_RULES: dict[type[ast.AST], _Rule] = {
    ast.Await: _Rule("await", (ast.AsyncFunctionDef,), "async def"),
    ast.Return: _Rule("return", _FUNCTIONS, "a function", _MOVE),
    ast.Yield: _Rule("yield", (*_FUNCTIONS, ast.Lambda), "a function"),
    ast.YieldFrom: _Rule("yield from", (*_FUNCTIONS, ast.Lambda), "a function"),
    ast.Nonlocal: _Rule("nonlocal", (*_FUNCTIONS, ast.ClassDef), "a function"),
}
_OPENING = (*_FUNCTIONS, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_JUDGED = {*_RULES, ast.Break, ast.Continue, ast.arguments, ast.Try}
_TREE = (
    ast.expr, ast.stmt, ast.arguments, ast.arg, ast.keyword, ast.comprehension,
    ast.excepthandler, ast.withitem, ast.match_case, ast.pattern,
)  # fmt: skip


def scope_findings(tree: ast.Module) -> Iterator[Finding]:
    """Yield what stands where Python refuses it; one `await` of each function."""
    todo: list[tuple[ast.AST, _Scope]] = [(tree, _Scope(tree))]
    plain: set[ast.AST] = set()  # where an await was met that should not be there
    while todo:
        node, scope = todo.pop()
        if type(node) in _JUDGED:
            is_await = isinstance(node, ast.Await)
            if not (is_await and scope.node in plain):
                for finding in _misplaced(node, scope):
                    plain |= {scope.node} if is_await else set()
                    yield finding
        todo += _within(node, scope)


def _within(node: ast.AST, scope: _Scope) -> list[tuple[ast.AST, _Scope]]:
    """Give the parts of a node, each with what surrounds it, from the last one on."""
    body = scope
    if isinstance(node, _OPENING):
        body = _Scope(node)
    elif isinstance(node, _LOOPS):
        body = scope._replace(is_in_loop=True)
    found: list[tuple[ast.AST, _Scope]] = []
    for name in node._fields:
        value = getattr(node, name, None)
        surrounding = body if name == "body" else scope
        if isinstance(value, list):
            found += [(each, surrounding) for each in value if isinstance(each, _TREE)]
        elif isinstance(value, _TREE):
            found.append((value, surrounding))
    found.reverse()
    return found


def _misplaced(node: ast.AST, scope: _Scope) -> Iterator[Finding]:
    rule = _RULES.get(type(node))
    if rule is not None and not isinstance(scope.node, rule.scopes):
        hint = _for_await(scope.node) if isinstance(node, ast.Await) else rule.hint
        yield _syntax(f"{rule.word} stands outside of {rule.where}", node, hint)
    elif isinstance(node, ast.Break | ast.Continue) and not scope.is_in_loop:
        word = type(node).__name__.lower()
        yield _syntax(f"{word} stands outside of a loop", node)
    elif isinstance(node, ast.arguments):
        yield from _repeated(node)
    elif isinstance(node, ast.Try):
        for handler in node.handlers[:-1]:
            if handler.type is None:
                message = "except without a type is not the last one of its try"
                yield _syntax(message, handler, "move it behind the others")


def _for_await(surrounding: ast.AST) -> str:
    match surrounding:
        case ast.FunctionDef(name=name):
            return f"write async def {show(name)}(...)"
        case ast.Lambda():
            return "write a function with async def instead of the lambda"
        case _:
            return "move it into async def run(...)"


def _repeated(given: ast.arguments) -> Iterator[Finding]:
    stars = [star for star in (given.vararg, given.kwarg) if star is not None]
    seen: set[str] = set()
    for each in [*given.posonlyargs, *given.args, *given.kwonlyargs, *stars]:
        if each.arg in seen:
            message = f"the parameter {show(each.arg)} is there twice"
            yield _syntax(message, each, "give each a name of its own")
        seen.add(each.arg)


def _syntax(message: str, node: ast.AST, hint: str | None = None) -> Finding:
    return Finding("CODE_SYNTAX", message, node, hint)
