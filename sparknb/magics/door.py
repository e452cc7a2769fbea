"""What a cell lends to a command: its body, its variables, the person before it."""

from collections.abc import Callable, Sequence

from sparknb.commands.context import Question
from sparknb.core.errors import UsageError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Approver
from sparknb.magics.people import Person, nobody

__all__ = ["CellDoor"]


class CellDoor:
    """The front door of one magic.

    Attributes:
        notices: What the command had to tell beside its answer.
    """

    def __init__(
        self,
        *,
        person: Person | None,
        body: str | None,
        variable: Callable[[str], str],
    ) -> None:
        self.notices: list[Problem] = []
        self._person = person
        self._body = body
        self._variable = variable

    @property
    def approver(self) -> Approver | None:
        """Who can be asked about a call; None when nobody can."""
        return self._person

    async def read_input(self, limit: int) -> bytes:
        """Give the body of the cell.

        Raises:
            UsageError: A line magic has none.
        """
        if self._body is None:
            raise UsageError(
                "a notebook has no standard input: - stands for nothing here",
                hint="name a file, or give the words in their place",
            )
        return self._body.encode("utf-8", "surrogatepass")[:limit]

    async def read_secret(self, name: str) -> str:
        """Give a secret value without showing it."""
        if self._person is None:
            raise nobody(f"{name} is asked for")
        return await self._person.read_secret(name)

    async def notify(self, problems: Sequence[Problem]) -> None:
        """Keep it until the outcome is shown."""
        self.notices += problems

    async def confirm(self, question: Question) -> bool:
        """Give the person's answer."""
        if self._person is None:
            raise nobody("this needs a person's yes")
        return await self._person.confirm(question)

    def variable(self, name: str) -> str:
        """Give the text of a Python variable.

        Raises:
            NotFoundError: There is none of this name.
            InvalidInputError: It has no text.
        """
        return self._variable(name)
