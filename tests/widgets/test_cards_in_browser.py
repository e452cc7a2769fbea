"""Cards in a real browser: keyboard, focus, two at once, a busy kernel, a gone one."""

from collections.abc import Callable
from typing import Any

import pytest

from sparknb.commands.context import Question
from sparknb.core.protocols import ApprovalRequest, Decision, Preview
from sparknb.widgets import ConfirmationCard, QuestionCard
from tests.widgets.stage import Stage

Ask = Callable[..., ApprovalRequest]

expect = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
).expect

# what a widget manager does when its kernel goes
DISCONNECT = """
document.querySelector("[data-view]").classList.add("jupyter-widgets-disconnected")
"""
DIE = """
Object.values(stage.models)[0].widget_manager.kernel.status = "dead";
document.querySelector("[data-view]").classList.add("lm-mod-hidden")
"""


@pytest.fixture
def answers() -> list[Decision]:
    return []


@pytest.fixture
def card(ask: Ask, answers: list[Decision]) -> ConfirmationCard:
    return ConfirmationCard(ask(), answers.append)


def press(stage: Stage, *keys: str) -> None:
    for key in keys:
        stage.page.keyboard.press(key)


# ------------------------------------------------------------------ focus, keyboard
def test_a_new_card_has_the_focus_on_reject(
    stage: Stage, card: ConfirmationCard
) -> None:
    view = stage.show(card)

    expect(view.get_by_role("button", name="Reject")).to_be_focused()
    press(stage, "Enter")
    stage.pump()
    expect(view).to_contain_text("Rejected. Nothing was sent.")


def test_a_card_never_takes_the_focus_from_somebody_who_writes(
    stage: Stage, card: ConfirmationCard
) -> None:
    stage.open(card._css)
    stage.page.locator("#editor").focus()
    view = stage.show(card)

    expect(view.get_by_role("status")).to_contain_text("Reject is the first button")
    press(stage, "x", "Enter")
    expect(stage.page.locator("#editor")).to_have_value("x\n")
    assert stage.pump() == []
    press(stage, "Tab")
    assert stage.focused() == "Reject"


def test_the_order_is_reject_edit_approve_and_approving_needs_no_mouse(
    stage: Stage, card: ConfirmationCard, answers: list[Decision]
) -> None:
    view = stage.show(card)
    order = [stage.focused()]
    for _ in range(2):
        press(stage, "Tab")
        order.append(stage.focused())

    press(stage, "Enter")
    stage.pump()

    assert order == ["Reject", "Edit arguments", "Approve"]
    assert answers == [Decision(outcome="allow")]
    expect(view).to_contain_text("Approved, for this call only.")
    expect(view.get_by_role("button")).to_have_count(0)


def test_its_role_and_names_are_told_to_a_screen_reader(
    stage: Stage, card: ConfirmationCard
) -> None:
    stage.show(card)

    dialog = stage.page.get_by_role("alertdialog", name="Approve this call?")
    expect(dialog).to_have_accessible_description(
        "Place an order place_order, version 3 "
        "It creates something and is not safe to repeat."
    )
    expect(dialog.get_by_role("group", name="Arguments")).to_contain_text('"lamp"')


# ------------------------------------------------------------------------- editing
def test_arguments_are_edited_by_keyboard_and_enter_in_a_field_approves_nothing(
    stage: Stage, card: ConfirmationCard, answers: list[Decision]
) -> None:
    view = stage.show(card)
    press(stage, "Tab", "Enter")
    expect(view.get_by_label("item", exact=True)).to_be_focused()
    press(stage, "ControlOrMeta+a")
    stage.page.keyboard.type("desk")
    press(stage, "Enter")
    assert stage.pump() == []

    press(stage, "Tab", "Tab", "ControlOrMeta+a")
    stage.page.keyboard.type("6")
    press(stage, "Tab", "Tab", "Tab")
    assert stage.focused() == "Approve as edited"
    press(stage, "Enter")
    stage.pump()

    assert answers == [
        Decision(outcome="allow", arguments={"item": "desk", "quantity": 6})
    ]
    expect(view).to_contain_text("Edited: item, quantity.")


def test_what_is_no_number_is_said_at_its_field_and_not_sent(
    stage: Stage, card: ConfirmationCard, answers: list[Decision]
) -> None:
    view = stage.show(card)
    view.get_by_role("button", name="Edit arguments").click()
    quantity = view.get_by_label("quantity", exact=True)
    quantity.fill("five")
    view.get_by_role("button", name="Approve as edited").click()

    expect(quantity).to_be_focused()
    expect(quantity).to_have_attribute("aria-invalid", "true")
    expect(quantity).to_have_accessible_description("A number This must be a number.")
    assert stage.pump() == []
    quantity.fill("7")
    view.get_by_role("button", name="Approve as edited").click()
    stage.pump()
    assert answers[0].arguments == {"item": "lamp", "quantity": 7}


def test_what_the_kernel_refuses_is_said_at_its_field(
    stage: Stage, ask: Ask, answers: list[Decision]
) -> None:
    view = stage.show(
        ConfirmationCard(ask(arguments={"key": "a [REDACTED]"}), answers.append)
    )
    view.get_by_role("button", name="Edit arguments").click()
    view.get_by_label("key", exact=True).fill("b [REDACTED]")
    view.get_by_role("button", name="Approve as edited").click()
    stage.pump()

    expect(view.get_by_label("key", exact=True)).to_be_focused()
    expect(view).to_contain_text("Write all of it anew, or leave it as it was.")
    assert answers == []
    view.get_by_role("button", name="Undo edits").click()
    expect(view.get_by_role("button", name="Edit arguments")).to_be_focused()
    view.get_by_role("button", name="Approve").click()
    stage.pump()
    assert answers == [Decision(outcome="allow")]


def test_every_kind_of_argument_has_its_field_and_comes_back_whole(
    stage: Stage, ask: Ask, answers: list[Decision]
) -> None:
    arguments: dict[str, Any] = {
        "text": "a\nb",
        "yes": True,
        "list": ["a", 1],
        "odd": "x\u202ey",
        "big": 12345678901234567890,
        "empty": "",
    }
    view = stage.show(ConfirmationCard(ask(arguments=arguments), answers.append))
    view.get_by_role("button", name="Edit arguments").click()

    expect(view.get_by_label("odd", exact=True)).to_have_value('"x\\u202ey"')
    view.get_by_label("yes", exact=True).select_option("false")
    view.get_by_label("Leave out empty").check()
    view.get_by_role("button", name="Approve as edited").click()
    stage.pump()

    del arguments["empty"]
    assert answers[0].arguments == arguments | {"yes": False}
    assert answers[0].arguments["big"] == 12345678901234567890


# ------------------------------------------------------------- two cards, two views
def test_a_second_card_leaves_the_focus_and_gets_only_its_own_answer(
    stage: Stage, ask: Ask
) -> None:
    first: list[Decision] = []
    second: list[Decision] = []
    one = stage.show(ConfirmationCard(ask(), first.append), "one")
    two = stage.show(ConfirmationCard(ask(call_id="call-2"), second.append), "two")

    expect(one.get_by_role("button", name="Reject")).to_be_focused()
    two.get_by_role("button", name="Approve").click()
    stage.pump()
    assert (len(first), len(second)) == (0, 1)
    expect(one.get_by_role("button", name="Reject")).to_be_enabled()
    one.get_by_role("button", name="Reject").click()
    stage.pump()
    assert [d.outcome for d in (*first, *second)] == ["reject", "allow"]


def test_two_views_of_one_card_show_the_same(
    stage: Stage, card: ConfirmationCard, answers: list[Decision]
) -> None:
    one, two = stage.show(card, "one"), stage.show(card, "two")

    two.get_by_role("button", name="Edit arguments").click()
    one.get_by_role("button", name="Approve").click()
    stage.pump()

    for view in (one, two):
        expect(view).to_contain_text("Approved, for this call only.")
        expect(view.get_by_role("button")).to_have_count(0)
    assert len(answers) == 1


def test_a_view_of_a_card_that_ended_shows_the_outcome_only(
    stage: Stage, card: ConfirmationCard
) -> None:
    card.end("expired")
    view = stage.show(card)

    expect(view).to_contain_text("Nobody answered in time. Nothing was sent.")
    expect(view.get_by_role("button")).to_have_count(0)
    assert stage.focused() != "Reject"


def test_ending_while_somebody_edits_takes_the_fields_away(
    stage: Stage, card: ConfirmationCard
) -> None:
    view = stage.show(card)
    view.get_by_role("button", name="Edit arguments").click()
    card.end("cancelled")
    stage.flush(card)

    expect(view).to_contain_text("Cancelled before an answer.")
    expect(view.get_by_role("textbox")).to_have_count(0)


# --------------------------------------------------------------- busy or gone kernel
def test_a_busy_kernel_is_said_and_one_answer_is_sent(
    stage: Stage, card: ConfirmationCard, answers: list[Decision]
) -> None:
    view = stage.show(card)
    approve = view.get_by_role("button", name="Approve")
    approve.click()
    approve.click(force=True)
    view.get_by_role("button", name="Reject").click(force=True)

    expect(view.get_by_role("status")).to_contain_text(
        "Waiting for the kernel: a running cell holds it."
    )
    assert answers == []
    assert [m["kind"] for m in stage.pump()] == ["approve"]
    expect(view).not_to_contain_text("Waiting for the kernel")
    assert answers == [Decision(outcome="allow")]


@pytest.mark.parametrize("loss", [DISCONNECT, DIE], ids=["disconnected", "dead"])
def test_a_gone_kernel_disables_the_controls_with_a_sentence(
    stage: Stage, card: ConfirmationCard, answers: list[Decision], loss: str
) -> None:
    view = stage.show(card)
    stage.page.evaluate(loss)

    for button in view.get_by_role("button").all():
        expect(button).to_be_disabled()
    expect(view.get_by_role("status")).to_contain_text(
        "The kernel that this belongs to is gone: run the cell again."
    )
    assert answers == []


def test_an_outcome_stays_when_the_kernel_goes(
    stage: Stage, card: ConfirmationCard
) -> None:
    view = stage.show(card)
    view.get_by_role("button", name="Approve").click()
    stage.pump()
    stage.page.evaluate(DISCONNECT)

    expect(view).to_contain_text("Approved, for this call only.")
    expect(view).not_to_contain_text("gone")


def test_a_view_that_is_taken_off_hears_nothing_more(
    stage: Stage, card: ConfirmationCard
) -> None:
    stage.show(card)
    hearers = "Object.values(Object.values(stage.models)[0].hearers).map(h => h.size)"
    assert sum(stage.page.evaluate(hearers)) == 2

    stage.page.evaluate("stage.clean.view()")

    assert sum(stage.page.evaluate(hearers)) == 0


# -------------------------------------------------------------------- hostile, huge
def test_hostile_text_is_text(stage: Stage, ask: Ask) -> None:
    hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202e'
    preview = Preview(method="POST", url=hostile, body=hostile)
    request = ask(title=hostile, arguments={hostile: hostile}, preview=preview)
    view = stage.show(ConfirmationCard(request, print))
    view.get_by_role("button", name="Edit arguments").click()

    expect(view).to_contain_text("<img src=x")
    expect(view).to_contain_text("\\u202e")
    assert view.locator("img, script").count() == 0
    assert stage.page.evaluate("window.hit") is None
    assert "\u202e" not in stage.page.content()


def test_long_values_scroll_inside_a_narrow_card(
    stage_in: Callable[..., Stage], ask: Ask
) -> None:
    stage = stage_in(width=320)
    preview = Preview(method="POST", url="http://x/" + "y" * 9000, body="z\n" * 2000)
    request = ask(arguments={"n" * 64: "w" * 15_000}, preview=preview)
    view = stage.show(ConfirmationCard(request, print))

    box = view.bounding_box()
    assert box is not None
    assert box["height"] < 900
    assert stage.page.evaluate("document.documentElement.scrollWidth") <= 320
    scrolling = view.get_by_role("group", name="Body, scrolls")
    expect(scrolling).to_have_attribute("tabindex", "0")


def test_an_answer_makes_no_layout_jump(stage: Stage, card: ConfirmationCard) -> None:
    view = stage.show(card)
    before = view.bounding_box()
    view.get_by_role("button", name="Approve").click()
    expect(view).to_contain_text("Waiting for the kernel")
    during = view.bounding_box()
    stage.pump()

    assert before == during == view.bounding_box()


# ------------------------------------------------------------------------- question
def test_a_question_defaults_to_no_and_takes_a_yes(stage: Stage) -> None:
    answers: list[bool] = []
    question = Question("Publish version 2 of weather?", (("tool", "weather"),))
    view = stage.show(QuestionCard(question, answers.append))

    expect(view.get_by_role("button", name="No")).to_be_focused()
    press(stage, "Tab", "Enter")
    stage.pump()

    assert answers == [True]
    expect(view).to_contain_text("You said yes.")
