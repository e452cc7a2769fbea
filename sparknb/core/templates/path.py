"""The path of a URL template: values never climb or drop a level (ST-24)."""

from collections.abc import Iterator
from dataclasses import dataclass

from sparknb.core.problems import Problem
from sparknb.core.templates.filling import Filling, fill
from sparknb.core.templates.marks import MARK, restore
from sparknb.core.templates.percent import encode_literal, spell_in_url
from sparknb.core.templates.placeholder import (
    Parameters,
    Parts,
    Placeholder,
    broken,
    check,
    placeholders_of,
)

__all__ = ["PathTemplate", "parse_path"]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A segment that holds a placeholder."""

    parts: Parts

    def render(self, filling: Filling) -> str:
        text = fill(self.parts, filling, spell_in_url)
        # Some servers take a segment's parameters off before they resolve dots.
        if not text or _is_dots(text.partition(";")[0]):
            kind = "be empty" if not text else "be '.' or '..'"
            for placeholder in placeholders_of(self.parts):
                filling.refuse(placeholder.name, f"a path segment may not {kind}")
        return text


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A parsed path: literal runs with their slashes, and segments to fill."""

    items: tuple[str | _Segment, ...]

    def render(self, filling: Filling) -> str:
        """Give the encoded path; it begins with a slash."""
        return "".join(
            [i if isinstance(i, str) else i.render(filling) for i in self.items]
        )


def parse_path(
    text: str, slots: Iterator[Placeholder], parameters: Parameters | None
) -> tuple[PathTemplate, list[Problem]]:
    """Read a path whose placeholders are marks; it is empty or begins with `/`."""
    problems: list[Problem] = []
    items: list[str | _Segment] = []
    literal = ""
    for index, segment in enumerate((text or "/").split("/")):
        literal += "/" if index else ""
        if MARK in segment:
            parts = restore(segment, slots)
            forms = frozenset({"csv"})
            found = placeholders_of(parts)
            problems += check(found, parameters, forms=forms, place="in a URL's path")
            items += [literal, _Segment(parts)]
            literal = ""
        else:
            literal += encode_literal(segment)
        if _is_dots(segment):
            message = "a path segment of the URL is '.' or '..'"
            problems.append(broken(message, strict=True))
    return PathTemplate((*items, literal)), problems


def _is_dots(segment: str) -> bool:
    return segment.lower().replace("%2e", ".") in {".", ".."}
