"""Header values (ST-25)."""

import re
from dataclasses import dataclass
from typing import Any

from sparknb.core.errors import InvalidInputError
from sparknb.core.problems import Problem
from sparknb.core.templates.display import display
from sparknb.core.templates.filling import Filling, fill, fill_value
from sparknb.core.templates.placeholder import (
    Parameters,
    Parts,
    broken,
    check,
    names_of,
    placeholders_of,
    scan,
    whole,
)

__all__ = ["HeaderTemplate", "parse_header"]

_NOT_ALLOWED = re.compile(r"[^\t\x20-\x7e\xa0-\xff]")
_RULE = "a header holds no control characters and none above U+00FF"


@dataclass(frozen=True, slots=True)
class HeaderTemplate:
    """The parsed value of one header."""

    parts: Parts
    names: frozenset[str]

    def render(self, filling: Filling) -> str | None:
        """Give the value without outer blanks, None when the header is left out."""
        only = whole(self.parts)
        if only is None:
            text = fill(self.parts, filling, _spell)
        else:
            value = fill_value(only, filling, _spell)
            if value is None:
                return None
            text = value
        # Blanks around a value are no part of it (RFC 9110, 5.5), and strict
        # clients refuse to write them.
        return text.strip(" \t")


def parse_header(
    text: str, parameters: Parameters | None
) -> tuple[HeaderTemplate | None, list[Problem]]:
    """Read a header's value template; all problems, none when it is fine."""
    parts, problems = scan(text)
    found = placeholders_of(parts)
    forms = frozenset({"csv"})
    problems += check(found, parameters, forms=forms, place="in a header")
    if any(isinstance(p, str) and _NOT_ALLOWED.search(p) for p in parts):
        problems.append(broken(_RULE, strict=True))
    if problems:
        return None, problems
    return HeaderTemplate(parts, names_of(parts)), []


def _spell(value: Any) -> str:
    text = display(value)
    if _NOT_ALLOWED.search(text):
        raise InvalidInputError(_RULE)
    return text
