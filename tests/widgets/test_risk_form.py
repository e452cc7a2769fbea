"""The risk form's kernel side: rules from the core, saves that never overwrite."""

from typing import Any

import pytest

from sparknb.core.definitions import RISKS
from sparknb.core.errors import NotFoundError
from sparknb.host import Host
from sparknb.host.loop_thread import LoopThread
from sparknb.widgets import RiskForm, risk_state
from tests.hosting import Definition, http_tool
from tests.widgets.stage import Hand, replies, say

SAVE = {
    "id": "a-1",
    "kind": "save",
    "risk": "high-write",
    "effect": "send",
    "idempotency": "unsafe",
}


class Opened:
    """A form on a tool, and what a page would send."""

    def __init__(self, loop: LoopThread, host: Host, hand: Hand, tool_id: str) -> None:
        self.hand = hand
        state = loop.run(risk_state(host, tool_id))
        self.form = RiskForm(host, tool_id, state, hand)

    def say(self, content: Any) -> list[dict[str, Any]]:
        said = say(self.form, content)
        self.hand.deliver()
        return said + replies(self.form)


@pytest.fixture
def opened(loop: LoopThread, host: Host, hand: Hand, order_tool: Definition) -> Opened:
    return Opened(loop, host, hand, "place_order")


def stored(loop: LoopThread, host: Host) -> tuple[Any, ...]:
    tool = loop.run(host.studio.get("place_order")).tool
    return (tool.risk, tool.effect, tool.idempotency)


def test_it_shows_floor_derivation_and_what_it_means(opened: Opened) -> None:
    tool = opened.form.tool

    assert (tool["from"], tool["floor"]) == ("POST", "low-write")
    assert tool["derivation"].startswith("POST → low-write/create/unsafe: ")
    assert opened.form.rules["risk"]["read"]["meaning"].startswith("Agents run it")
    text = str(opened.form)
    assert "place_order, draft version 1" in text
    assert "A person is asked before every call." in text


@pytest.mark.parametrize(
    ("method", "blocked"),
    [
        ("GET", ()),
        ("POST", ("read",)),
        ("PUT", ("read",)),
        ("PATCH", ("read",)),
        ("DELETE", ("read", "low-write", "high-write")),
    ],
)
def test_what_is_below_the_floor_of_a_method_says_why(
    loop: LoopThread, host: Host, hand: Hand, method: str, blocked: tuple[str, ...]
) -> None:
    loop.run(host.studio.create_draft(http_tool("http://x.example/", method=method)))

    rules = Opened(loop, host, hand, "items").form.rules["risk"]

    found = tuple(risk for risk in RISKS if rules[risk]["why"])
    assert found == blocked
    assert all(method in rules[risk]["why"] for risk in found)


def test_the_consistency_rules_come_as_tables(opened: Opened) -> None:
    rules = opened.form.rules

    assert [e for e, why in rules["effect"]["read"].items() if not why] == ["read"]
    assert not any(rules["effect"]["low-write"].values())
    again = rules["idempotency"]["destructive"]
    assert [i for i, why in again.items() if not why] == ["unsafe"]


def test_saving_writes_the_draft(loop: LoopThread, host: Host, opened: Opened) -> None:
    said = opened.say(SAVE)

    assert [r["kind"] for r in said] == ["taken", "saved"]
    assert stored(loop, host) == ("high-write", "send", "unsafe")
    assert opened.form.tool["chosen"]["risk"] == "high-write"


def test_saving_what_is_there_changes_nothing(opened: Opened) -> None:
    opened.say(SAVE)

    assert opened.say(SAVE)[-1]["kind"] == "unchanged"


def test_a_published_tool_gets_a_draft_by_saving(
    loop: LoopThread, host: Host, hand: Hand, order_tool: Definition
) -> None:
    loop.run(host.secrets.set("place_order", "api_key", "some-value"))
    loop.run(host.studio.publish("place_order"))
    opened = Opened(loop, host, hand, "place_order")
    assert opened.form.tool["stands"] == "published version 1"

    opened.say(SAVE)

    detail = loop.run(host.studio.get("place_order"))
    assert detail.draft is not None
    assert detail.draft.definition["risk"] == "high-write"
    assert detail.published is not None
    assert detail.published.definition["risk"] == "low-write"
    assert opened.form.tool["stands"] == "draft version 2"


def test_a_stale_form_overwrites_nothing_and_can_be_loaded_again(
    loop: LoopThread, host: Host, order_tool: Definition, opened: Opened
) -> None:
    loop.run(host.studio.save_draft(order_tool | {"title": "Changed elsewhere"}))

    conflict = opened.say(SAVE)[-1]

    assert conflict["kind"] == "conflict"
    assert "changed since this form was opened" in conflict["text"]
    assert stored(loop, host)[0] == "low-write"
    # loaded again, the same choice is saved on top of the other change
    assert opened.say({"id": "a-2", "kind": "load"})[-1]["kind"] == "loaded"
    assert opened.say(SAVE)[-1]["kind"] == "saved"
    detail = loop.run(host.studio.get("place_order"))
    assert detail.shown.definition["title"] == "Changed elsewhere"
    assert detail.shown.definition["risk"] == "high-write"


def test_a_draft_that_was_dropped_is_not_brought_back(
    loop: LoopThread, host: Host, hand: Hand, order_tool: Definition
) -> None:
    loop.run(host.secrets.set("place_order", "api_key", "some-value"))
    loop.run(host.studio.publish("place_order"))
    loop.run(host.studio.save_draft(order_tool | {"title": "Dropped"}))
    opened = Opened(loop, host, hand, "place_order")
    loop.run(host.studio.discard_draft("place_order"))

    assert opened.say(SAVE)[-1]["kind"] == "conflict"
    assert loop.run(host.studio.get("place_order")).draft is None


def test_a_tool_that_went_away_is_said(
    loop: LoopThread, host: Host, opened: Opened
) -> None:
    loop.run(host.studio.delete("place_order"))

    for content in (SAVE, {"id": "a-2", "kind": "load"}):
        last = opened.say(content)[-1]
        assert last["kind"] == "wrong"
        assert "no tool has the id" in last["text"]
        assert "sparknb list" not in last["hint"]


def test_the_host_checks_what_a_page_should_not_have_sent(
    loop: LoopThread, host: Host, opened: Opened
) -> None:
    below = SAVE | {"risk": "read", "effect": "read", "idempotency": "safe"}

    last = opened.say(below)[-1]

    assert last["kind"] == "wrong"
    assert "at least low-write" in last["text"]
    assert stored(loop, host)[0] == "low-write"


@pytest.mark.parametrize(
    "changes",
    [
        {"risk": "none"},
        {"risk": None},
        {"risk": ["read"]},
        {"effect": "READ"},
        {"idempotency": 1},
        {"revision": 1},
        {"tool": "other"},
        {"kind": "publish"},
        {"kind": "load"},
    ],
    ids=repr,
)
def test_an_altered_message_saves_nothing(
    hand: Hand, opened: Opened, changes: dict[str, Any]
) -> None:
    said = say(opened.form, SAVE | changes)

    assert [r["kind"] for r in said] == ["taken", "ignored"]
    assert hand.waiting == []


def test_buffers_and_a_second_save_at_once_are_ignored(
    hand: Hand, opened: Opened
) -> None:
    assert say(opened.form, SAVE, [b"x"])[-1]["kind"] == "ignored"
    say(opened.form, SAVE)
    assert say(opened.form, SAVE)[-1]["kind"] == "ignored"

    assert len(hand.waiting) == 1


def test_an_unknown_tool_has_no_form(loop: LoopThread, host: Host) -> None:
    with pytest.raises(NotFoundError):
        loop.run(risk_state(host, "nothing"))
