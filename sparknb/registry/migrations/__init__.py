"""The schema's history: append-only, one named step each.

A new step is a file in `versions/` and its name at the end of `REVISIONS`.
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["MIGRATIONS", "Migrations"]


@dataclass(frozen=True, slots=True)
class Migrations:
    """Known revisions, oldest first, and the folder that holds their steps."""

    revisions: tuple[str, ...]
    folder: Path

    @property
    def head(self) -> str:
        """The newest revision."""
        return self.revisions[-1]


MIGRATIONS = Migrations(("m001", "m002"), Path(__file__).parent)
