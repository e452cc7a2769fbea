"""Calls apart from their requests, and approvers of broken clients."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_types import ElicitResult

from sparknb.core.protocols import ApprovalRequest, Approver, Decision, Preview
from sparknb.core.results import ToolResult
from sparknb.mcp.approval import ElicitationApprover, OpenQuestion
from sparknb.mcp.calls import Calls, Waiting
from tests.mcp.agents import run

REQUEST = ApprovalRequest(
    call_id="c",
    tool_id="t",
    title="T",
    version=1,
    risk="low-write",
    effect="create",
    idempotency="unsafe",
    arguments={},
    preview=Preview(),
)


class Work:
    """A call that goes on until it is cancelled, and takes a step to tidy up."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.is_tidy = False

    async def __call__(self, approver: Approver) -> ToolResult:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            self.is_tidy = True
        raise AssertionError


@pytest.mark.parametrize("door", ["run", "open"])
def test_cancelling_a_request_waits_until_the_call_has_tidied_up(door: str) -> None:
    async def test() -> None:
        calls, work = Calls(), Work()
        waiting = asyncio.create_task(
            calls.run(work, OpenQuestion())
            if door == "run"
            else calls.open(work, "custom_t", {})
        )
        await work.begun.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert work.is_tidy

    run(test())


def test_a_call_that_ends_without_a_question_gives_its_result() -> None:
    async def test() -> None:
        async def work(approver: Approver) -> ToolResult:
            return ToolResult(ok=True, text="done")

        result = await Calls().open(work, "custom_t", None)
        assert isinstance(result, ToolResult)
        assert result.text == "done"

    run(test())


def test_a_call_that_fails_inside_raises_to_its_request() -> None:
    async def test() -> None:
        async def work(approver: Approver) -> ToolResult:
            raise RuntimeError("a bug")

        with pytest.raises(RuntimeError, match="a bug"):
            await Calls().open(work, "custom_t", None)

    run(test())


def test_only_the_first_answer_to_a_question_counts() -> None:
    async def test() -> None:
        question = OpenQuestion()
        waiting = asyncio.create_task(question.decide(REQUEST))
        await question.asked
        question.answer(Decision(outcome="reject"))
        question.answer(Decision(outcome="allow"))
        assert (await waiting).outcome == "reject"
        assert (await question.decide(REQUEST)).outcome == "reject"

    run(test())


def test_an_answer_that_is_none_rejects() -> None:
    async def elicit_form(*_: Any) -> ElicitResult:
        return ElicitResult.model_validate({"action": "perhaps"})

    async def test() -> None:
        session = SimpleNamespace(elicit_form=elicit_form)
        ctx: Any = SimpleNamespace(session=session, request_id=1)
        decision = await ElicitationApprover(ctx).decide(REQUEST)
        assert decision.outcome == "reject"
        assert decision.reason

    run(test())


def test_a_yes_for_one_question_is_none_for_a_second() -> None:
    async def asks_twice(approver: Approver) -> ToolResult:
        first = await approver.decide(REQUEST)
        second = await approver.decide(REQUEST)
        return ToolResult(ok=True, text=f"{first.outcome}, {second.outcome}")

    async def test() -> None:
        calls = Calls()
        waiting = await calls.open(asks_twice, "custom_t", {})
        assert isinstance(waiting, Waiting)
        yes = Decision(outcome="allow")
        result = await calls.resume(waiting.ticket, yes, "custom_t", {})
        assert result is not None
        assert result.text == "allow, reject"

    run(test())
