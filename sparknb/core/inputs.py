"""The check of a call's input against the tool's schema (ST-7), and defaults (ST-8)."""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from sparknb.core.definitions import InputSchema, Parameter
from sparknb.core.input_schema import misfits
from sparknb.core.json_text import LONE_SURROGATE, MAX_BYTES
from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, kind_of, show, show_key

__all__ = ["MOST_PROBLEMS", "apply_defaults", "check_input"]

MOST_PROBLEMS = 100
"""Of one input; one that is said to have more has a last one that says so."""

_ROOT = "input"
_DATA = "data:"


def check_input(
    schema: InputSchema, arguments: Any, *, unweighed: Collection[str] = ()
) -> list[Problem]:
    """Find everything that is wrong with the input of a call.

    Args:
        schema: What the tool declares.
        arguments: The input as given, before defaults; any Python value.
        unweighed: Names of arrays whose `data:` URLs do not count as part of the
            whole: the tool has a limit of its own for each of them (ST-45).

    Returns:
        Problems `INVALID_INPUT`, at `input`, `input.NAME` or `input.NAME.N`: those of
        declared parameters in their order, then unknown names. Values are in none.
        At most the first `MOST_PROBLEMS`, and one that says that there are more.
    """
    if not isinstance(arguments, dict):
        return [_refusal(_ROOT, f"must be an object, not {kind_of(arguments)}")]
    found = chain(
        *(_check_argument(each, arguments) for each in schema.parameters.values()),
        _unknown_names(schema, arguments),
        _check_whole(arguments, unweighed),
    )
    problems = list(islice(found, MOST_PROBLEMS))
    if next(found, None) is not None:
        rule = f"has more problems; these are the first {MOST_PROBLEMS}"
        problems.append(_refusal(_ROOT, rule))
    return problems


def apply_defaults(schema: InputSchema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give a copy of a checked input with the defaults of absent parameters."""
    filled = dict(arguments)
    for name, parameter in schema.parameters.items():
        if parameter.has_default and name not in filled:
            default = parameter.default
            # The caller may change its copy; the definition must not change with it.
            filled[name] = list(default) if isinstance(default, list) else default
    return filled


def _check_argument(
    parameter: Parameter, arguments: Mapping[Any, Any]
) -> Iterator[Problem]:
    name = parameter.name
    path = f"{_ROOT}.{name}"
    value = arguments.get(name)
    if value is None:
        if parameter.required:
            yield _refusal(path, "is required", "give it a value")
        elif name in arguments:
            yield _refusal(path, "must not be null", "leave it out")
        return
    if parameter.required and isinstance(value, str) and not value.strip():
        yield _refusal(path, "is required and must not be blank", "give it a value")
        return
    for suffix, rule in misfits(parameter, value):
        yield _refusal(path + suffix, rule)


def _unknown_names(
    schema: InputSchema, arguments: Mapping[Any, Any]
) -> Iterator[Problem]:
    known = ", ".join(schema.parameters) or "none"
    for name in arguments:
        if name not in schema.parameters:
            message = f"'{show(show_key(name))}' is not a parameter of this tool"
            yield Problem(
                code="INVALID_INPUT",
                message=message,
                path=join_path(_ROOT, name),
                hint=f"its parameters: {known}",
            )


def _check_whole(
    arguments: Mapping[Any, Any], unweighed: Collection[str]
) -> Iterator[Problem]:
    weighed = {**arguments}
    for name in unweighed:
        if isinstance(given := weighed.get(name), list):
            weighed[name] = [_unless_data(element) for element in given]
    try:
        text = json.dumps(weighed, ensure_ascii=False, separators=(",", ":"))
        size = len(text.encode())
    except UnicodeEncodeError:
        yield from _half_characters(arguments)
    except (TypeError, ValueError, RecursionError):
        # Not JSON at all: then some argument has a wrong type and is named already.
        return
    else:
        if size > MAX_BYTES:
            yield _refusal(_ROOT, f"must not be larger than {MAX_BYTES:,} bytes")


def _unless_data(element: Any) -> Any:
    """Give an element as it is, of a data URL that has no odd characters its scheme."""
    if not isinstance(element, str) or element[: len(_DATA)].lower() != _DATA:
        return element
    return _DATA if element.isascii() else element


def _half_characters(arguments: Mapping[Any, Any]) -> Iterator[Problem]:
    for name, value in arguments.items():
        path = join_path(_ROOT, name)
        elements = enumerate(value) if isinstance(value, list) else ()
        for place, text in [(path, value), *((f"{path}.{n}", e) for n, e in elements)]:
            if isinstance(text, str) and LONE_SURROGATE.search(text):
                yield _refusal(place, "holds half a character (a lone surrogate)")


def _refusal(path: str, rule: str, hint: str | None = None) -> Problem:
    message = f"{path} {rule}"
    return Problem(code="INVALID_INPUT", message=message, path=path, hint=hint)
