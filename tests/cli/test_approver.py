import asyncio
import io
import re
from collections.abc import Mapping
from typing import Any

import pytest
from rich.console import Console

from sparknb.cli.approver import TerminalApprover
from sparknb.core.errors import InvalidInputError
from sparknb.core.problems import Problem
from sparknb.core.protocols import ApprovalRequest, Decision, Preview


def request(**changes: Any) -> ApprovalRequest:
    fields: dict[str, Any] = {
        "call_id": "1",
        "tool_id": "place_order",
        "title": "Place an order",
        "version": 3,
        "risk": "destructive",
        "effect": "delete",
        "idempotency": "unsafe",
        "arguments": {"item": "map", "count": 2, "tags": ["a"]},
        "preview": Preview(method="DELETE", url="http://127.0.0.1/x", body="{}"),
    }
    return ApprovalRequest(**(fields | changes))


def decide(*lines: str, **changes: Any) -> tuple[Decision, str]:
    """Give the decision after these typed lines, and what was shown."""
    shown = io.StringIO()
    typed = iter(lines)

    async def read_line() -> str:
        return next(typed)

    console = Console(file=shown, width=100, markup=False, highlight=False)
    approver = TerminalApprover(console, read_line)
    decision = asyncio.run(approver.decide(request(**changes)))
    assert next(typed, None) is None, "more was typed than asked for"
    return decision, shown.getvalue()


@pytest.mark.parametrize("answer", ["a\n", "approve\n", "Y\n", " yes \r\n"])
def test_a_clear_yes_allows_the_call_as_it_is(answer: str) -> None:
    decision, _ = decide(answer)
    assert (decision.outcome, decision.kind) == ("allow", "once")
    assert decision.arguments is None


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "r\n", "aa\n", "\x00\n", "да\n"])
def test_all_else_rejects(answer: str) -> None:
    decision, _ = decide(answer)
    assert decision.outcome == "reject"
    assert decision.reason


def test_the_card_shows_what_would_be_done() -> None:
    _, shown = decide("r\n")
    for part in (
        "place_order, version 3: Place an order",
        "destructive, effect delete, not safe to repeat",
        "DELETE http://127.0.0.1/x",
        '"map"',
        '["a"]',
    ):
        assert part in shown


def test_a_definition_that_is_not_saved_says_so() -> None:
    assert "place_order, unsaved" in decide("r\n", version=None)[1]


def test_tools_that_a_call_may_reach_are_named() -> None:
    _, shown = decide("r\n", preview=Preview(dependencies=["one", "two"]), arguments={})
    assert "may call  one, two" in shown
    assert "arguments" not in shown.replace("[e]dit arguments", "")


def test_hostile_text_on_the_card_is_spelled_out() -> None:
    preview = Preview(method="POST", url="http://x/\u202e", body="\x1b[2J[red]")
    title, arguments = "\x9b31m", {"\x1b]0;": "\x07\u2066"}
    _, shown = decide("r\n", title=title, arguments=arguments, preview=preview)
    assert "\\x1b[2J[red]" in shown
    assert all(c.isprintable() or c == "\n" for c in shown)


def test_values_are_edited_one_by_one() -> None:
    decision, shown = decide("e\n", "globe\n", "7\n", '["b", "c"]\n', "a\n")
    expected = {"item": "globe", "count": 7, "tags": ["b", "c"]}
    assert decision.arguments == expected
    assert "arguments are now" in shown


def test_enter_keeps_and_a_dash_leaves_out() -> None:
    decision, _ = decide("e\n", "\n", "-\n", "\n", "a\n")
    assert decision.arguments == {"item": "map", "tags": ["a"]}


def test_text_stays_text_unless_it_is_quoted() -> None:
    assert decide("e\n", "7\n", "\n", "\n", "a\n")[0].arguments == {
        "item": "7",
        "count": 2,
        "tags": ["a"],
    }
    quoted, _ = decide("e\n", '"-"\n', "\n", "\n", "a\n")
    assert quoted.arguments is not None
    assert quoted.arguments["item"] == "-"


def test_what_is_no_json_is_left_to_the_check_of_the_host() -> None:
    decision, _ = decide("e\n", "\n", "many\n", "\n", "a\n")
    assert decision.arguments is not None
    assert decision.arguments["count"] == "many"


def test_editing_can_be_followed_by_no() -> None:
    assert decide("e\n", "x\n", "\n", "\n", "r\n")[0].outcome == "reject"


def test_the_end_of_input_while_editing_rejects() -> None:
    assert decide("e\n", "", "", "", "")[0].outcome == "reject"


def test_after_an_edit_the_card_is_drawn_with_what_would_be_sent() -> None:
    def anew(edited: Mapping[str, Any]) -> ApprovalRequest:
        preview = Preview(method="DELETE", url=f"http://127.0.0.1/{edited['item']}")
        return request(arguments=edited, preview=preview)

    typed = ("e\n", "globe\n", "\n", "\n", "e\n", "car\n", "\n", "\n", "a\n")
    decision, shown = decide(*typed, with_arguments=anew)
    assert decision.arguments == {"item": "car", "count": 2, "tags": ["a"]}
    cards = re.findall(r"DELETE http://127.0.0.1/(\w+)", shown)
    assert cards == ["x", "globe", "car"]


def test_an_edit_that_cannot_be_sent_says_why_and_asks_again() -> None:
    def refuse(edited: Mapping[str, Any]) -> ApprovalRequest:
        problem = Problem(
            code="INVALID_INPUT", message=f"{edited['count']} is long", path="input.x"
        )
        raise InvalidInputError(problem.message, path="x", problems=[problem])

    typed = ("e\n", "\n", "\x1b[2J\n", "\n", "r\n")
    decision, shown = decide(*typed, with_arguments=refuse)
    assert decision.outcome == "reject"
    assert shown.count("Approve this call?") == 1
    assert "input.x" in shown
    assert "\\x1b[2J is long" in shown
    assert shown.count("[e]dit arguments") == 2  # the prompts


def test_nothing_to_edit_is_said() -> None:
    decision, shown = decide("e\n", "a\n", arguments={})
    assert "no arguments to edit" in shown
    assert decision.outcome == "allow"
