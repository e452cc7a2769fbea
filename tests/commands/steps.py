"""Commands before a person who reads the question, may act meanwhile, and answers."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sparknb.commands.context import Context, Question
from sparknb.commands.index import COMMANDS
from sparknb.commands.parser import Grammar, Invocation, parse
from sparknb.commands.running import run
from sparknb.commands.table import Outcome
from tests.hosting import Answering, Session

__all__ = ["Person", "step"]

_GRAMMAR = Grammar(program="sparknb", commands=COMMANDS, common=())


class Person:
    """Keeps the questions; does something while it reads one, then answers."""

    def __init__(
        self, *, says: bool = True, acts: Callable[[], Awaitable[Any]] | None = None
    ) -> None:
        self.approver = Answering()
        self.asked: list[Question] = []
        self._says, self._acts = says, acts

    async def read_input(self, limit: int) -> bytes:
        raise AssertionError(limit)

    async def read_secret(self, name: str) -> str:
        raise AssertionError(name)

    async def notify(self, problems: Sequence[Any]) -> None:
        raise AssertionError(problems)

    async def confirm(self, question: Question) -> bool:
        self.asked.append(question)
        if self._acts is not None:
            await self._acts()
        return self._says

    def variable(self, name: str) -> str:
        raise AssertionError(name)


def step(session: Session, person: Person, *words: str) -> Outcome:
    """Run a command of the command line on the host of a session."""
    invocation = parse(list(words), grammar=_GRAMMAR)
    assert isinstance(invocation, Invocation)
    assert invocation.command.run is not None
    context = Context(person, session.host)
    return session.run(run(invocation.command.run, context, invocation.values))
