"""One run of a program, from its start over its questions to its answer.

Everything here blocks: it runs in a thread.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sparknb.runtimes.monty.program import (
    ARGUMENTS,
    CALL_TOOL,
    assembled,
    escaped,
    has_odd_keys,
    is_ours,
    searched,
)
from sparknb.runtimes.monty.workers import Lease
from sparknb.runtimes.printed import Printed

if TYPE_CHECKING:
    from pydantic_monty import FunctionSnapshot, FutureSnapshot, MontySession

    Question = FunctionSnapshot | FutureSnapshot

__all__ = ["SLEEPS", "Answer", "Program"]

SLEEPS = frozenset({"time.sleep", "asyncio.sleep"})


class Answer(NamedTuple):
    """What a program came to: its JSON text, or why there is none.

    Attributes:
        thrown: Type and first words of an exception that is too long to leave.
    """

    text: str
    odd: str = ""
    thrown: str = ""


@dataclass(slots=True, kw_only=True)
class Program:
    """A program under way in a worker; gives the worker back when it ends."""

    lease: Lease
    source: str
    arguments: dict[str, Any]
    max_output_bytes: int
    printed: Printed = field(default_factory=Printed)

    def begin(self) -> "Question | Answer":
        """Run to the first question or to the end.

        Raises:
            MontyError: It failed, or its worker did.
        """
        self.lease.enter()
        return self._advanced(self._fed)

    def resume(self, question: "Question", answer: Any) -> "Question | Answer":
        """Run on with the answer, to the next question or to the end."""
        return self._advanced(lambda: question.resume(answer))

    def _fed(self) -> Any:
        return self._session.feed_start(
            assembled(self.source, max_output_bytes=self.max_output_bytes),
            inputs={ARGUMENTS: self.arguments},
            external_lookup={CALL_TOOL: _never},
            print_callback=self._print,
        )

    def _print(self, _stream: str, text: str) -> None:
        self.printed.take(text.encode("utf-8", "replace"))

    @property
    def _session(self) -> "MontySession":
        session = self.lease.session
        if session is None:
            raise RuntimeError("the program is over")
        return session

    def _advanced(self, move: Callable[[], Any]) -> "Question | Answer":
        from pydantic_monty import MontyRuntimeError

        found: Question | Answer | None = None
        try:
            try:
                found = self._reached(move())
            except MontyRuntimeError as error:
                if not _is_of_result(error):
                    raise
                found = Answer("", self._searched() or error.display("msg"))
            if isinstance(found, Answer) and has_odd_keys(found.text):
                found = found._replace(odd=self._searched())
        finally:
            if found is None or isinstance(found, Answer):
                self.lease.leave()
        return found

    def _reached(self, step: Any) -> "Question | Answer":
        """Answer what needs nobody else, up to a question for the host."""
        from pydantic_monty import FunctionSnapshot, FutureSnapshot, MontyComplete

        while not isinstance(step, MontyComplete):
            if isinstance(step, FutureSnapshot):
                return step
            if isinstance(step, FunctionSnapshot):
                if step.function_name in SLEEPS | {CALL_TOOL}:
                    return step
                if step.is_os_function:
                    step = step.resume_not_handled()
                    continue
            step = step.resume_auto()  # names that nobody knows
        text = step.output
        return Answer(text) if isinstance(text, str) else self._escaped()

    def _escaped(self) -> Answer:
        """Have the exception thrown that escaped, unless it is too long."""
        found = self._session.feed_run(escaped(), print_callback=self._print)
        kind, said = found if isinstance(found, list) else ("Exception", "")
        return Answer("", thrown=f"{kind}: {said}")

    def _searched(self) -> str:
        """Give what JSON cannot hold; empty where nothing is found."""
        from pydantic_monty import MontyCrashedError, MontyError

        try:
            # it may print: the source can have given builtins a meaning of its own
            found = self._session.feed_run(searched(), print_callback=self._print)
        except MontyCrashedError:
            raise
        except MontyError:  # for the same reason
            return ""
        return found if isinstance(found, str) else ""


def _is_of_result(error: Any) -> bool:
    """Tell whether the result could not be written; memory is another matter."""
    lines = [frame.source_line or "" for frame in error.traceback()]
    return (
        len(lines) > 1
        and all(map(is_ours, lines))
        and "return __sparknb_json.dumps(" in lines[-1]
        and not error.display("type-msg").startswith("MemoryError")
    )


def _never(*_: Any, **__: Any) -> None:
    """Stand for `call_tool`, whose calls are answered by the host."""
