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
        strict: The rule refuses more than the original did (marked S in the
            documents), so it only warns about an imported draft (ST-87).
    """

    code: str
    message: str
    path: str = ""
    hint: str | None = None
    level: Level = "error"
    strict: bool = field(default=False, compare=False, repr=False)

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{code, message, path, hint?}`."""
        wire = {"code": self.code, "message": self.message, "path": self.path}
        return wire if self.hint is None else wire | {"hint": self.hint}

    def __str__(self) -> str:
        """Give the one-line form `path: CODE message (hint)`."""
        where = f"{self.path}: " if self.path else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.code} {self.message}{hint}"


def under(prefix: str, problems: Iterable[Problem]) -> Sequence[Problem]:
    """Give the same problems with `prefix` in front of their paths."""
    return [
        replace(p, path=f"{prefix}.{p.path}" if p.path else prefix) for p in problems
    ]
