"""The function that a Python tool is called by: one plain `run` (ST-39)."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from sparknb.core.definitions import InputSchema, Parameter, ParameterType
from sparknb.core.wording import show

__all__ = ["Finding", "entry_findings"]

_ENTRY = "run"
_FITTING: dict[ParameterType, frozenset[str]] = {
    "string": frozenset({"str"}),
    "number": frozenset({"float", "int"}),
    "integer": frozenset({"int"}),
    "boolean": frozenset({"bool"}),
    "array": frozenset({"list"}),
}
_ANYTHING = frozenset({"Any", "object"})
_CONSTANTS = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred,
    ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.JoinedStr, ast.FormattedValue,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Finding(NamedTuple):
    """What is wrong with a part of the source."""

    code: str
    message: str
    node: ast.AST
    hint: str | None = None


def entry_findings(tree: ast.Module, schema: InputSchema) -> Iterator[Finding]:
    """Yield what keeps the source from being called as a tool."""
    for position, statement in enumerate(tree.body):
        yield from _statement_findings(statement, is_first=position == 0)
    entries = [node for node in _bindings(tree.body) if node[0] == _ENTRY]
    functions = [node for _, node in entries if isinstance(node, _Function)]
    if not functions:
        yield _entry(
            "there is no function run at the top level",
            tree.body[0] if tree.body else tree,
            "write def run(...) with the tool's parameters",
        )
        return
    others = [node for _, node in entries if node is not functions[0]]
    for node in others:
        yield _entry("run is defined more than once", node, "keep one of them")
    if not others:  # else nobody knows which one has the parameters that count
        yield from _function_findings(functions[0], schema)


def _entry(message: str, node: ast.AST, hint: str | None = None) -> Finding:
    return Finding("CODE_ENTRY", message, node, hint)


# ------------------------------------------------------------- the top level
def _statement_findings(statement: ast.stmt, *, is_first: bool) -> Iterator[Finding]:
    hint = "move it into a function"
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.ClassDef() | ast.Pass():
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return
        case ast.Expr(value=ast.Constant(value=str())) if is_first:
            return
        case ast.Assign(targets=targets, value=value):
            names, constant = targets, value
        case ast.AnnAssign(target=target, value=given):
            names, constant = [target], given or ast.Constant(None)
        case _:
            message = "the top level holds only imports, functions, classes, constants"
            yield _entry(message, statement, hint)
            return
    if not all(_is_name(name) for name in names):
        yield _entry("at the top level only names are assigned", statement, hint)
    elif odd := _not_constant(constant):
        message = "what is assigned at the top level must be a constant"
        yield _entry(message, odd, "compute it in a function")


def _is_name(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_name(each) for each in target.elts)
    return isinstance(target, ast.Name)


def _not_constant(value: ast.expr) -> ast.AST | None:
    """Give the first part that does something, such as a call; None without one."""
    for node in ast.walk(value):
        if not isinstance(node, _CONSTANTS):
            return node if hasattr(node, "lineno") else value
    return None


def _bindings(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Yield each name that the top level gives a meaning, with its statement."""
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield statement.name, statement
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    yield alias.asname or alias.name, statement
            case ast.Assign() | ast.AnnAssign():
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        yield node.id, statement
            case _:
                pass


# ------------------------------------------------------------------- the run
def _function_findings(function: _Function, schema: InputSchema) -> Iterator[Finding]:
    if function.decorator_list:
        yield _entry("run must not be decorated", function.decorator_list[0])
    given = function.args
    for star in (given.vararg, given.kwarg):
        if star is not None:
            message = "run must name its parameters: no *args, no **kwargs"
            yield _entry(message, star)
    if given.posonlyargs:
        message = "run is called by keywords: no parameters before a /"
        yield _entry(message, given.posonlyargs[0])
    optional = _optional_names(given)
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    for argument in named:
        if argument is named[0] and _is_of_a_method(argument, schema):
            message = f"run is no method: it is called without {argument.arg}"
            yield _entry(message, argument, f"remove {argument.arg} from run")
            continue
        yield from _parameter_findings(
            argument, schema.parameters.get(argument.arg), argument.arg in optional
        )
    missing = [n for n in schema.parameters if n not in {a.arg for a in named}]
    if missing and given.kwarg is None:
        shown = ", ".join(show(name) for name in missing)
        message = f"run does not take what the input schema declares: {shown}"
        yield _entry(message, function, "give both the same parameters")


def _is_of_a_method(first: ast.arg, schema: InputSchema) -> bool:
    return first.arg in {"self", "cls"} and first.arg not in schema.parameters


def _optional_names(given: ast.arguments) -> set[str]:
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(given.defaults)
    names = {argument.arg for argument in positional[first:]}
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return names | {argument.arg for argument, default in pairs if default is not None}


def _parameter_findings(
    argument: ast.arg,
    parameter: Parameter | None,
    is_optional: bool,  # noqa: FBT001  # one caller, which says it in its own words
) -> Iterator[Finding]:
    name = show(argument.arg)
    if parameter is None:
        message = f"the input schema does not declare {name}"
        yield _entry(message, argument, "declare it, or remove it from run")
        return
    if not is_optional and not parameter.required:
        message = f"{name} has no default and is not required"
        yield _entry(message, argument, "require it, or give it a default in run")
    if argument.annotation is not None and not _fits(argument.annotation, parameter):
        shown = " or ".join(sorted(_FITTING[parameter.type]))
        message = f"{name} is declared as {parameter.type}, which is {shown} in Python"
        yield _entry(message, argument.annotation, "change one of them")


# ----------------------------------------------------------- the annotations
def _fits(annotation: ast.expr, parameter: Parameter) -> bool:
    """Tell whether an annotation takes every value of the declared type."""
    known = [each for each in _members(annotation) if not _is_none(each)]
    return any(_takes(each, parameter) for each in known)


def _members(annotation: ast.expr) -> Iterator[ast.expr]:
    """Yield the members of a union; of anything else the thing itself."""
    match annotation:
        case ast.Constant(value=str(text)):
            try:
                yield from _members(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError, MemoryError):
                yield annotation
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _members(left)
            yield from _members(right)
        case ast.Subscript(value=head, slice=inner) if _name(head) in _UNIONS:
            for each in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
                yield from _members(each)
        case ast.Subscript(value=head, slice=ast.Tuple(elts=[first, *_])) if (
            _name(head) == "Annotated"
        ):
            yield from _members(first)
        case _:
            yield annotation


_UNIONS = frozenset({"Union", "Optional"})


def _takes(annotation: ast.expr, parameter: Parameter) -> bool:
    match annotation:
        case ast.Subscript(value=head, slice=inner):
            name = _name(head)
            if name == "Literal":
                return _lists(inner, parameter)
            if parameter.type != "array" or name not in {"list", "List"}:
                return False
            return parameter.item_type is None or _element_fits(inner, parameter)
        case _:
            name = _name(annotation)
            listed = {"List"} if parameter.type == "array" else frozenset[str]()
            return name in _FITTING[parameter.type] | _ANYTHING | listed


def _element_fits(annotation: ast.expr, parameter: Parameter) -> bool:
    wanted = parameter.item_type
    if wanted is None:
        return True
    element = Parameter(name=parameter.name, type=wanted, required=True)
    return _fits(annotation, element)


def _lists(inner: ast.expr, parameter: Parameter) -> bool:
    """Tell whether a `Literal` has every value that the schema allows."""
    if parameter.enum is None:
        return False
    elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    values = [_constant(each) for each in elements]
    return all(value in values for value in parameter.enum)


def _constant(node: ast.expr) -> object:
    """Give a value as it is written; a negative number is a sign with a number."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
        case _:
            return node


def _is_none(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Constant) and annotation.value is None


def _name(node: ast.expr) -> str:
    """Give the last part of a dotted name, empty for anything else."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
