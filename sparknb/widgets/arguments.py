"""The arguments of a call as a person sees and edits them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sparknb.core.json_text import find_flaws, parse_json
from sparknb.core.redaction import MASK
from sparknb.displays.safe_text import printable, to_json

__all__ = ["LONGEST_SHOWN", "Argument", "changed", "read_arguments"]

LONGEST_SHOWN = 20_000
"""Characters of one value that a card shows; a longer one cannot be edited there."""

Kind = Literal["text", "quoted", "number", "boolean", "json", "fixed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument on a card.

    Attributes:
        kind: Which field edits it: text as it stands, `quoted` text as JSON because
            it holds characters that cannot be seen, or `fixed` when it is too long.
        shown: The value as JSON, harmless to look at.
        edited: What the field starts with.
    """

    name: str
    kind: Kind
    shown: str
    edited: str
    value: Any

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form for a page."""
        return {
            "name": self.name,
            "label": printable(self.name),
            "kind": self.kind,
            "shown": self.shown,
            "edited": self.edited,
        }


def read_arguments(values: Mapping[str, Any]) -> Sequence[Argument]:
    """Give the arguments in their order."""
    return [_argument(name, value) for name, value in values.items()]


def changed(
    arguments: Sequence[Argument], edits: Mapping[str, str], left_out: Sequence[str]
) -> tuple[dict[str, Any] | None, dict[str, str]]:
    """Read what was typed.

    Returns:
        The arguments as they are now, None when they are as they were; and what is
        wrong, by name. The schema is the host's to check.
    """
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    is_changed = bool(left_out)
    for argument in arguments:
        if argument.name in left_out:
            continue
        typed = edits.get(argument.name, argument.edited)
        if typed == argument.edited:
            values[argument.name] = argument.value
            continue
        is_changed = True
        value, problem = _read(argument, typed)
        if problem is None:
            values[argument.name] = value
        else:
            wrong[argument.name] = problem
    return (values if is_changed else None), wrong


def _argument(name: str, value: Any) -> Argument:
    shown = printable(json.dumps(value, ensure_ascii=False))
    if len(shown) > LONGEST_SHOWN:
        left = len(shown) - LONGEST_SHOWN
        cut = f"{shown[:LONGEST_SHOWN]}… ({left:,} more characters)"
        return Argument(name=name, kind="fixed", shown=cut, edited="", value=value)
    kind = _kind(value)
    edited = value if kind == "text" else to_json(value)
    return Argument(name=name, kind=kind, shown=shown, edited=edited, value=value)


def _kind(value: Any) -> Kind:
    if isinstance(value, str):
        return "text" if printable(value) == value else "quoted"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "json"


def _read(argument: Argument, typed: str) -> tuple[Any, str | None]:
    if argument.kind == "fixed":
        return None, "This value is too long to be edited here."
    if MASK in argument.edited and MASK in typed:
        return None, (
            f"A part of this value is hidden as {MASK}. "
            "Write all of it anew, or leave it as it was."
        )
    if argument.kind == "text":
        flaws = find_flaws(typed)
        return (None, f"{flaws[0].message}.") if flaws else (typed, None)
    value, problems = parse_json(typed)
    if problems:
        return None, f"{problems[0].message}."
    wanted = _WANTED.get(argument.kind if argument.kind != "json" else _shape(argument))
    if wanted is not None and not _is_a(value, wanted[0]):
        return None, f"This must be {wanted[1]}."
    return value, None


def _shape(argument: Argument) -> str:
    return type(argument.value).__name__


def _is_a(value: Any, types: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types)


_WANTED: Mapping[str, tuple[tuple[type, ...], str]] = {
    "quoted": ((str,), "text between double quotes"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "list": ((list,), "a JSON array, as in [1, 2]"),
    "dict": ((dict,), 'a JSON object, as in {"a": 1}'),
}
