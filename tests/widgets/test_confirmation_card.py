"""The confirmation card's kernel side: one answer, its own, and nothing else."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from sparknb.core.protocols import ApprovalRequest, Decision, Preview
from sparknb.widgets import ConfirmationCard
from tests.widgets.stage import say

Ask = Callable[..., ApprovalRequest]


class Asked:
    """A card, its answers, and what a page would send."""

    def __init__(self, request: ApprovalRequest) -> None:
        self.answers: list[Decision] = []
        self.card = ConfirmationCard(request, self.answers.append)

    def message(self, kind: str = "approve", **changes: Any) -> dict[str, Any]:
        shown = self.card.card
        content: dict[str, Any] = {"id": "a-1", "kind": kind}
        content |= {"call": shown["call"], "nonce": shown["nonce"]}
        if kind == "approve":
            content |= {"edits": {}, "leftOut": []}
        return {n: v for n, v in (content | changes).items() if v is not ...}

    def say(self, kind: str = "approve", **changes: Any) -> list[str]:
        return [r["kind"] for r in say(self.card, self.message(kind, **changes))]


@pytest.fixture
def asked(ask: Ask) -> Asked:
    return Asked(ask())


def test_approving_passes_on_one_plain_yes(asked: Asked) -> None:
    assert asked.say() == ["taken"]

    assert asked.answers == [Decision(outcome="allow")]
    assert asked.card.status == "approved"


def test_rejecting_passes_on_a_no_with_its_reason(asked: Asked) -> None:
    asked.say("reject")

    no = Decision(outcome="reject", reason="you rejected the call")
    assert asked.answers == [no]
    assert asked.card.status == "rejected"


def test_a_second_answer_is_ignored(asked: Asked) -> None:
    asked.say("reject")

    assert asked.say() == ["taken", "ignored"]
    assert [a.outcome for a in asked.answers] == ["reject"]
    assert asked.card.status == "rejected"


@pytest.mark.parametrize("ending", ["expired", "cancelled", "approved", "rejected"])
def test_after_its_end_a_card_takes_no_answer(asked: Asked, ending: Any) -> None:
    asked.card.end(ending)

    assert asked.say() == ["taken", "ignored"]
    assert asked.answers == []
    assert asked.card.status == ending


def test_what_ended_stays_as_it_ended(asked: Asked) -> None:
    asked.say()

    asked.card.end("cancelled")

    assert asked.card.status == "approved"


def test_a_callback_that_fails_leaves_no_way_to_a_second_answer(ask: Ask) -> None:
    calls = []

    def fail(decision: Decision) -> None:
        calls.append(decision)
        raise RuntimeError("the waiting cell is gone")

    card = ConfirmationCard(ask(), fail)
    content = {"id": "a-1", "kind": "reject", "call": "call-1"}
    content["nonce"] = card.card["nonce"]
    for _ in range(2):
        say(card, content)

    assert len(calls) == 1


# ------------------------------------------------------------------- what is forged
@pytest.mark.parametrize(
    "changes",
    [
        {"call": "call-2"},
        {"call": ...},
        {"nonce": "0" * 32},
        {"nonce": ...},
        {"nonce": None},
        {"call": ["call-1"]},
        {"edits": ...},
        {"leftOut": ...},
        {"edits": None},
        {"edits": []},
        {"edits": {"item": 5}},
        {"edits": {"item": None}},
        {"edits": {"price": "1"}},
        {"edits": {"__class__": "x"}},
        {"edits": {"item": "x" * 1_000_001}},
        {"leftOut": "item"},
        {"leftOut": {"item": True}},
        {"leftOut": ["price"]},
        {"leftOut": [["item"]]},
        {"leftOut": ["item"] * 1000},
        {"outcome": "allow"},
        {"arguments": {"item": "other"}},
        {"kind": "allow"},
        {"kind": "Approve"},
    ],
    ids=lambda c: json.dumps(c, default=str)[:40],
)
def test_an_altered_answer_runs_nothing(asked: Asked, changes: dict[str, Any]) -> None:
    assert asked.say(**changes) == ["taken", "ignored"]

    assert asked.answers == []
    assert asked.card.status == "open"


@pytest.mark.parametrize(
    "content",
    [
        None,
        "approve",
        ["approve"],
        {},
        {"kind": "approve"},
        {"id": 1, "kind": "approve"},
        {"id": "a-1", "kind": 1},
        {"id": "a-1", "kind": "x" * 10_000},
        {"id": "A B", "kind": "approve"},
        {"id": "a-" + "1" * 1000, "kind": "approve"},
        {"id": "a-1\n", "kind": "approve"},
    ],
    ids=lambda c: repr(c)[:30],
)
def test_what_is_no_message_gets_no_reply(asked: Asked, content: Any) -> None:
    assert say(asked.card, content) == []

    assert asked.answers == []


def test_an_answer_with_buffers_is_ignored(asked: Asked) -> None:
    replies = say(asked.card, asked.message(), [b"yes"])

    assert [r["kind"] for r in replies] == ["taken", "ignored"]
    assert asked.answers == []


def test_a_rejection_with_edits_is_ignored(asked: Asked) -> None:
    assert asked.say("reject", edits={}) == ["taken", "ignored"]

    assert asked.answers == []


def test_the_answer_to_one_card_is_none_to_another(ask: Ask) -> None:
    first, second = Asked(ask()), Asked(ask(call_id="call-2"))

    for message in (first.message(), first.message("reject")):
        say(second.card, message)

    assert (first.answers, second.answers) == ([], [])


def test_two_cards_of_the_same_call_id_do_not_mix(ask: Ask) -> None:
    first, second = Asked(ask()), Asked(ask())

    say(second.card, first.message())

    assert second.answers == []


def test_a_page_cannot_write_the_state(asked: Asked) -> None:
    before = dict(asked.card.card)
    forged = {"status": "approved", "card": {**before, "risk": "read"}, "edited": ["x"]}
    data = {"method": "update", "state": forged}

    asked.card._handle_msg({"content": {"data": data}, "buffers": []})

    assert (asked.card.status, asked.card.card) == ("open", before)
    assert asked.answers == []


def test_what_is_ignored_is_logged_without_what_it_said(
    asked: Asked, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    asked.say(call="canary-in-a-message")

    assert "ignored" in caplog.text
    assert "canary" not in caplog.text


# ------------------------------------------------------------------------- editing
def edited(ask: Ask, arguments: dict[str, Any], edits: dict[str, str]) -> Any:
    """Give the arguments passed on, or what is wrong with the edits."""
    asked = Asked(ask(arguments=arguments))
    replies = say(asked.card, asked.message(edits=edits))
    if asked.answers:
        return asked.answers[0].arguments
    assert asked.card.status == "open"
    return next(r["fields"] for r in replies if r["kind"] == "wrong")


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        ("lamp", "desk", "desk"),
        ("lamp", "", ""),
        ("lamp", '"quoted"', '"quoted"'),
        ("a\nb", "a\nc", "a\nc"),
        (5, "6", 6),
        (5, "6.5", 6.5),
        (5, "12345678901234567890", 12345678901234567890),
        (True, "false", False),
        (["a"], '["b", 1]', ["b", 1]),
        ({"a": 1}, "{}", {}),
        (None, "3", 3),
        ("a\u202eb", '"ab"', "ab"),
    ],
    ids=repr,
)
def test_an_edited_argument_keeps_its_kind(
    ask: Ask, before: Any, typed: str, after: Any
) -> None:
    found = edited(ask, {"x": before, "other": 1}, {"x": typed})

    assert found == {"x": after, "other": 1}
    assert type(found["x"]) is type(after)


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        (5, "five"),
        (5, "true"),
        (5, '"6"'),
        (5, ""),
        (5, "NaN"),
        (5, "1e999"),
        (5, "9" * 5000),
        (True, "yes"),
        (True, "1"),
        (["a"], "{}"),
        (["a"], "[" * 100_000),
        ({"a": 1}, "[]"),
        ({"a": 1}, '{"a": 1, "a": 2}'),
        ("a\u202eb", "ab"),
        ("a\u202eb", "5"),
        ("lamp", "a\x00b"),
        ("lamp", "\ud800"),
    ],
    ids=lambda v: repr(v)[:20],
)
def test_a_value_of_another_kind_is_refused_at_its_field(
    ask: Ask, before: Any, typed: str
) -> None:
    wrong = edited(ask, {"x": before, "other": 1}, {"x": typed})

    assert wrong.keys() == {"x"}
    assert wrong["x"].endswith(".")


def test_after_a_refused_edit_the_card_still_takes_an_answer(ask: Ask) -> None:
    asked = Asked(ask())
    assert asked.say(edits={"quantity": "five"}) == ["taken", "wrong"]

    asked.say(edits={"quantity": "6"})

    assert asked.answers[0].arguments == {"item": "lamp", "quantity": 6}


def test_a_hidden_part_is_never_sent_as_its_mask(ask: Ask) -> None:
    key = {"key": "Bearer [REDACTED]"}

    assert "hidden" in edited(ask, key, {"key": "Basic [REDACTED]"})["key"]
    assert edited(ask, key, {"key": "Basic abc"}) == {"key": "Basic abc"}


def test_what_is_typed_back_as_it_was_counts_as_not_edited(asked: Asked) -> None:
    asked.say(edits={"item": "lamp", "quantity": "5"})

    assert asked.answers[0].arguments is None
    assert asked.card.edited == []


def test_an_argument_can_be_left_out(asked: Asked) -> None:
    asked.say(leftOut=["quantity"])

    assert asked.answers[0].arguments == {"item": "lamp"}
    assert asked.card.edited == ["quantity"]


def test_a_value_too_long_to_show_is_shown_in_part_and_not_editable(ask: Ask) -> None:
    asked = Asked(ask(arguments={"text": "x" * 300_000, "n": 1}))
    shown = asked.card.card["arguments"][0]

    assert shown["kind"] == "fixed"
    assert shown["shown"].endswith("… (280,002 more characters)")
    assert asked.say(edits={"text": "y"}) == ["taken", "wrong"]
    asked.say(edits={"n": "2"})
    assert asked.answers[0].arguments == {"text": "x" * 300_000, "n": 2}


# ---------------------------------------------------------------------- what is kept
def test_the_state_holds_shown_text_only_and_never_what_was_typed(ask: Ask) -> None:
    asked = Asked(ask(arguments={"key": "[REDACTED]", "n": 1}))

    asked.say(edits={"key": "canary-typed-by-a-person"})

    assert asked.answers[0].arguments == {"key": "canary-typed-by-a-person", "n": 1}
    state = json.dumps(asked.card.get_state(), default=str)
    assert "canary" not in state
    assert asked.card.edited == ["key"]


def test_hostile_text_is_spelled_out_in_the_state(ask: Ask) -> None:
    hostile = "\x1b[31m\u202e<script>alert(1)</script>\x00"
    preview = Preview(method="POST", url=f"http://x/{hostile}", body=hostile)
    request = ask(title=hostile, arguments={hostile: hostile}, preview=preview)

    card = ConfirmationCard(request, print).card

    shown = [card[name] for name in ("title", "url", "body")]
    shown += [card["arguments"][0][name] for name in ("label", "shown", "edited")]
    for text in shown:
        assert not set(text) & {"\x1b", "\u202e", "\x00"}
        assert "<script>" in text


def test_its_text_twin_says_what_would_run_and_how_it_ended(asked: Asked) -> None:
    assert "POST http://127.0.0.1:8701/orders" in str(asked.card)
    asked.card.end("expired")

    assert str(asked.card).endswith("expired")
    bundle = asked.card._repr_mimebundle_()
    assert bundle is not None
    assert bundle[0]["text/plain"] == str(asked.card)
    assert "application/vnd.jupyter.widget-view+json" in bundle[0]


def test_the_twin_of_a_card_is_the_same_every_time(ask: Ask) -> None:
    twins = {str(ConfirmationCard(ask(call_id=c), print)) for c in ("a", "b")}

    assert len(twins) == 1
