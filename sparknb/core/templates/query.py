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
    """A pair that holds a placeholder; `value` is None where no `=` stands."""

    name: Parts
    value: Parts | None

    def render(self, filling: Filling) -> list[str]:
        if self.value is None:
            return [self._name(filling)]
        values = _values(self.value, filling)
        if not values:
            return []
        name = self._name(filling)
        return [f"{name}={value}" for value in values]

    def _name(self, filling: Filling) -> str:
        name = fill(self.name, filling, spell_in_url)
        made_of = placeholders_of(self.name)
        if made_of and is_sensitive_query(unquote(name)):
            filling.denied += [placeholder.name for placeholder in made_of]
        return name


def _values(value: Parts, filling: Filling) -> list[str]:
    """Give the spelled values, one a pair: none when the pair is left out."""
    only = whole(value)
    if only is None:
        return [fill(value, filling, spell_in_url)]
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
    literal_names = []
    for piece in text.split("&"):
        name, equals, value = piece.partition("=")
        if MARK not in name and name:
            literal_names.append(unquote(name))
        if MARK not in piece:
            pairs.append(encode_literal(piece))
            continue
        pair = _Pair(restore(name, slots), restore(value, slots) if equals else None)
        problems += _check(pair, parameters)
        pairs.append(pair)
    return QueryTemplate(tuple(pairs), tuple(literal_names)), problems


def _check(pair: _Pair, parameters: Parameters | None) -> list[Problem]:
    value = pair.value or ()
    forms = _FORMS | {"repeat"} if whole(value) else _FORMS
    found = placeholders_of(pair.name)
    problems = check(found, parameters, forms=_FORMS, place="in a query name")
    found = placeholders_of(value)
    place = "in a query value" if whole(value) else "in a part of a query value"
    return problems + check(found, parameters, forms=forms, place=place)
