"""The parameters of a Python function, read as those of a tool (NB-12)."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, show
from sparknb.importers.cell.reading import Found
from sparknb.importers.cell.tree import Entry, Items, Node, Pairs, Value

__all__ = ["Function", "read_signature"]

Function = ast.FunctionDef | ast.AsyncFunctionDef
Tell = Callable[[Found], object]

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_KNOWN = "str, int, float, bool, list[str], Literal['a', 'b']"
_HINT = (
    f"write one of {_KNOWN};"
    ' Annotated[str, "what it is"] describes it, str | None = None may be left out'
)
_A_LIST = (
    "write what the list holds, one of list[str], list[int], list[float], list[bool]"
)
_OR_NONE = (
    "write str | None = None, without import; so too with int, float, list[str] …"
)
_INSTEAD: Mapping[str, str] = {
    "list": _A_LIST,
    "List": _A_LIST,
    "Optional": _OR_NONE,
    "Union": _OR_NONE,
}
"""What to write for words that say nearly what a tool can take."""

_DEFAULT = "write a text, a number, True, False, or a list of these"


class _WrongTypeError(Exception):
    """An annotation that says something a tool cannot take: what, and what to do."""

    def __init__(self, message: str, hint: str = _HINT) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class _Type(NamedTuple):
    """What an annotation says."""

    keys: dict[str, Any]
    takes_none: bool = False


def read_signature(
    function: Function, lines: Sequence[str], first: int, tell: Tell
) -> Pairs:
    """Give the parameters as they would stand under `params`.

    A parameter whose type cannot be read is there all the same, as a text, so that the
    names agree.

    Args:
        function: The function.
        lines: The parsed text.
        first: The line of the cell on which line 1 of the parsed text stands.
        tell: Takes what is wrong.
    """
    entries: list[Entry] = []
    for argument, default in _arguments(function.args):
        name, line = argument.arg, argument.lineno + first - 1
        path = join_path("params", name)
        keys: dict[str, Any] = {"type": "string"}
        try:
            keys = _parameter(name, argument.annotation, default)
        except _WrongTypeError as wrong:
            spot = argument.annotation or argument
            problem = Problem(
                code="CODE_ENTRY",
                message=wrong.message,
                path=path,
                hint=wrong.hint,
                line=spot.lineno + first - 1,
                column=_column(spot, lines),
            )
            tell(Found(problem, line))
        node = _as_node(keys, line)
        entries.append(Entry(name, line, node, is_optional=default is not None))
    return Pairs(tuple(entries), function.lineno + first - 1)


def _column(node: ast.expr | ast.arg, lines: Sequence[str]) -> int:
    """Give the column in characters; the tree counts bytes."""
    before = lines[node.lineno - 1].encode("utf-8", "replace")[: node.col_offset]
    return len(before.decode("utf-8", "replace")) + 1


def _arguments(args: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield each parameter with its default; `*args` and `**kwargs` are none."""
    plain = [*args.posonlyargs, *args.args]
    absent: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults))
    yield from zip(plain, [*absent, *args.defaults], strict=True)
    yield from zip(args.kwonlyargs, args.kw_defaults, strict=True)


def _parameter(
    name: str, annotation: ast.expr | None, default: ast.expr | None
) -> dict[str, Any]:
    """Give what stands under the name of a parameter."""
    shown = show(name)
    if annotation is None:
        raise _WrongTypeError(f"the parameter {shown} has no type")
    keys, takes_none = _type(annotation, shown)
    is_none = isinstance(default, ast.Constant) and default.value is None
    if takes_none != is_none:
        raise _WrongTypeError(
            f"the parameter {shown} may be None, and None is not its default"
            if takes_none
            else f"the parameter {shown} is None when left out, and must not be None",
            "write str | None = None, or a type and a default without None",
        )
    if default is not None and not is_none:
        keys["default"] = _value(default, shown)
    return keys


# ------------------------------------------------------------------------ types
def _type(node: ast.expr, name: str) -> _Type:
    """Read an annotation.

    Raises:
        _WrongTypeError: It is none that a tool can take.
    """
    match node:
        case ast.Name(id=word) if word in _TYPES:
            return _Type({"type": _TYPES[word]})
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _or_none(left, right, name)
        case ast.Subscript(value=outer, slice=inner):
            return _subscript(_word(outer), inner, name)
    raise _unknown(name, _word(node))


def _subscript(word: str, inner: ast.expr, name: str) -> _Type:
    if word == "list":
        if isinstance(inner, ast.Name) and inner.id in _TYPES:
            return _Type({"type": "array", "items": {"type": _TYPES[inner.id]}})
    elif word == "Literal":
        return _Type(_choice(inner, name))
    elif word == "Annotated":
        return _described(inner, name)
    raise _unknown(name, word)


def _or_none(left: ast.expr, right: ast.expr, name: str) -> _Type:
    others = [each for each in (left, right) if not _is_none(each)]
    if len(others) != 1 or isinstance(others[0], ast.BinOp):
        raise _unknown(name)
    inner = _type(others[0], name)
    if inner.takes_none:
        raise _unknown(name)
    return _Type(inner.keys, takes_none=True)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _choice(inner: ast.expr, name: str) -> dict[str, Any]:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    values = [_value(part, name) for part in parts]
    kinds = {type(value) for value in values}
    if kinds not in ({str}, {int}):
        raise _WrongTypeError(
            f"the choices of {name} are not all texts, or all whole numbers"
        )
    return {"type": "string" if kinds == {str} else "integer", "enum": values}


def _described(inner: ast.expr, name: str) -> _Type:
    match inner:
        case ast.Tuple(elts=[described, ast.Constant(value=str(words))]):
            found = _type(described, name)
            if "description" not in found.keys:
                return _Type({**found.keys, "description": words}, found.takes_none)
    raise _WrongTypeError(
        f"Annotated gives {name} a type and one text", 'Annotated[str, "what it is"]'
    )


def _word(node: ast.expr) -> str:
    """Give the name of `Literal` and of `typing.Literal`."""
    match node:
        case ast.Name(id=word):
            return word
        case ast.Attribute(value=ast.Name(id="typing"), attr=word):
            return word
    return ""


def _unknown(name: str, word: str = "") -> _WrongTypeError:
    message = f"the type of {name} is none that a tool can take"
    return _WrongTypeError(message, _INSTEAD.get(word, _HINT))


# ----------------------------------------------------------------------- values
def _value(node: ast.expr, name: str) -> Any:
    """Give a plain value as it is written.

    Raises:
        _WrongTypeError: It is something else.
    """
    match node:
        case ast.Constant(value=bool() | str() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            if type(value) in (int, float):
                return -value  # type: ignore[operator]  # its type was just looked at
        case ast.List(elts=parts):
            return [_value(part, name) for part in parts]
    raise _WrongTypeError(f"a value of {name} is no plain value", _DEFAULT)


def _as_node(value: Any, line: int) -> Node:
    """Give a JSON value as a part of a tree, all of it on one line."""
    if isinstance(value, dict):
        entries = (
            Entry(key, line, _as_node(each, line)) for key, each in value.items()
        )
        return Pairs(tuple(entries), line)
    if isinstance(value, list):
        return Items(tuple(_as_node(each, line) for each in value), line)
    return Value(value, value if isinstance(value, str) else "", line)
