"""What a command is: its words, its options and what it does.

The front doors read this form only. The command line makes its parser, its help and
its completion from it; the line magic of a notebook does the same.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, Literal

from sparknb.commands.context import Context
from sparknb.commands.offers import Offer
from sparknb.commands.views import View

__all__ = [
    "Argument",
    "Command",
    "Completion",
    "Kind",
    "Option",
    "Outcome",
    "Run",
    "Values",
]

Kind = Literal["text", "integer", "json", "flag", "choice", "path"]
Completion = Literal["tool", "published", "version", "secret", "provider"]
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A word of a command that is told by its place.

    Attributes:
        name: Key of its value, and in capitals its name in the help.
        kind: `json` and `path` come to the command as text.
        shown: How the help writes it, where that is not the name in capitals.
        repeats: The last of a command's words may: its value is a list then.
        completion: What is offered when a person asks to complete the word.
        minimum: Smallest value of an integer.
    """

    name: str
    help: str
    kind: Kind = "text"
    shown: str | None = None
    required: bool = True
    repeats: bool = False
    completion: Completion | None = None
    minimum: int | None = None

    @property
    def key(self) -> str:
        """Key of the value in what a command receives."""
        return self.name

    @property
    def metavar(self) -> str:
        """How the help writes the word."""
        return self.shown or self.name.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A word of a command that is told by its name, such as `--input JSON`.

    Attributes:
        name: With its dashes.
        metavar: How the help writes the value; None for a flag.
        choices: The values of a `choice`.
        repeats: It may be given several times; its value is a list then.
    """

    name: str
    help: str
    kind: Kind = "text"
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    repeats: bool = False
    completion: Completion | None = None
    minimum: int | None = None

    @property
    def key(self) -> str:
        """Key of the value in what a command receives; fit for a Python name."""
        key = self.name.lstrip("-").replace("-", "_")
        return f"{key}_" if iskeyword(key) else key

    @property
    def usage(self) -> str:
        """How the help writes it, with its value."""
        value = "|".join(self.choices) or self.metavar
        return self.name if value is None else f"{self.name} {value}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command came to.

    Attributes:
        document: The one JSON document of `--json`.
        view: The same for people.
        exit_code: 0 done, 1 refused or failed, 130 interrupted.
        offer: What a notebook can make of it beyond showing it.
    """

    document: Any
    view: View
    exit_code: int = 0
    offer: Offer | None = None


Run = Callable[[Context, Values], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command.

    Attributes:
        path: Its words, noun first: `("secret", "set")`.
        summary: One line for lists of commands.
        details: More sentences for its own help.
        group: Heading under which lists show it.
        examples: Whole command lines for its own help.
        run: What it does; None for a program that lasts until it is stopped, which
            only the command line can give a process of its own.
    """

    path: tuple[str, ...]
    summary: str
    group: str
    details: str = ""
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    run: Run | None

    @property
    def words(self) -> str:
        """Its words as typed."""
        return " ".join(self.path)

    @property
    def usage(self) -> str:
        """Its words and arguments, those that may be missing in brackets."""
        arguments = [
            a.metavar if a.required else f"[{a.metavar}]" for a in self.arguments
        ]
        return " ".join([self.words, *arguments])
