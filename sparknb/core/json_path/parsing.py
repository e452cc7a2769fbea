"""Read a JSONPath and turn it into functions."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from sparknb.core.errors import ExecutionFailedError
from sparknb.core.json_path import evaluation as ev
from sparknb.core.json_path.patterns import matching
from sparknb.core.problems import Problem
from sparknb.core.secret_scan import mask_secrets

if TYPE_CHECKING:
    from jsonpath import JSONPathEnvironment
    from jsonpath.token import Token

__all__ = ["JsonPath", "parse_json_path"]


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path that can be evaluated.

    Attributes:
        text: The path as written.
        is_plain: Whether it only steps down by single names, indexes, slices and
            wildcards, so that it takes no longer than reading the value did.
    """

    text: str
    is_plain: bool
    _query: ev.Query = field(repr=False)

    def find(
        self, value: Any, *, limit: int = ev.NODE_LIMIT, stop: ev.Stop = ev.never
    ) -> list[Any]:
        """Give the selected nodes; none is an empty list.

        Args:
            value: A JSON value.
            limit: How many nodes may be selected.
            stop: Asked now and then; True ends the evaluation.

        Raises:
            ExecutionFailedError: More nodes than `limit`, stopped, or nested so
                deeply that it cannot be evaluated.
        """
        walk = ev.Walk(value, stop)
        try:
            nodes = list(islice(ev.select_nodes(self._query, value, walk), limit + 1))
        except RecursionError:
            raise ExecutionFailedError(
                f"the JSONPath {self.text!r} is nested too deeply"
            ) from None
        if len(nodes) > limit:
            raise ExecutionFailedError(
                f"a JSONPath selects more than {limit} nodes: {self.text!r}",
                hint="select less",
            )
        return nodes


@lru_cache(maxsize=256)
def parse_json_path(text: str) -> tuple[JsonPath | None, Problem | None]:
    """Read a path in strict RFC 9535; `[07]` is read as `[7]` (ST-29).

    Returns:
        The path and None, or None and a problem `INVALID_JSONPATH` that says what
        is wrong at which character.
    """
    from jsonpath import JSONPathError

    try:
        parsed = _environment().compile(_without_leading_zeros(text))
        segments: Any = getattr(parsed, "segments", ())
        return JsonPath(text, _is_plain(segments), _query(segments)), None
    except RecursionError:  # before the next one: the library's own is both
        message = "it is nested too deeply"
    except JSONPathError as error:
        token = error.token
        message = _sentence(error, text, None if token is None else token.index)
    except _NotComparableError:
        message = "a filter compares or tests something that has no value of its own"
    except (ValueError, OverflowError):
        message = "it holds a number that is none or is too large"
    return None, _problem(message)


class _NotComparableError(Exception):
    """The library let an expression pass that the RFC does not know."""


def _problem(message: str) -> Problem:
    return Problem(
        code="INVALID_JSONPATH",
        # The library quotes words of the path, which may hold anything.
        message=f"the JSONPath cannot be read: {mask_secrets(message)}",
        hint="write a path after RFC 9535, such as $.items[*].name or $['a b'][0]",
    )


def _sentence(error: Any, text: str, position: int | None) -> str:
    message = str(error.message or "it breaks a rule")
    # The library's token for the end stands at -1.
    place = len(text) if position == -1 else position
    return message if place is None else f"{message} at character {place + 1}"


_COMPARISONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
_ZEROS = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[(?P<zeros>0+)(?P<digits>[0-9]+)\]"""
)


def _without_leading_zeros(text: str) -> str:
    """Blank the zeros of `[07]`, which the RFC refuses; positions stay the same."""

    def blank(found: re.Match[str]) -> str:
        if found["zeros"] is None:
            return found[0]
        return f"[{' ' * len(found['zeros'])}{found['digits']}]"

    return _ZEROS.sub(blank, text)


@cache
def _environment() -> "JSONPathEnvironment":
    from jsonpath import JSONPathEnvironment, JSONPathSyntaxError
    from jsonpath.lex import Lexer
    from jsonpath.token import TOKEN_COLON, TOKEN_COMMA, TOKEN_WHITESPACE, Token

    class StrictLexer(Lexer):
        """Mends where the library's strict mode leaves the RFC.

        Names take any character of Unicode, not only of its first plane; `<>`,
        numbers with a leading zero and parentheses around what is compared are
        refused; a slice may follow an index.
        """

        key_pattern = r"[\u0080-\U0010FFFFa-zA-Z_][\u0080-\U0010FFFFa-zA-Z0-9_]*"

        def tokenize(self, path: str) -> Iterator[Token]:
            tokens = list(super().tokenize(path))
            for token in _misplaced(tokens):
                raise JSONPathSyntaxError(f"unexpected {token.value!r}", token=token)
            before = ""
            for token in tokens:
                # Without a gap the library takes the 2 of `[2,:]` for its start.
                if token.kind == TOKEN_COLON and before == TOKEN_COMMA:
                    yield Token(TOKEN_WHITESPACE, " ", token.index, path)
                before = token.kind
                yield token

    class StrictEnvironment(JSONPathEnvironment):
        lexer_class = StrictLexer

    return StrictEnvironment(strict=True)


_ZERO = re.compile("-?0[0-9]")


def _misplaced(tokens: Iterable["Token"]) -> Iterator["Token"]:
    """Yield tokens that the library takes, but that the RFC has not at their place."""
    from jsonpath import token as kinds

    comparisons = {getattr(kinds, f"TOKEN_{name}") for name in _COMPARISONS}
    numbers = {kinds.TOKEN_INT, kinds.TOKEN_FLOAT}
    are_calls: list[bool] = []  # of the open parentheses
    before, is_behind_group = "", False
    for token in tokens:
        kind = token.kind
        if kind == kinds.TOKEN_WHITESPACE:
            continue
        if kind == kinds.TOKEN_LG or (kind in numbers and _ZERO.match(token.value)):
            yield token
        if (kind == kinds.TOKEN_LPAREN and before in comparisons) or (
            kind in comparisons and is_behind_group
        ):
            yield token
        if kind == kinds.TOKEN_LPAREN:
            are_calls.append(before == kinds.TOKEN_FUNCTION)
        is_behind_group = (
            kind == kinds.TOKEN_RPAREN and bool(are_calls) and not are_calls.pop()
        )
        before = kind


def _is_plain(segments: Iterable[Any]) -> bool:
    from jsonpath.segments import JSONPathChildSegment
    from jsonpath.selectors import Filter

    return all(
        isinstance(segment, JSONPathChildSegment)
        and len(segment.selectors) == 1
        and not isinstance(segment.selectors[0], Filter)
        for segment in segments
    )


# --------------------------------------------- from the library's tree to functions
def _query(segments: Iterable[Any]) -> ev.Query:
    from jsonpath.segments import JSONPathRecursiveDescentSegment

    return tuple(
        (
            isinstance(segment, JSONPathRecursiveDescentSegment),
            tuple(_select(selector) for selector in segment.selectors),
        )
        for segment in segments
    )


def _select(selector: Any) -> ev.Select:
    from jsonpath import selectors as kinds

    if isinstance(selector, kinds.NameSelector):
        return ev.name(selector.name)
    if isinstance(selector, kinds.IndexSelector):
        return ev.index(selector.index)
    if isinstance(selector, kinds.SliceSelector):
        return ev.sliced(selector.slice)
    if isinstance(selector, kinds.Filter):
        return ev.filtered(_test(selector.expression.expression))
    return ev.wildcard


def _test(expression: Any) -> ev.Test:
    """Give the test that a logical expression stands for."""
    from jsonpath import filter as kinds

    if isinstance(expression, kinds.PrefixExpression):
        inner = _test(expression.right)
        return lambda node, walk: not inner(node, walk)
    if isinstance(expression, kinds.InfixExpression):
        return _infix(expression)
    if isinstance(expression, kinds.FunctionExtension):
        if expression.name not in {"match", "search"}:
            raise _NotComparableError
        text, pattern = map(_value, expression.args)
        return matching(text, pattern, whole=expression.name == "match")
    query, from_root = _inner_query(expression)

    def exists(node: Any, walk: ev.Walk) -> bool:
        start = walk.root if from_root else node
        nothing = ev.NOTHING
        return next(ev.select_nodes(query, start, walk), nothing) is not nothing

    return exists


def _infix(expression: Any) -> ev.Test:
    if expression.operator not in {"&&", "||"}:
        left, right = _value(expression.left), _value(expression.right)
        return ev.comparison(left, expression.operator, right)
    one, other = _test(expression.left), _test(expression.right)
    if expression.operator == "&&":
        return lambda node, walk: one(node, walk) and other(node, walk)
    return lambda node, walk: one(node, walk) or other(node, walk)


def _value(expression: Any) -> ev.Value:
    """Give the function that finds the value of a comparable or an argument."""
    from jsonpath import filter as kinds

    if isinstance(expression, kinds.FilterExpressionLiteral):
        constant = expression.value
        return lambda _node, _walk: constant
    if isinstance(expression, kinds.Nil):
        return lambda _node, _walk: None
    if isinstance(expression, kinds.FunctionExtension):
        (argument,) = expression.args
        if expression.name == "length":
            return ev.length_of(_value(argument))
        query, from_root = _inner_query(argument)
        if expression.name == "count":
            return ev.count_of(query, from_root=from_root)
        return ev.only_value(query, from_root=from_root)
    query, from_root = _inner_query(expression)
    return ev.only_value(query, from_root=from_root)


def _inner_query(expression: Any) -> tuple[ev.Query, bool]:
    from jsonpath.filter import FilterQuery, RootFilterQuery

    if not isinstance(expression, FilterQuery):
        raise _NotComparableError
    return _query(expression.path.segments), isinstance(expression, RootFilterQuery)
