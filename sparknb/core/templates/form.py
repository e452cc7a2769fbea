"""Values of a form body (ST-27)."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus

from sparknb.core.problems import Problem
from sparknb.core.templates.display import display
from sparknb.core.templates.filling import Filling, fill, fill_value
from sparknb.core.templates.placeholder import (
    Parameters,
    Parts,
    check,
    names_of,
    placeholders_of,
    scan,
    whole,
)

__all__ = ["FormValueTemplate", "encode_form", "parse_form_value"]


@dataclass(frozen=True, slots=True)
class FormValueTemplate:
    """The parsed value of one form field; its literals are encoded already."""

    parts: Parts
    names: frozenset[str]

    @property
    def has_literal(self) -> bool:
        """Whether any text stands outside placeholders."""
        return any(isinstance(part, str) for part in self.parts)

    def render(self, filling: Filling) -> list[str]:
        """Give the encoded values, one a pair: none when the field is left out."""
        only = whole(self.parts)
        if only is None:
            return [fill(self.parts, filling, _spell)]
        if only.form == "repeat":
            values = filling.value(only.name) or ()
            return [filling.spell(only.name, v, _spell) for v in values]
        value = fill_value(only, filling, _spell)
        return [] if value is None else [value]


def parse_form_value(
    text: str, parameters: Parameters | None
) -> tuple[FormValueTemplate | None, list[Problem]]:
    """Read a field's value template; all problems, none when it is fine."""
    parts, problems = scan(text)
    forms = frozenset({"csv", "repeat"} if whole(parts) else {"csv"})
    place = "in a form field" if whole(parts) else "in a part of a form field"
    problems += check(placeholders_of(parts), parameters, forms=forms, place=place)
    if problems:
        return None, problems
    encoded = tuple(encode_form(p) if isinstance(p, str) else p for p in parts)
    return FormValueTemplate(encoded, names_of(parts)), []


def encode_form(text: str) -> str:
    """Encode for `application/x-www-form-urlencoded`: UTF-8, space as `+`."""
    return quote_plus(text, safe="*")


def _spell(value: Any) -> str:
    return encode_form(display(value))
