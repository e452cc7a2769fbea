"""One form for everything that is wrong with an input."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

__all__ = ["Level", "Problem", "under"]

Level = Literal["error", "warning", "notice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A rule that an input breaks: which, where, and what to do about it.

    Attributes:
        code: Stable code, listed in docs/errors.md.
        message: One plain sentence. Never holds a value that looks secret.
        path: Dotted path with 0-based indexes (`spec.request.headers.0.name`);
            empty when the input as a whole is meant.
        hint: What to do, when the message does not say it already.
        level: `error` refuses the operation; the others only inform.
        line: Line of a source text, from 1, where one is meant.
        column: Column in that line, from 1.
        strict: The rule refuses more than the original did (marked S in the
            documents), so it only warns about an imported draft (ST-87).
    """

    code: str
    message: str
    path: str = ""
    hint: str | None = None
    level: Level = "error"
    line: int | None = None
    column: int | None = None
    strict: bool = field(default=False, compare=False, repr=False)

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{code, message, path, line?, column?, hint?}`."""
        wire: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "path": self.path,
        }
        more = {"line": self.line, "column": self.column, "hint": self.hint}
        return wire | {key: value for key, value in more.items() if value is not None}

    @property
    def place(self) -> str:
        """Where it is, for people: the path, and the line and column of a source."""
        if self.line is None:
            return self.path
        spot = f"line {self.line}"
        if self.column is not None:
            spot += f", column {self.column}"
        return f"{self.path} {spot}".lstrip()

    def __str__(self) -> str:
        """Give the one-line form `path: CODE message (hint)`."""
        where = f"{self.place}: " if self.place else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.code} {self.message}{hint}"


def under(prefix: str, problems: Iterable[Problem]) -> Sequence[Problem]:
    """Give the same problems with `prefix` in front of their paths."""
    return [
        replace(p, path=f"{prefix}.{p.path}" if p.path else prefix) for p in problems
    ]
