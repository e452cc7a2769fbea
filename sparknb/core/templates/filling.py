"""The values of one call on their way into templates."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sparknb.core.errors import InvalidInputError
from sparknb.core.problems import Problem
from sparknb.core.templates.display import display
from sparknb.core.templates.placeholder import Parameters, Parts, Placeholder

__all__ = ["Filling", "Spell", "fill", "fill_value"]

Spell = Callable[[Any], str]
"""Writes a value so that it is safe in its place, or raises InvalidInputError."""

_JOINERS = {"csv": ",", "ssv": "%20", "pipes": "%7C"}
_FAILED = "x"  # stands for a refused value, so that no later check fails too


class Filling:
    """The values of one call, and all that is wrong with them.

    Attributes:
        problems: What refuses the call, each at `input.NAME`.
        denied: Names of the parameters that made a query name sensitive (ST-19).
    """

    __slots__ = ("_arguments", "_parameters", "denied", "problems")

    def __init__(self, arguments: Mapping[str, Any], parameters: Parameters) -> None:
        self._arguments = arguments
        self._parameters = parameters
        self.problems: list[Problem] = []
        self.denied: list[str] = []

    def value(self, name: str) -> Any:
        """Give the argument, else the default, else None: absent (ST-9)."""
        value = self._arguments.get(name)
        if value is not None:
            return value
        parameter = self._parameters[name]
        if parameter.has_default:
            return parameter.default
        if parameter.required:
            self.refuse(name, "a required value is missing")
        return None

    def refuse(self, name: str, message: str, hint: str | None = None) -> None:
        """Note what is wrong with a value, once."""
        path = f"input.{name}"
        problem = Problem(code="INVALID_INPUT", message=message, path=path, hint=hint)
        if problem not in self.problems:
            self.problems.append(problem)

    def refuse_longest(self, names: Iterable[str], message: str) -> None:
        """Refuse the one of these values that takes the most room."""
        longest = max(sorted(names), key=self._room, default=None)
        if longest is not None:
            self.refuse(longest, message)
        else:
            problem = Problem(code="INVALID_INPUT", message=message, path="input")
            self.problems.append(problem)

    def _room(self, name: str) -> int:
        value = self.value(name)
        return 0 if value is None else len(self.spell(name, value, display))

    def miss(self, name: str) -> str:
        """Refuse an absent value where it cannot be left out (ST-28)."""
        if self.value(name) is not None:
            self.refuse(name, "the array is empty, and the value is needed here")
        elif not self._parameters[name].required:
            hint = "give a value; only a whole value can be left out of a request"
            self.refuse(name, "the value is needed here and is absent", hint)
        return _FAILED

    def spell(self, name: str, value: Any, spell: Spell) -> str:
        """Give the value as `spell` writes it; notes a refusal."""
        try:
            return spell(value)
        except InvalidInputError as error:
            self.refuse(name, error.message, error.hint)
            return _FAILED


def fill_value(placeholder: Placeholder, filling: Filling, spell: Spell) -> str | None:
    """Give the spelled value of one placeholder, None when it is absent."""
    name = placeholder.name
    value = filling.value(name)
    if value is None:
        return None
    joiner = _JOINERS.get(placeholder.form or "")
    if joiner is None:
        return filling.spell(name, value, spell)
    if not value:
        return None
    return joiner.join([filling.spell(name, element, spell) for element in value])


def fill(parts: Parts, filling: Filling, spell: Spell) -> str:
    """Give the text of the parts; an absent value is refused."""
    pieces = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        text = fill_value(part, filling, spell)
        pieces.append(filling.miss(part.name) if text is None else text)
    return "".join(pieces)
