"""The query of a URL template: which pairs are sent (ST-24, ST-28)."""

from collections.abc import Iterator
from dataclasses import dataclass

from sparknb.core.problems import Problem
from sparknb.core.sensitive_names import is_sensitive_query
from sparknb.core.templates.filling import Filling, fill, fill_value
from sparknb.core.templates.marks import MARK, restore
from sparknb.core.templates.percent import encode_literal, spell_in_url, unquote
from sparknb.core.templates.placeholder import (
    Parameters,
    Parts,
    Placeholder,
    check,
    placeholders_of,
    whole,
)

__all__ = ["QueryTemplate", "parse_query"]

_FORMS = frozenset({"csv", "ssv", "pipes"})


@dataclass(frozen=True, slots=True)
class _Pair:
    """A pair that holds a placeholder.

    Attributes:
        name: As it is sent, or parts to fill.
        value: None where no `=` stands.
        whole: The placeholder that is all of the value, if so.
    """

    name: str | Parts
    value: Parts | None
    whole: Placeholder | None

    def render(self, filling: Filling) -> list[str]:
        if self.value is None:
            return [self._name(filling)]
        if self.whole is None:
            values = [fill(self.value, filling, spell_in_url)]
        else:
            values = _values(self.whole, filling)
        if not values:
            return []
        name = self._name(filling)
        return [f"{name}={value}" for value in values]

    def _name(self, filling: Filling) -> str:
        if isinstance(self.name, str):
            return self.name
        name = fill(self.name, filling, spell_in_url)
        if is_sensitive_query(unquote(name)):
            filling.denied += [p.name for p in placeholders_of(self.name)]
        return name


def _values(only: Placeholder, filling: Filling) -> list[str]:
    """Give the spelled values, one a pair: none when the pair is left out."""
    if only.form == "repeat":
        elements = filling.value(only.name) or ()
        return [filling.spell(only.name, e, spell_in_url) for e in elements]
    text = fill_value(only, filling, spell_in_url)
    return [] if text is None else [text]


@dataclass(frozen=True, slots=True)
class QueryTemplate:
    """A parsed query: literal pairs, and pairs to fill."""

    pairs: tuple[str | _Pair, ...]
    names: tuple[str, ...]

    def render(self, filling: Filling) -> str:
        """Give the query with its `?`, empty when no pair is left."""
        sent: list[str] = []
        for pair in self.pairs:
            if isinstance(pair, str):
                sent.append(pair)
            else:
                sent += pair.render(filling)
        return "?" + "&".join(sent) if sent else ""


def parse_query(
    text: str, slots: Iterator[Placeholder], parameters: Parameters | None
) -> tuple[QueryTemplate, list[Problem]]:
    """Read a query without its `?`, whose placeholders are marks."""
    problems: list[Problem] = []
    pairs: list[str | _Pair] = []
    names = []
    for piece in text.split("&"):
        name = piece.partition("=")[0]
        if name and MARK not in name:
            names.append(unquote(name))
        if MARK in piece:
            pair, found = _parse_pair(piece, slots, parameters)
            pairs.append(pair)
            problems += found
        else:
            pairs.append(encode_literal(piece))
    return QueryTemplate(tuple(pairs), tuple(names)), problems


def _parse_pair(
    piece: str, slots: Iterator[Placeholder], parameters: Parameters | None
) -> tuple[_Pair, list[Problem]]:
    name_text, equals, value_text = piece.partition("=")
    name = restore(name_text, slots)
    value = restore(value_text, slots)
    only = whole(value)
    place = "in a query name"
    problems = check(placeholders_of(name), parameters, forms=_FORMS, place=place)
    forms = _FORMS | {"repeat"} if only else _FORMS
    place = "in a query value" if only else "in a part of a query value"
    problems += check(placeholders_of(value), parameters, forms=forms, place=place)
    return _Pair(
        name=name if MARK in name_text else encode_literal(name_text),
        value=value if equals else None,
        whole=only,
    ), problems
