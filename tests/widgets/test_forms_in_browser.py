"""Secret fields and the risk form in a real browser."""

from collections.abc import Callable

import pytest

from sparknb.host import Host
from sparknb.host.loop_thread import LoopThread
from sparknb.widgets import (
    RiskForm,
    SecretEntry,
    SecretPrompt,
    risk_state,
    secret_state,
)
from tests.hosting import Definition
from tests.widgets.stage import Hand, Stage

expect = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
).expect

CANARY = "canary-5b1d-value"


@pytest.fixture
def entry(
    loop: LoopThread, host: Host, hand: Hand, order_tool: Definition
) -> SecretEntry:
    key = ("place_order", "api_key")
    return SecretEntry(host, *key, loop.run(secret_state(host, *key)), hand)


@pytest.fixture
def open_form(
    loop: LoopThread, host: Host, hand: Hand, order_tool: Definition
) -> Callable[[], RiskForm]:
    def make() -> RiskForm:
        state = loop.run(risk_state(host, "place_order"))
        return RiskForm(host, "place_order", state, hand)

    return make


def values_on(stage: Stage) -> str:
    """Give all that a page holds: markup, values of fields, state of models."""
    return str(
        stage.page.evaluate(
            """() => document.documentElement.outerHTML
            + [...document.querySelectorAll("input")].map((i) => i.value)
            + JSON.stringify(Object.values(stage.models).map((m) => m.state))"""
        )
    )


# -------------------------------------------------------------------------- secrets
def test_a_value_is_typed_stored_and_gone(
    stage: Stage, host: Host, hand: Hand, entry: SecretEntry
) -> None:
    view = stage.show(entry)
    value = view.get_by_label("Value", exact=True)
    value.focus()
    stage.page.keyboard.type(CANARY)
    assert value.get_attribute("type") == "password"
    assert value.get_attribute("autocomplete") == "off"
    stage.page.keyboard.press("Enter")

    # before the kernel has seen anything
    assert CANARY not in values_on(stage)
    (content,) = stage.pump()
    assert content.keys() == {"id", "kind"}
    hand.deliver()
    stage.flush(entry)
    expect(view).to_contain_text("Stored. Kept for 127.0.0.1 only.")
    expect(view).to_contain_text("stored in the memory keychain".capitalize())
    stored = host.keychain.read("custom-tool:place_order:api_key")
    assert stored is not None
    assert stored.value == CANARY


def test_undo_brings_no_value_back(stage: Stage, entry: SecretEntry) -> None:
    view = stage.show(entry)
    view.get_by_label("Value", exact=True).focus()
    stage.page.keyboard.type(CANARY)
    stage.page.keyboard.press("Enter")

    expect(view.get_by_label("Value", exact=True)).to_be_focused()
    for _ in range(3):
        stage.page.keyboard.press("ControlOrMeta+z")

    assert CANARY not in values_on(stage)


def test_the_value_can_be_revealed_and_is_hidden_again_after_saving(
    stage: Stage, entry: SecretEntry
) -> None:
    view = stage.show(entry)
    value = view.get_by_label("Value", exact=True)
    value.fill(CANARY)
    view.get_by_role("button", name="Show the value").click()
    expect(value).to_have_attribute("type", "text")
    view.get_by_role("button", name="Hide the value").click()
    expect(value).to_have_attribute("type", "password")
    view.get_by_role("button", name="Show the value").click()
    view.get_by_role("button", name="Save").click()

    expect(view.get_by_label("Value", exact=True)).to_have_attribute("type", "password")


def test_a_new_message_takes_the_place_of_the_last(
    stage: Stage, hand: Hand, entry: SecretEntry
) -> None:
    view = stage.show(entry)
    view.get_by_label("Value", exact=True).fill(CANARY)
    view.get_by_role("button", name="Save").click()
    stage.pump()
    hand.deliver()
    stage.flush(entry)
    expect(view.get_by_role("status")).to_contain_text("Stored.")

    view.get_by_role("button", name="Save").click()

    expect(view).to_contain_text("Enter a value first.")
    expect(view.get_by_role("status")).to_be_empty()


def test_what_the_host_refuses_stands_at_the_field(
    stage: Stage, hand: Hand, entry: SecretEntry
) -> None:
    view = stage.show(entry)
    value = view.get_by_label("Value", exact=True)
    value.press("Enter")
    expect(view).to_contain_text("Enter a value first.")
    assert stage.pump() == []

    value.fill(f"{CANARY}\u2013")
    value.press("Enter")
    stage.pump()
    hand.deliver()
    stage.flush(entry)

    expect(value).to_have_attribute("aria-invalid", "true")
    expect(view).to_contain_text("cannot stand in a request header")
    assert CANARY not in values_on(stage)


def test_a_busy_kernel_gets_the_value_later_and_the_page_keeps_none(
    stage: Stage, hand: Hand, entry: SecretEntry
) -> None:
    view = stage.show(entry)
    view.get_by_label("Value", exact=True).fill(CANARY)
    view.get_by_role("button", name="Save").click()

    expect(view.get_by_role("status")).to_contain_text("Waiting for the kernel")
    assert CANARY not in values_on(stage)
    stage.pump()
    hand.deliver()
    stage.flush(entry)
    expect(view.get_by_role("status")).to_contain_text("Stored.")


def test_a_view_that_is_taken_off_empties_its_field(
    stage: Stage, entry: SecretEntry
) -> None:
    view = stage.show(entry)
    view.get_by_label("Value", exact=True).fill(CANARY)
    stage.page.evaluate("window.kept = document.querySelector('.spark-input')")

    stage.page.evaluate("stage.clean.view()")

    assert stage.page.evaluate("kept.value") == ""


def test_a_gone_kernel_takes_no_value(stage: Stage, entry: SecretEntry) -> None:
    view = stage.show(entry)
    view.get_by_label("Value", exact=True).fill(CANARY)
    stage.page.evaluate(
        "document.querySelector('[data-view]').classList"
        ".add('jupyter-widgets-disconnected')"
    )

    expect(view.get_by_label("Value", exact=True)).to_be_disabled()
    expect(view.get_by_role("status")).to_contain_text("run the cell again")
    assert CANARY not in values_on(stage)


def test_a_prompt_takes_the_focus_and_hands_the_value_on(stage: Stage) -> None:
    values: list[str | None] = []
    prompt = SecretPrompt("Value of api_key for weather", values.append)
    view = stage.show(prompt)
    expect(view.get_by_label("Value", exact=True)).to_be_focused()
    stage.page.keyboard.insert_text(f"{CANARY} ünïcode")
    stage.page.keyboard.press("Enter")
    stage.pump()

    assert values == [f"{CANARY} ünïcode"]
    assert CANARY not in values_on(stage)
    expect(view).to_contain_text("The value was handed on; it is kept nowhere here.")
    expect(view.get_by_role("textbox")).to_have_count(0)


def test_a_prompt_is_cancelled_by_keyboard(stage: Stage) -> None:
    values: list[str | None] = []
    view = stage.show(SecretPrompt("Value of api_key", values.append))
    view.get_by_label("Value", exact=True).fill(CANARY)
    for key in ("Tab", "Tab", "Enter"):
        stage.page.keyboard.press(key)
    stage.pump()

    assert values == [None]
    assert CANARY not in values_on(stage)


# ----------------------------------------------------------------------------- risk
def test_below_the_floor_nothing_can_be_picked_and_the_reason_is_said(
    stage: Stage, open_form: Callable[[], RiskForm]
) -> None:
    view = stage.show(open_form())
    chosen = view.get_by_label("low-write", exact=True)
    expect(chosen).to_be_checked()

    view.get_by_label("read", exact=True).first.click(force=True)
    expect(chosen).to_be_checked()
    expect(view).to_contain_text("The risk of a POST request is at least low-write")
    # by keyboard: the blocked one can be reached, read, and passed
    chosen.focus()
    stage.page.keyboard.press("ArrowLeft")
    expect(chosen).to_be_checked()
    expect(view.get_by_label("read", exact=True).first).not_to_be_checked()


def test_a_choice_sets_what_the_rules_leave_and_gives_it_back(
    stage: Stage, open_form: Callable[[], RiskForm]
) -> None:
    form = open_form()
    view = stage.show(form)
    view.get_by_label("keyed").check()

    view.get_by_label("destructive", exact=True).check()
    expect(view.get_by_label("unsafe")).to_be_checked()
    expect(view).to_contain_text("Repeating is now unsafe.")
    expect(view).to_contain_text("told that it destroys")
    view.get_by_label("high-write", exact=True).check()
    expect(view.get_by_label("keyed")).to_be_checked()


def test_the_choice_is_saved_by_keyboard(
    stage: Stage,
    loop: LoopThread,
    host: Host,
    hand: Hand,
    open_form: Callable[[], RiskForm],
) -> None:
    form = open_form()
    view = stage.show(form)
    view.get_by_label("low-write", exact=True).focus()
    stage.page.keyboard.press("ArrowRight")
    stage.page.keyboard.press("Tab")
    stage.page.keyboard.press("ArrowRight")
    for _ in range(3):
        stage.page.keyboard.press("Tab")
    assert stage.focused() == "Save to draft"
    stage.page.keyboard.press("Enter")
    stage.pump()
    hand.deliver()
    stage.flush(form)

    expect(view).to_contain_text("Saved: draft version 1.")
    tool = loop.run(host.studio.get("place_order")).tool
    assert (tool.risk, tool.effect) == ("high-write", "update")


def test_a_conflict_keeps_the_choice_and_offers_to_load_again(
    stage: Stage,
    host: Host,
    hand: Hand,
    order_tool: Definition,
    open_form: Callable[[], RiskForm],
) -> None:
    form = open_form()
    view = stage.show(form)
    view.get_by_label("destructive", exact=True).check()
    hand.loop.run(host.studio.save_draft(order_tool | {"title": "Changed elsewhere"}))

    def step(name: str) -> None:
        view.get_by_role("button", name=name).click()
        stage.pump()
        hand.deliver()
        stage.flush(form)

    step("Save to draft")
    expect(view.get_by_role("alert")).to_contain_text("your choice is kept")
    expect(view.get_by_role("button", name="Load it again")).to_be_focused()
    expect(view.get_by_label("destructive", exact=True)).to_be_checked()
    step("Load it again")
    expect(view.get_by_label("destructive", exact=True)).to_be_checked()
    expect(view.get_by_role("alert")).to_have_count(0)
    step("Save to draft")

    shown = hand.loop.run(host.studio.get("place_order")).shown.definition
    assert (shown["risk"], shown["title"]) == ("destructive", "Changed elsewhere")


def test_changes_can_be_undone(stage: Stage, open_form: Callable[[], RiskForm]) -> None:
    view = stage.show(open_form())
    undo = view.get_by_role("button", name="Undo changes")
    expect(undo).to_be_disabled()
    view.get_by_label("destructive", exact=True).check()
    undo.click()

    expect(view.get_by_label("low-write", exact=True)).to_be_checked()
    assert stage.pump() == []
