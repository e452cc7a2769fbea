"""What `--var` takes from the notebook, and how it is shown again."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from sparknb.core.errors import InvalidInputError, NotFoundError

__all__ = ["Variables"]

_PLACE = re.compile(r"\S*://\S+|[\w.-]+:\d{1,5}|\[[0-9a-fA-F:.]+\](:\d{1,5})?")
"""Texts that differ from machine to machine: an origin, a host with a port."""


class Variables:
    """Values that were passed by name; places among them are shown as `${name}`."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace
        self._places: dict[str, str] = {}

    def text(self, name: str, more: Mapping[str, Any] | None = None) -> str:
        """Give the text of a variable.

        Args:
            name: The variable.
            more: The local variables of the function around, where there is one.

        Raises:
            NotFoundError: There is no such variable.
            InvalidInputError: It holds something that is no plain value.
        """
        found = more or {}
        if name not in found and name not in self._namespace:
            raise NotFoundError(
                f"there is no variable {name}", path="--var", hint="define it first"
            )
        value = found[name] if name in found else self._namespace[name]
        text = _as_text(name, value)
        if _PLACE.fullmatch(text):
            self._places[text] = name
        return text

    def shown(self, text: str) -> str:
        """Give a text for display: places that were passed stand as `${name}`."""
        for place in sorted(self._places, key=len, reverse=True):
            if place in text:
                pattern = rf"(?<![\w.-]){re.escape(place)}(?![\w.-]*\w)"
                name = f"${{{self._places[place]}}}"
                text = re.sub(pattern, lambda _, name=name: name, text)  # type: ignore[misc]  # a lambda with a default is no exact match
        return text


def _as_text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    raise InvalidInputError(
        f"the variable {name} holds {_kind(value)}, which has no text of its own",
        path="--var",
        hint="pass a str, int, float or bool",
    )


def _kind(value: Any) -> str:
    if isinstance(value, float):
        return "a number that is not finite"
    return f"a {type(value).__name__}"
