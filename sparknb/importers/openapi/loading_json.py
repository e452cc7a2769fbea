"""From a JSON text to its value, with a warning for each repeated key."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sparknb.core.json_text import LONE_SURROGATE, repetitions
from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, show
from sparknb.importers.openapi.loading_limits import MAX_DEPTH, Allowance, broken

__all__ = ["NotJsonError", "read_json"]

_MOST_REPEATED = 50
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_EMPTY = re.compile(r"\[\s*\]|\{\s*\}")
_HALF = re.compile(r"\\u[dD][89abAB]")
_TOO_DEEP = f"the description nests deeper than {MAX_DEPTH} levels"


class NotJsonError(Exception):
    """A text is no JSON: why, and where."""

    def __init__(self, error: json.JSONDecodeError) -> None:
        said = error.msg[:1].lower() + error.msg[1:]
        is_open = error.msg.startswith("Unterminated")
        at_end = is_open or not error.doc[error.pos :].strip(" \t\r\n")
        super().__init__("the JSON ends too early" if at_end else f"not JSON: {said}")
        self.line = error.lineno
        self.column = error.colno
        self.position = error.pos
        self.at_end = at_end


def read_json(text: str, allowance: Allowance) -> tuple[Any, Sequence[Problem]]:
    """Give the value of a text; of a repeated key the last value stands.

    Raises:
        NotJsonError: It is no JSON.
        InvalidInputError: It passes a limit.
    """
    allowance.take_values(_count(text, allowance.values))
    repeated: dict[int, list[str]] = {}
    kept: list[Any] = []  # keeps the ids in `repeated` from being used again

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            kept.append(value)
            repeated[id(value)] = repetitions(key for key, _ in pairs)
        return value

    try:
        value = json.loads(
            text,
            object_pairs_hook=read_object,
            parse_float=_number,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise NotJsonError(error) from None
    except RecursionError:
        broken(_TOO_DEEP)
    except ValueError:
        broken("a number in the JSON has too many digits")
    _check_depth(value)
    if _HALF.search(text):
        value = _whole(value)
    found = _tell_repeated(value, "", repeated) if repeated else iter(())
    return value, list(islice(found, _MOST_REPEATED))


def _count(text: str, most: int) -> int:
    """Give the number of values; where `most` is far off, what is surely not less."""
    count = 1 + sum(map(text.count, ",[{"))
    if count <= most:
        return count
    bare = _STRING.sub('"', text)
    empty = sum(1 for _ in _EMPTY.finditer(bare))
    return 1 + sum(map(bare.count, ",[{")) - empty


def _number(digits: str) -> float | str:
    value = float(digits)
    # JSON has no such number, so whoever reads on gets what was written.
    return value if math.isfinite(value) else digits


def _refuse_constant(name: str) -> None:
    broken(f"the text is not JSON: it has no number {name}")


def _check_depth(value: Any) -> None:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            member
            for node in level
            for member in (node.values() if type(node) is dict else node)
            if type(member) is dict or type(member) is list
        ]
        if not level:
            return
    broken(_TOO_DEEP)


def _tell_repeated(
    value: Any, path: str, repeated: dict[int, list[str]]
) -> Iterator[Problem]:
    for key in repeated.get(id(value), ()):
        yield Problem(
            code="IMPORT_NOTICE",
            message=f"the key '{show(key)}' is repeated; the last one counts",
            path=join_path(path, key),
            level="warning",
        )
    is_map = isinstance(value, dict)
    members: Iterable[tuple[Any, Any]] = value.items() if is_map else enumerate(value)
    for key, member in members:
        if isinstance(member, dict | list):
            here = join_path(path, str(key))
            yield from _tell_repeated(member, here, repeated)


def _whole(value: Any) -> Any:
    """Put a mark in place of halves of characters, which no text can carry."""
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        value[:] = map(_whole, value)
    elif isinstance(value, dict):
        members = [(_whole(key), _whole(member)) for key, member in value.items()]
        value.clear()
        value.update(members)
    return value
