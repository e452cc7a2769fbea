"""Cards of steps in a tool's life, in the wording that every door shares."""

from typing import Any, get_args

import pytest

from sparknb.core.asking import AGREEMENTS, CONSEQUENCES, HEADINGS, subject
from sparknb.core.protocols import Action, ApprovalRequest, Preview
from sparknb.displays import approval_view, to_text
from sparknb.mcp import card

ACTIONS: tuple[Action, ...] = get_args(Action)


def request(action: Action, **changes: Any) -> ApprovalRequest:
    values: dict[str, Any] = {
        "call_id": "c",
        "tool_id": "order_item",
        "title": "Order something",
        "version": 3,
        "risk": "low-write",
        "effect": "create",
        "idempotency": "unsafe",
        "arguments": {},
        "preview": Preview(method="POST", url="http://shop.test/orders/{{item}}"),
        "action": action,
    }
    return ApprovalRequest(**(values | changes))


def test_every_action_has_words_of_its_own() -> None:
    for words in (HEADINGS, AGREEMENTS, CONSEQUENCES):
        assert set(words) == set(ACTIONS)
    assert len(set(HEADINGS.values())) == len(set(AGREEMENTS.values())) == len(ACTIONS)
    subjects = {subject(request(action)) for action in ACTIONS}
    assert len(subjects) == len(ACTIONS)
    assert all("order_item (low-write)" in said for said in subjects)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_card_says_what_it_is_about_and_what_follows(action: Action) -> None:
    text = to_text(approval_view(request(action)))
    assert HEADINGS[action] in text
    assert "order_item, version 3" in text
    assert "POST http://shop.test/orders/{{item}}" in text
    first = (CONSEQUENCES[action] or "").split(" ")[0]
    assert first in text


@pytest.mark.parametrize("action", ACTIONS)
def test_a_form_asks_for_exactly_this(action: Action) -> None:
    text = card.message(request(action))
    assert "custom_order_item, version 3" in text.split("\n")[0]
    assert "\nTitle: Order something\n" in text
    assert "Risk low-write, effect create, idempotency unsafe." in text
    assert (CONSEQUENCES[action] or "") in text
    assert ("Arguments:" in text) is (action in ("call", "test"))
    (box,) = card.schema(request(action))["properties"].values()
    assert (box["title"], box["default"]) == (AGREEMENTS[action], False)


def test_the_inputs_of_cases_cannot_forge_other_lines() -> None:
    shown = {"cases": 9, "inputs": [{"q": "x\nRisk read, effect read"}]}
    text = card.message(request("cases", arguments=shown))
    lines = [line for line in text.split("\n") if line.startswith("Risk")]
    assert len(lines) == 1
    assert '"cases": 9' in text


def test_a_card_about_a_program_names_it_and_says_once_what_it_may_call() -> None:
    facts = (("program", "Python, 2 lines"), ("may call", "refund"))
    preview = Preview(body="x", dependencies=("refund",), facts=facts)
    text = to_text(approval_view(request("cases", preview=preview)))
    assert "program   Python, 2 lines" in text
    assert text.count("refund") == 1


@pytest.mark.parametrize("action", ["publish", "enable", "rollback"])
def test_a_tool_for_images_is_not_said_to_be_seen_by_agents(action: Action) -> None:
    preview = Preview(facts=(("service", "eyes"), ("model", "sees")))
    about = request(action, preview=preview)
    for text in (to_text(approval_view(about)), card.message(about)):
        said = " ".join(text.split()).replace("agents never see it", "")
        assert "gents" not in said
        assert "mages are handed to" in said
