"""Which parts of a request become parameters, and what each is called (ST-97)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sparknb.core.definitions import ParameterType
from sparknb.core.errors import InvalidInputError
from sparknb.core.json_text import LONE_SURROGATE
from sparknb.core.templates.display import display
from sparknb.importers.curl.texts import parameter_name

__all__ = ["Candidate", "Typed", "allot", "json_number", "schema_of", "typed"]

_MOST = 32
_LONGEST_DEFAULT = 2000
_HIGHEST = 2**53 - 1  # above it not every reader of JSON keeps the digits
_LONGEST_NUMBER = 40
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Typed:
    """A value and the type that prints it back as it was written."""

    type: ParameterType
    value: Any


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A value of the request that may become a parameter.

    Attributes:
        wire_name: Its name in the request.
        typed: What was pasted; None for a secret, which is not kept.
        number: The word that it stands in.
        name: The parameter's name; None while it stays literal.
    """

    wire_name: str
    typed: Typed | None
    number: int
    name: str | None = None

    @property
    def placeholder(self) -> str | None:
        """How a template asks for it, None while it stays literal."""
        return None if self.name is None else f"{{{{{self.name}}}}}"


def typed(text: str) -> Typed | None:
    """Give the most precise type that prints this text again; None: no default."""
    if len(text) > _LONGEST_DEFAULT or "\0" in text or LONE_SURROGATE.search(text):
        return None
    if text in {"true", "false"}:
        return Typed("boolean", text == "true")
    return json_number(text) or Typed("string", text)


def json_number(text: str) -> Typed | None:
    """Give a number that prints as it is written, None if it would be changed."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    is_integer = _INTEGER.fullmatch(text) is not None
    value = int(text) if is_integer else float(text)
    try:
        is_same = abs(value) <= _HIGHEST and display(value) == text
    except InvalidInputError:
        return None
    return Typed("integer" if is_integer else "number", value) if is_same else None


def allot(candidates: Sequence[Candidate], taken: Iterable[str]) -> list[Candidate]:
    """Name the candidates, secrets first; give those that had to stay literal.

    Args:
        candidates: In the order of the request.
        taken: Names of the placeholders that the command itself has.
    """
    names = set(taken)
    secret = [c for c in candidates if c.typed is None]
    left = []
    for candidate in (*secret, *(c for c in candidates if c.typed is not None)):
        if len(names) >= _MOST:
            left.append(candidate)
            continue
        candidate.name = _free(parameter_name(candidate.wire_name), names)
        names.add(candidate.name)
    return left


def _free(wish: str, taken: set[str]) -> str:
    name, number = wish, 1
    while name in taken:
        number += 1
        suffix = f"_{number}"
        name = wish[: 64 - len(suffix)] + suffix
    return name


def schema_of(used: Iterable[str], candidates: Iterable[Candidate]) -> dict[str, Any]:
    """Give the input schema.

    Args:
        used: Names of all placeholders, in the order of the request.
        candidates: Those that became parameters; every other name is a required
            string.
    """
    made = {c.name: c for c in candidates}
    properties: dict[str, Any] = {}
    required = []
    for name in dict.fromkeys(used):
        candidate = made.get(name)
        properties[name] = _parameter(candidate)
        if candidate is None or candidate.typed is None:
            required.append(name)
    schema = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {})


def _parameter(candidate: Candidate | None) -> dict[str, Any]:
    if candidate is None:
        return {"type": "string"}
    found = candidate.typed
    member: dict[str, Any] = {"type": "string" if found is None else found.type}
    if candidate.name != candidate.wire_name and candidate.wire_name:
        member["description"] = f"Sent as {candidate.wire_name}."[:1000]
    return member if found is None else member | {"default": found.value}
