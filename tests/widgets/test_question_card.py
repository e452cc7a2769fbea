"""The question card's kernel side."""

from typing import Any

import pytest

from sparknb.commands.context import Question
from sparknb.widgets import QuestionCard
from tests.widgets.stage import say

QUESTION = Question("Publish version 2 of weather?", (("tool", "weather"),))


@pytest.fixture
def answers() -> list[bool]:
    return []


@pytest.fixture
def card(answers: list[bool]) -> QuestionCard:
    return QuestionCard(QUESTION, answers.append)


def answer(card: QuestionCard, kind: str, /, **changes: Any) -> list[str]:
    content = {"id": "a-1", "kind": kind, "nonce": card.card["nonce"]}
    return [r["kind"] for r in say(card, content | changes)]


@pytest.mark.parametrize(
    ("kind", "expected", "status"),
    [("approve", True, "approved"), ("reject", False, "rejected")],
)
def test_an_answer_is_passed_on_once(
    card: QuestionCard, answers: list[bool], kind: str, expected: bool, status: str
) -> None:
    assert answer(card, kind) == ["taken"]
    assert answer(card, "approve") == ["taken", "ignored"]

    assert answers == [expected]
    assert card.status == status


@pytest.mark.parametrize(
    "changes",
    [{"nonce": "0" * 32}, {"nonce": 1}, {"kind": "yes"}, {"more": True}],
    ids=repr,
)
def test_an_altered_answer_is_ignored(
    card: QuestionCard, answers: list[bool], changes: dict[str, Any]
) -> None:
    assert answer(card, "approve", **changes) == ["taken", "ignored"]

    assert answers == []


def test_after_its_end_it_takes_no_answer(
    card: QuestionCard, answers: list[bool]
) -> None:
    card.end("cancelled")

    answer(card, "approve")

    assert answers == []
    assert str(card).endswith("cancelled")


def test_the_text_twin_asks_the_question(card: QuestionCard) -> None:
    assert "Publish version 2 of weather?" in str(card)
    assert "weather" in str(card)
