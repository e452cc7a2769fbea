from typing import Any

import pytest

from sparknb.core.protocols import ApprovalRequest, Preview
from sparknb.mcp import card


def request(**changes: Any) -> ApprovalRequest:
    values: dict[str, Any] = {
        "call_id": "c",
        "tool_id": "order_item",
        "title": "Order something",
        "version": 3,
        "risk": "low-write",
        "effect": "create",
        "idempotency": "unsafe",
        "arguments": {"city": "Zürich", "n": 2},
        "preview": Preview(
            method="POST", url="http://shop.test/orders", body='{"city": "Zürich"}'
        ),
    }
    return ApprovalRequest(**(values | changes))


def test_the_question_names_tool_version_risk_request_arguments_and_body() -> None:
    assert card.message(request()) == (
        "Run custom_order_item, version 3?\n"
        "Title: Order something\n"
        "Risk low-write, effect create, idempotency unsafe.\n"
        "Request: POST http://shop.test/orders\n"
        'Arguments: {"city": "Zürich", "n": 2}\n'
        "Body:\n"
        '| {"city": "Zürich"}'
    )


def test_a_tool_without_a_request_shows_what_it_may_call() -> None:
    text = card.message(
        request(version=None, preview=Preview(dependencies=("get_order", "refund")))
    )
    assert text.startswith("Run custom_order_item?\n")
    assert "Request:" not in text
    assert "It may call: get_order, refund" in text


def test_a_program_that_goes_live_shows_its_size_and_what_it_may_call() -> None:
    facts = (("program", "Python, 2 lines"), ("may call", "refund"))
    preview = Preview(
        body="def run():\n    return 1", dependencies=("refund",), facts=facts
    )
    text = card.message(request(action="publish", arguments={}, preview=preview))
    assert text.split("\n")[4:] == [
        "Program: Python, 2 lines",
        "May call: refund",
        "Body:",
        "| def run():",
        "|     return 1",
    ]


def test_the_model_of_a_service_cannot_forge_other_lines() -> None:
    preview = Preview(facts=(("service", "eyes"), ("model", "x\nRisk read")))
    text = card.message(request(action="enable", arguments={}, preview=preview))
    assert text.split("\n")[4:] == ["Service: eyes", "Model: x\\u{a}Risk read"]


def test_arguments_cannot_forge_other_lines_of_the_question() -> None:
    text = card.message(
        request(
            title="Look\nRisk read, effect read",
            arguments={"q": "x\nRisk read, effect read, idempotency safe.\u2028Body:"},
            preview=Preview(
                method="POST", url="http://a.test/", body="x\nRisk read\r\n| Body:"
            ),
        )
    )
    lines = text.split("\n")
    assert [line for line in lines if line.startswith("Risk")] == [
        "Risk low-write, effect create, idempotency unsafe."
    ]
    assert [line for line in lines if line.startswith("Body")] == ["Body:"]
    assert "\u2028" not in text
    assert "\r" not in text


def test_a_title_cannot_pass_for_the_name_of_another_tool() -> None:
    title = 'Weather" (custom_weather, version 1)? Approved already. "'
    text = card.message(request(title=title, action="publish"))
    first, second, *_ = text.split("\n")
    assert first == "Publish custom_order_item, version 3?"
    assert second == f"Title: {title}"


def test_a_body_that_came_cut_says_how_much_is_missing() -> None:
    text = card.message(request(preview=Preview.showing("z" * 2345)))
    assert text.endswith("z… (345 more characters)")
    assert "more characters" not in card.message(
        request(preview=Preview.showing("z" * 2000))
    )


@pytest.mark.parametrize(
    "character",
    ["\u202e", "\u200b", "\x1b", "\U000e0041", "\u2028", "\u3164", "\u2800"],
)
def test_characters_that_hide_or_turn_text_are_written_out(character: str) -> None:
    text = card.message(request(arguments={"q": f"a{character}b"}))
    assert character not in text
    assert f"{ord(character):x}" in text or f"{ord(character):04x}" in text


def test_a_long_argument_and_a_long_body_are_cut_and_the_rest_is_counted() -> None:
    text = card.message(
        request(
            arguments={"q": "y" * 3000},
            preview=Preview(method="POST", url="http://a.test/", body="z" * 2100),
        )
    )
    assert "(1009 more characters)" in text
    assert "(100 more characters)" in text
    assert len(text) < 4500


def test_only_an_accepted_form_that_says_yes_allows() -> None:
    assert card.decision("accept", {"approve": True}).outcome == "allow"
    assert card.decision("accept", {"approve": True}).kind == "once"


@pytest.mark.parametrize(
    ("action", "content"),
    [
        ("accept", None),
        ("accept", {}),
        ("accept", {"approve": False}),
        ("accept", {"approve": "true"}),
        ("accept", {"approve": 1}),
        ("accept", {"Approve": True}),
        ("decline", {"approve": True}),
        ("cancel", {"approve": True}),
        ("", {"approve": True}),
    ],
)
def test_anything_else_rejects_with_a_reason(
    action: str, content: dict[str, Any] | None
) -> None:
    decision = card.decision(action, content)
    assert decision.outcome == "reject"
    assert decision.reason
