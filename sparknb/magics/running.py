"""One run of one magic, from its words to what the cell shows."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from sparknb.commands.context import Context
from sparknb.commands.parser import Answered, Grammar, Invocation
from sparknb.commands.running import failed
from sparknb.commands.running import run as run_command
from sparknb.commands.table import Outcome, Run
from sparknb.commands.views import Problems, ResultView, Stack, View
from sparknb.core.errors import SparknbError, ToolCancelledError
from sparknb.core.results import ToolResult
from sparknb.displays import Shown
from sparknb.displays.safe_text import to_json
from sparknb.host.host import Host
from sparknb.host.loop_thread import PATIENCE_SECONDS, Work
from sparknb.magics.door import CellDoor
from sparknb.magics.errors import SparkMagicError
from sparknb.magics.grammar import LINE, read_words, split
from sparknb.magics.people import AtPrompt, InCell, Person
from sparknb.magics.programs import run_program
from sparknb.magics.session import Session

__all__ = ["MagicRun", "run_line"]

_HEARTBEAT_SECONDS = 0.1
_ALONE = ["list"]
"""What `%spark` without words does."""


class SessionContext(Context):
    """A command's context whose host is the session's own."""

    def __init__(self, door: CellDoor, session: Session) -> None:
        super().__init__(door)
        self._session = session

    async def host(self) -> Host:
        """Give the host of the session, opened when it is first needed."""
        if self._host is None:
            self._owns_host = False
            self._host = await self._session.host()
            await self.door.notify(self._session.take_notices())
        return self._host


class MagicRun:
    """One magic; made and finished on the kernel's thread, run on the host's."""

    def __init__(
        self,
        session: Session,
        grammar: Grammar,
        line: str,
        *,
        body: str | None = None,
        local: Mapping[str, Any] | None = None,
    ) -> None:
        self._session = session
        self._grammar = grammar
        self._line = line
        self._body = body
        self._local = local
        given = line.split()  # what counts until the words are read
        self._raises = "--no-raise" not in given
        self._is_json = "--json" in given
        self._has_person = False  # one who can click: only an awaited cell has that

    # ------------------------------------------------------------ the two ways
    def run(self) -> None:
        """Run it and wait; questions are asked by prompts of this thread.

        Raises:
            SparkMagicError: The command said no, or was interrupted.
        """
        if (invocation := self._read()) is None:
            return
        door = self._door(self._at_prompt())
        if (do := invocation.command.run) is None:
            self._finish(invocation, self._by_kernel(invocation), door)
            return
        try:
            outcome = self._session.loop.run(self._outcome(do, invocation, door))
        except KeyboardInterrupt:
            self._fail_interrupted()
        except CancelledError:
            outcome = _host_closed()
        self._finish(invocation, outcome, door)

    async def run_awaited(self) -> None:
        """Run it without blocking the kernel's loop; cards in the cell ask.

        Raises:
            SparkMagicError: The command said no, or was interrupted.
        """
        if (invocation := self._read()) is None:
            return
        person: InCell | None = None
        if self._session.place.allows_input:
            person = InCell(self._session.keep)
            self._has_person = True
        door = self._door(person)
        if (do := invocation.command.run) is None:
            self._finish(invocation, self._by_kernel(invocation), door)
            return
        work = self._session.loop.submit(self._outcome(do, invocation, door))
        try:
            outcome = await _settle(work, person)
        except asyncio.CancelledError:
            self._fail_interrupted()
        self._finish(invocation, outcome, door)

    # ------------------------------------------------------------------ steps
    def _read(self) -> Invocation | None:
        """Give what the words say; None when help answered them."""
        try:
            read = read_words(split(self._line) or _ALONE, self._grammar)
        except SparknbError as error:
            self._show_failure(failed(error))
            return None
        if isinstance(read, Answered):
            if read.view is not None:
                self._display(Shown(read.view, None, "help"))
            return None
        self._raises = not read.common["no_raise"]
        self._is_json = read.common["json"]
        return read

    def _at_prompt(self) -> Person | None:
        """Give who can be asked by a prompt of this thread."""
        is_main = threading.current_thread() is threading.main_thread()
        place = self._session.place
        return AtPrompt(place) if is_main and place.allows_input else None

    def _door(self, person: Person | None) -> CellDoor:
        variable: Callable[[str], str] = partial(
            self._session.variables.text, more=self._local
        )
        return CellDoor(person=person, body=self._body, variable=variable)

    def _by_kernel(self, invocation: Invocation) -> Outcome:
        """Give the outcome of a command that the kernel carries out itself."""
        try:
            return run_program(
                self._session, invocation.command.path, invocation.values
            )
        except SparknbError as error:
            return failed(error)

    async def _outcome(
        self, do: Run, invocation: Invocation, door: CellDoor
    ) -> Outcome:
        async with SessionContext(door, self._session) as context:
            return await run_command(do, context, invocation.values)

    def _fail_interrupted(self) -> NoReturn:
        """Fail the cell: what stands below must not run, whatever the options."""
        outcome = failed(ToolCancelledError("interrupted"))
        raise SparkMagicError(self._session.worded(outcome.view)) from None

    # -------------------------------------------------------------- the outcome
    def _finish(self, invocation: Invocation, outcome: Outcome, door: CellDoor) -> None:
        if (name := invocation.common["o"]) is not None:
            self._session.shell.push({name: _kept(outcome)})
        if door.notices:
            notices = Problems(problems=door.notices)
            self._display(
                Shown(notices, [n.to_wire() for n in door.notices], "notices")
            )
        if outcome.exit_code and self._raises:
            self._show_failure(outcome)
        elif self._is_json or not self._offer(outcome, invocation):
            self._show(outcome, "-".join(invocation.command.path))

    def _offer(self, outcome: Outcome, invocation: Invocation) -> bool:
        """Show an outcome with what can be done with it; False where nothing can."""
        if outcome.offer is None:
            return False
        from sparknb.magics.offering import show_offer

        kind = "-".join(invocation.command.path)
        show_offer(self._session, outcome, kind, has_person=self._has_person)
        return True

    def _show_failure(self, outcome: Outcome) -> None:
        if self._raises:
            raise SparkMagicError(self._session.worded(outcome.view)) from None
        self._show(outcome, "failure")

    def _show(self, outcome: Outcome, kind: str) -> None:
        if self._is_json:
            print(to_json(outcome.document))  # noqa: T201  # the cell's output
        else:
            self._display(Shown(outcome.view, outcome.document, kind))

    def _display(self, shown: Shown) -> None:
        from IPython.display import display

        display(self._session.named(shown))  # type: ignore[no-untyped-call]  # IPython's own


async def _settle(work: Work[Outcome], person: InCell | None) -> Outcome:
    """Wait for the outcome; an interrupt cancels it, and its clean-up is waited for.

    The heartbeat wakes the loop, so that an interrupt is seen at once.
    """
    waited = asyncio.wrap_future(work.outcome)
    try:
        while not (await asyncio.wait([waited], timeout=_HEARTBEAT_SECONDS))[0]:
            pass
    except asyncio.CancelledError:
        if person is not None:
            person.is_interrupted = True
        work.cancel()
        await asyncio.wait([waited], timeout=PATIENCE_SECONDS)
        with suppress(BaseException):
            waited.exception()  # seen
        raise
    try:
        return waited.result()
    except asyncio.CancelledError:
        return _host_closed()


def _host_closed() -> Outcome:
    """Give the outcome of work that ended with its host."""
    return failed(ToolCancelledError("the host was closed meanwhile"))


def _kept(outcome: Outcome) -> Any:
    """Give what `-o` keeps: a tool's result, else the document."""
    result = _result(outcome.view)
    return outcome.document if result is None else result


def _result(view: View) -> ToolResult | None:
    if isinstance(view, ResultView):
        return view.result
    if isinstance(view, Stack):
        return next(filter(None, map(_result, view.parts)), None)
    return None


def run_line(session: Session, line: str) -> None:
    """Run the line magic and wait for it."""
    MagicRun(session, LINE, line).run()
