"""Without a mouse: every widget is reached, read and answered with keys alone."""

from typing import TYPE_CHECKING

from sparknb.examples import ExampleService
from tests.browser.desk import Desk
from tests.browser.notebook_page import NotebookPage
from tests.browser.shop import LOAD, asked, asking, button, notes

if TYPE_CHECKING:
    from playwright.sync_api import Locator

_MOST_TABS = 40
_FOCUSED = """element => new Promise((done) => {
  const look = () =>
    element === document.activeElement ? done() : requestAnimationFrame(look);
  look();
})"""


def press(notebook: NotebookPage, *keys: str) -> None:
    for key in keys:
        notebook.page.keyboard.press(key)


def run_with_keys(notebook: NotebookPage, index: int) -> None:
    """Run a cell from its editor."""
    notebook.select(index)
    press(notebook, "Enter", "Control+Enter")


def wait_for_focus(place: "Locator") -> None:
    place.evaluate(_FOCUSED)


def tab_to(notebook: NotebookPage, place: "Locator") -> None:
    """Press Tab until an element has the focus."""
    place.wait_for()
    for _ in range(_MOST_TABS):
        if place.evaluate("element => element === document.activeElement"):
            return
        press(notebook, "Tab")
    raise AssertionError("no Tab leads there")


def test_a_fresh_card_rejects_by_enter_and_approves_only_on_its_button(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, asking("first"), asking("second")])
    notebook.run(0)
    run_with_keys(notebook, 1)
    wait_for_focus(button(asked(notebook, 1), "Reject"))
    press(notebook, "Enter")
    notebook.output(1).get_by_text("Rejected. Nothing was sent.").wait_for()
    run_with_keys(notebook, 2)
    card = asked(notebook, 2)
    wait_for_focus(button(card, "Reject"))
    press(notebook, "Escape", "d", "d", "Tab", "Tab")  # dd deletes cells elsewhere
    wait_for_focus(button(card, "Approve"))
    assert notes(service) == []
    press(notebook, "Space")
    notebook.output(2).get_by_text("HTTP 200").wait_for()
    assert [sent["text"] for sent in notes(service)] == ["second"]


def test_arguments_are_edited(desk: Desk, service: ExampleService) -> None:
    notebook = desk.open([LOAD, asking("typo")])
    notebook.run(0)
    run_with_keys(notebook, 1)
    card = asked(notebook, 1)
    wait_for_focus(button(card, "Reject"))
    press(notebook, "Tab", "Enter")
    wait_for_focus(card.get_by_label("text", exact=True))
    press(notebook, "Control+a", "f", "i", "x", "Enter")
    assert card.is_visible(), "Enter in a field approved the call"
    tab_to(notebook, button(card, "Approve as edited"))
    press(notebook, "Enter")
    notebook.output(1).get_by_text("HTTP 200").wait_for()
    assert [sent["text"] for sent in notes(service)] == ["fix"]


def test_a_secret_is_entered(desk: Desk, service: ExampleService) -> None:
    notebook = desk.open([LOAD, "spark.secret('peek', 'key')", "%spark list"])
    notebook.run(0)
    run_with_keys(notebook, 1)
    field = notebook.output(1).get_by_label("Value", exact=True)
    tab_to(notebook, field)
    press(notebook, *"s3cret", "Enter")
    notebook.output(1).get_by_role("status").get_by_text("Stored.").wait_for()


def test_a_risk_is_chosen_above_the_floor_only(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, "spark.risk('advice')", "%spark show advice"])
    notebook.run(0)
    run_with_keys(notebook, 1)
    form = notebook.output(1)
    risk = form.get_by_role("group", name="Risk", exact=True)
    tab_to(notebook, risk.get_by_role("radio", name="low-write"))
    press(notebook, "ArrowLeft")
    risk.get_by_role("status").get_by_text("at least low-write").wait_for()
    assert risk.get_by_role("radio", name="low-write").is_checked()
    press(notebook, "ArrowRight", "ArrowRight")
    assert risk.get_by_role("radio", name="high-write").is_checked()
    tab_to(notebook, button(form, "Save to draft"))
    press(notebook, "Enter")
    form.get_by_role("status").get_by_text("Saved: draft version").wait_for()
    notebook.run(2)
    assert "high-write" in notebook.text(2)


def test_a_question_is_answered_no_by_enter(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, "%spark delete advice", "%spark show advice"])
    notebook.run(0)
    run_with_keys(notebook, 1)
    wait_for_focus(button(asked(notebook, 1), "No"))
    press(notebook, "Enter")
    notebook.output(1).get_by_text("You said no. Nothing was changed.").wait_for()
    notebook.run(2)
    assert "Make a remark" in notebook.text(2)
