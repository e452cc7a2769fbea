import asyncio
from typing import Any

import pytest

from sparknb.cli.output import console_for
from sparknb.commands.context import Context, Question, Source
from sparknb.commands.outcomes import problems_view, result_outcome
from sparknb.commands.running import failed
from sparknb.core.errors import (
    ApprovalUnavailableError,
    DeniedError,
    InvalidInputError,
    UsageError,
)
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult
from sparknb.displays.drawing import drawn


@pytest.mark.parametrize(
    ("code", "exit_code"), [(None, 0), ("TIMEOUT", 1), ("CANCELLED", 130)]
)
def test_a_result_decides_the_exit_code(code: str | None, exit_code: int) -> None:
    result = ToolResult(ok=code is None, text="x", error_code=code)
    outcome = result_outcome(result)
    assert outcome.exit_code == exit_code
    assert outcome.document == result.to_wire()


def test_a_refusal_has_one_form() -> None:
    problem = Problem(code="FIELD_VALUE", message="wrong", path="id", hint="right")
    error = InvalidInputError("no", path="id", hint="do", problems=[problem])
    outcome = failed(error)
    assert outcome.exit_code == 1
    assert outcome.document == {
        "error": {
            "code": "INVALID_INPUT",
            "message": "no",
            "path": "id",
            "hint": "do",
            "issues": [problem.to_wire()],
        }
    }
    assert failed(UsageError("no")).exit_code == 2


class Person:
    """A front door with a person who answers alike each time."""

    def __init__(self, answer: bool | None) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    @property
    def approver(self) -> Any:
        return None if self.answer is None else self

    async def read_input(self, limit: int) -> bytes:
        return b"{}"[:limit]

    async def read_secret(self, name: str) -> str:
        return name

    async def notify(self, problems: Any) -> None:
        del problems

    async def confirm(self, question: Question) -> bool:
        self.asked.append(question)
        return bool(self.answer)

    def variable(self, name: str) -> str:
        return name


async def _describe() -> Question:
    return Question("Do it?")


async def _never() -> Question:
    raise AssertionError("nobody is there to read it")


def test_a_yes_given_beforehand_is_not_asked_for() -> None:
    person = Person(False)
    asyncio.run(Context(person).consent({"yes": True}, _never))
    assert not person.asked


def test_without_anybody_to_ask_consent_is_unavailable() -> None:
    with pytest.raises(ApprovalUnavailableError):
        asyncio.run(Context(Person(None)).consent({"yes": False}, _never))


def test_a_persons_answer_counts() -> None:
    asyncio.run(Context(Person(True)).consent({"yes": False}, _describe))
    with pytest.raises(DeniedError):
        asyncio.run(Context(Person(False)).consent({"yes": False}, _describe))


def test_lines_belong_to_the_file_that_was_read() -> None:
    context = Context(Person(None))
    problem = Problem(code="FIELD_VALUE", message="wrong", path="id")
    assert not problems_view(context, [problem]).lines
    context.source = Source("x.json", b'{\n"id": 1}')
    found = problems_view(context, [problem])
    assert (found.source, found.lines) == ("x.json", {"id": 2})
    assert "x.json:2" in drawn(console_for(None), found)


def test_a_host_that_was_given_stays_open() -> None:
    class Open:
        closed = False

        async def close(self) -> None:
            self.closed = True

    given: Any = Open()

    async def use() -> None:
        async with Context(Person(None), given) as context:
            assert await context.host() is given

    asyncio.run(use())
    assert not given.closed
