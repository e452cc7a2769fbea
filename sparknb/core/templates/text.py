"""Bodies of plain text (ST-27)."""

from dataclasses import dataclass

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

__all__ = ["TextTemplate", "parse_text"]


@dataclass(frozen=True, slots=True)
class TextTemplate:
    """A parsed text body."""

    parts: Parts
    names: frozenset[str]

    def render(self, filling: Filling) -> str | None:
        """Give the text, None when it is one absent value: then there is no body."""
        only = whole(self.parts)
        if only is not None:
            return fill_value(only, filling, display)
        return fill(self.parts, filling, display)


def parse_text(
    text: str, parameters: Parameters | None
) -> tuple[TextTemplate | None, list[Problem]]:
    """Read a text template; all problems, none when it is fine."""
    parts, problems = scan(text)
    found = placeholders_of(parts)
    forms = frozenset({"csv"})
    problems += check(found, parameters, forms=forms, place="in a text body")
    if problems:
        return None, problems
    return TextTemplate(parts, names_of(parts)), []
