"""Cells of a notebook without a notebook: a door with a body, and a real host."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sparknb.commands.cells import CELL_COMMANDS
from sparknb.commands.context import Context, Question
from sparknb.commands.parser import Grammar, Invocation, parse
from sparknb.commands.running import run
from sparknb.commands.table import Outcome
from sparknb.core.errors import NotFoundError
from sparknb.displays import to_text
from tests.hosting import Answering, Session

_GRAMMAR = Grammar(program="%%", commands=CELL_COMMANDS, common=())


class CellDoor:
    """What one cell lends to its command."""

    def __init__(
        self, body: str, variables: Mapping[str, str], approver: Answering | None
    ) -> None:
        self._body = body
        self._variables = variables
        self.approver = approver

    async def read_input(self, limit: int) -> bytes:
        return self._body.encode("utf-8", "surrogatepass")[:limit]

    async def read_secret(self, name: str) -> str:
        raise AssertionError(name)

    async def notify(self, problems: Any) -> None:
        raise AssertionError(problems)

    async def confirm(self, question: Question) -> bool:
        raise AssertionError(question)

    def variable(self, name: str) -> str:
        if name not in self._variables:
            raise NotFoundError(f"there is no variable {name}", path="--var")
        return self._variables[name]


class Notebook:
    """Runs cells one after the other on one host."""

    def __init__(self, home: Path) -> None:
        self.session = Session(home)

    def close(self) -> None:
        self.session.close()

    def run(
        self,
        cell: str,
        *,
        variables: Mapping[str, str] | None = None,
        approver: Answering | None = None,
        **more: Any,
    ) -> Outcome:
        """Run a cell: the first line is the magic's, after its two signs."""
        line, _, body = cell.partition("\n")
        words, options = line.removeprefix("%%").split(), more.pop("options", [])
        invocation = parse([*words, *options], grammar=_GRAMMAR)
        assert isinstance(invocation, Invocation)
        assert invocation.command.run is not None
        door = CellDoor(body, variables or {}, approver)
        context = Context(door, self.session.host)
        return self.session.run(run(invocation.command.run, context, invocation.values))

    def show(self, cell: str, **more: Any) -> str:
        """Give what a person reads below a cell."""
        return to_text(self.run(cell, **more).view)

    def tools(self) -> list[Any]:
        return list(self.session.run(self.session.host.studio.list()).tools)
