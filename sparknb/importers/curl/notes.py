"""What is found out about a command on its way to a definition."""

from typing import Final

from sparknb.core.problems import Problem
from sparknb.importers.curl.command import Word

__all__ = ["WHOLE", "Notes", "place"]

WHOLE: Final = 0
"""Stands for the command as a whole: `curl` itself is word 0."""


def place(word: Word | int) -> str:
    """Give the path of a word: `curl.N`."""
    return f"curl.{word if isinstance(word, int) else word.number}"


class Notes:
    """What is refused, and what is done in another way than curl does it; each once.

    No message repeats a value of the command, only names in it.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.notices: list[Problem] = []

    def refuse(
        self, code: str, word: Word | int, message: str, hint: str | None = None
    ) -> None:
        """Note why there can be no draft."""
        problem = Problem(
            code=code,
            message=message,
            path=place(word),
            hint=hint,
        )
        if problem not in self.problems:
            self.problems.append(problem)

    def tell(
        self,
        word: Word | int,
        message: str,
        hint: str | None = None,
        *,
        code: str = "IMPORT_NOTICE",
    ) -> None:
        """Note a difference to what curl sends, or something to be done."""
        notice = Problem(
            code=code,
            message=message,
            path=place(word),
            hint=hint,
            level="notice",
        )
        if notice not in self.notices:
            self.notices.append(notice)
