"""Placeholders `{{name}}` and `{{name | form}}`, found alike in every place (ST-21)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparknb.core.definitions import Parameter, ParameterType
from sparknb.core.json_text import LONE_SURROGATE
from sparknb.core.problems import Problem
from sparknb.core.wording import show

__all__ = [
    "FORMS",
    "PLACEHOLDER",
    "Parameters",
    "Parts",
    "Placeholder",
    "broken",
    "check",
    "check_characters",
    "names_of",
    "placeholders_of",
    "scan",
    "whole",
]

Parameters = Mapping[str, Parameter]

# Possessive quantifiers keep a failing match linear.
_GAP = r"[ \t\r\n]*+"
PLACEHOLDER = re.compile(
    rf"\{{\{{{_GAP}([A-Za-z_][A-Za-z0-9_]*+){_GAP}"
    rf"(?:\|{_GAP}([A-Za-z0-9_]++){_GAP})?\}}\}}"
)
_LEFT_OVER = re.compile(r"\{\{|\}\}")
_FORM_TYPES: Mapping[str, ParameterType] = {
    "json": "string",
    "repeat": "array",
    "csv": "array",
    "ssv": "array",
    "pipes": "array",
}
FORMS = frozenset(_FORM_TYPES)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """The place of one parameter's value; `form` is None for the plain form."""

    name: str
    form: str | None = None


Parts = tuple[str | Placeholder, ...]


def broken(message: str, hint: str | None = None, *, strict: bool = False) -> Problem:
    """Give the problem of a template; its path is empty, the caller knows where."""
    code = "INVALID_TEMPLATE"
    return Problem(code=code, message=message, hint=hint, strict=strict)


def scan(text: str) -> tuple[Parts, list[Problem]]:
    """Cut a text into literals and placeholders, in order; no literal is empty."""
    parts: list[str | Placeholder] = []
    problems: list[Problem] = []
    end = 0
    for match in PLACEHOLDER.finditer(text):
        _keep_literal(text, end, match.start(), parts, problems)
        parts.append(Placeholder(match[1], match[2]))
        end = match.end()
    _keep_literal(text, end, len(text), parts, problems)
    problems += check_characters(text)
    return tuple(parts), problems


def check_characters(text: str) -> list[Problem]:
    """Find half characters, which cannot be sent."""
    if LONE_SURROGATE.search(text):
        return [broken("the text holds half a character (a lone surrogate)")]
    return []


def _keep_literal(
    text: str,
    start: int,
    end: int,
    parts: list[str | Placeholder],
    problems: list[Problem],
) -> None:
    if start == end:
        return
    parts.append(text[start:end])
    # One problem a text is enough: the next one may follow from the first.
    left_over = None if problems else _LEFT_OVER.search(text, start, end)
    if left_over:
        where = left_over.start() + 1
        problems.append(
            broken(
                f"'{left_over[0]}' at character {where} belongs to no placeholder",
                "a placeholder is written {{name}} or {{name | form}}",
            )
        )


def check(
    found: Iterable[Placeholder],
    parameters: Parameters | None,
    *,
    forms: frozenset[str],
    place: str,
) -> list[Problem]:
    """Find undeclared names and forms that do not fit.

    Args:
        found: The placeholders of one place.
        parameters: The declared ones; None skips the checks that need them.
        forms: The forms that work in this place.
        place: Words for the place, as in "in a header".
    """
    problems = []
    for placeholder in dict.fromkeys(found):
        problems += _check_form(placeholder, forms, place)
        if parameters is not None:
            problems += _check_name(placeholder, parameters)
    return problems


def _check_form(
    placeholder: Placeholder, forms: frozenset[str], place: str
) -> list[Problem]:
    form = placeholder.form
    if form is None or form in forms:
        return []
    known = ", ".join(sorted(forms)) or "none"
    if form not in _FORM_TYPES:
        return [broken("a placeholder has an unknown form", f"forms {place}: {known}")]
    return [
        broken(f"the form '{form}' does not work {place}", f"forms that do: {known}")
    ]


def _check_name(placeholder: Placeholder, parameters: Parameters) -> list[Problem]:
    name = placeholder.name
    parameter = parameters.get(name)
    if parameter is None:
        return [
            broken(
                f"'{show(name)}' is not declared",
                "declare it under inputSchema.properties, or correct the name",
            )
        ]
    wanted = _FORM_TYPES.get(placeholder.form or "")
    if wanted is None or parameter.type == wanted:
        return []
    return [
        broken(
            f"the form '{placeholder.form}' needs type {wanted}; "
            f"'{show(name)}' has type {parameter.type}"
        )
    ]


def placeholders_of(parts: Iterable[str | Placeholder]) -> list[Placeholder]:
    """Give the placeholders among the parts, in order."""
    return [part for part in parts if isinstance(part, Placeholder)]


def names_of(parts: Iterable[str | Placeholder]) -> frozenset[str]:
    """Give the names of the parameters that the parts use."""
    return frozenset(part.name for part in placeholders_of(parts))


def whole(parts: Parts) -> Placeholder | None:
    """Give the placeholder that is all there is, if so."""
    only = parts[0] if len(parts) == 1 else None
    return only if isinstance(only, Placeholder) else None
