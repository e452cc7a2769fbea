"""What every reader of a shell gives, and how it collects words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sparknb.core.problems import Level, Problem
from sparknb.importers.curl.command import Piece, Variable, Word

__all__ = ["BRACES", "Flaw", "Reader", "ShellText", "Words"]

BRACES = "takes braces with a comma or dots for several words"
_MOST_FLAWS = 100  # of a text that is no command at all


@dataclass(frozen=True, slots=True)
class Flaw:
    """A problem or notice at a word, counted from the first word read."""

    code: str
    message: str
    hint: str | None
    word: int
    level: Level = "error"

    def to_problem(self, first: int = 0) -> Problem:
        """Give it as a problem at `curl.N`, the word `first` being `curl`."""
        number = self.word - first
        return Problem(
            code=self.code,
            message=self.message,
            hint=self.hint,
            level=self.level,
            path=f"curl.{max(number, 0)}",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellText:
    """One command of a text, in words.

    Attributes:
        words: As the program would get them, variables left in place.
        changed: Number of a word -> what the shell would have made of it besides.
        stdin: What a here-document gives to the program.
        flaws: Problems and notices in order.
        end: Where the text goes on after the command.
    """

    words: Sequence[Word]
    changed: Mapping[int, str] = field(default_factory=dict)
    stdin: tuple[Piece, ...] | None = field(default=None, repr=False)
    flaws: Sequence[Flaw] = ()
    end: int


class Reader(Protocol):
    """Reads one command by the rules of one shell; expands and runs nothing."""

    def __call__(self, text: str, start: int = 0) -> ShellText:
        """Read the command that begins at `start`; never raises."""
        ...


class Words:
    """Words in the making."""

    def __init__(self) -> None:
        self.done: list[Word] = []
        self.changed: dict[int, str] = {}
        self.flaws: list[Flaw] = []
        self.stdin: tuple[Piece, ...] | None = None
        self._pieces: list[Piece] = []
        self._texts: list[str] = []
        self._is_open = False
        self._is_target = False
        self._is_input = False
        self._told: set[tuple[str, str, int]] = set()

    @property
    def is_open(self) -> bool:
        """A word has begun."""
        return self._is_open

    def begin(self) -> None:
        """Begin a word, which may stay empty (`''`)."""
        self._is_open = True

    def text(self, text: str) -> None:
        """Add to the word."""
        self._is_open = True
        if text:
            self._texts.append(text)

    def variable(self, name: str) -> None:
        """Add a place for a variable."""
        self._is_open = True
        self._close_text()
        self._pieces.append(Variable(name))

    def end(self) -> None:
        """End the word, if one has begun."""
        if not self._is_open:
            return
        self._close_text()
        if self._is_target or self._is_input:
            self.changed.pop(len(self.done), None)
            if self._is_input:
                self.stdin = (*self._pieces, "\n")
        else:
            self.done.append(Word(tuple(self._pieces), len(self.done)))
        self._pieces = []
        self._is_open = self._is_target = self._is_input = False

    def redirect(self) -> None:
        """Leave out the word that comes, and what stands before it of a number."""
        if not self._pieces and "".join(self._texts).isdigit():
            self._texts.clear()
            self._is_open = False
        self.end()
        self._is_target = True

    def input(self) -> None:
        """Take the word that comes for a line that the program reads."""
        self.end()
        self._is_input = True

    def change(self, what: str) -> None:
        """Remember that the shell would make something else of this word."""
        self.changed.setdefault(len(self.done), what)

    def problem(self, code: str, message: str, hint: str | None = None) -> None:
        """Report a problem at this word, once."""
        word = len(self.done)
        if self._is_news((code, message, word)):
            self.flaws.append(Flaw(code, message, hint, word))

    def notice(self, message: str) -> None:
        """Report something done in another way or left out, once in a command."""
        word = max(len(self.done) - (not self._is_open), 0)
        if self._is_news(("IMPORT_NOTICE", message, -1)):
            self.flaws.append(Flaw("IMPORT_NOTICE", message, None, word, "notice"))

    def finish(self, end: int) -> ShellText:
        """Give what was read."""
        self.end()
        return ShellText(
            words=self.done,
            changed=self.changed,
            stdin=self.stdin,
            flaws=self.flaws,
            end=end,
        )

    def _close_text(self) -> None:
        if self._texts:
            self._pieces.append("".join(self._texts))
            self._texts.clear()

    def _is_news(self, key: tuple[str, str, int]) -> bool:
        if key in self._told:
            return False
        self._told.add(key)
        return len(self.flaws) < _MOST_FLAWS
