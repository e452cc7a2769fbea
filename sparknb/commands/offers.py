"""What a notebook can make of an outcome, beyond showing it.

Other front doors pass it over: the outcome itself says everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Choice", "Choices", "Offer", "ReadyCell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyCell:
    """A cell that a person can go on with.

    Attributes:
        text: The whole cell, its magic line first.
        where: `below` the cell that ran, or `here`, in its place.
        has_secret: Whether the cell that ran holds a secret in plain text.
    """

    text: str
    where: Literal["here", "below"] = "below"
    has_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One operation of an API description, as something to pick or to leave.

    Attributes:
        operation: `METHOD /path`.
        definition: What it would become; None where it cannot become a tool.
        tokens: What an agent would read of it.
        against: Why it cannot become a tool, empty where it can.
        notices: What is done in another way, or left out.
        secrets: What to enter, by the secret's name.
    """

    operation: str
    definition: dict[str, Any] | None = field(default=None, repr=False)
    summary: str = ""
    tags: Sequence[str] = ()
    is_deprecated: bool = False
    tokens: int = 0
    against: str = ""
    notices: Sequence[str] = ()
    secrets: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """All operations of an API description, to pick from."""

    title: str
    items: Sequence[Choice]


Offer = ReadyCell | Choices
