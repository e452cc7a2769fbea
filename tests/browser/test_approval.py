"""A call that changes something waits for a click, and does what the click said."""

from sparknb.examples import ExampleService
from tests.browser.desk import OWN_KERNEL, Desk
from tests.browser.shop import LOAD, asked, asking, button, notes

# Two calls of one cell that wait at the same time.
TWO_AT_ONCE = """
import asyncio
def call(text):
    return get_ipython().run_cell_magic("_async_spark_test", "note --no-raise", text)
_ = await asyncio.gather(call("text: first"), call("text: second"))
"""

NESTED = """
def inside():
    get_ipython().run_cell_magic("spark_test", "note", "text: nested")
inside()
"""


def test_approve_sends_what_the_card_showed(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, asking("from the card"), "'after'"])
    notebook.run(0)
    notebook.start(1)
    notebook.start(2)  # its turn comes after the card's
    card = asked(notebook, 1)
    card.get_by_text("from the card").first.wait_for()
    assert notebook.outputs(2) == []
    assert notes(service) == []
    button(card, "Approve").click()
    notebook.wait(1)
    notebook.wait(2)
    assert notes(service) == [{"text": "from the card", "copies": 1}]
    assert "HTTP 200" in notebook.text(1)
    assert notebook.text(2) == "'after'"
    assert notebook.output(1).get_by_text("Approved, for this call only.").is_visible()
    assert asked(notebook, 1).count() == 0, "a card that was answered asks on"


def test_two_clicks_send_once(desk: Desk, service: ExampleService) -> None:
    notebook = desk.open([LOAD, asking("once")])
    notebook.run(0)
    notebook.start(1)
    button(asked(notebook, 1), "Approve").dblclick()
    notebook.wait(1)
    assert len(notes(service)) == 1


def test_reject_sends_nothing_and_fails_the_cell(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, asking("never")])
    notebook.run(0)
    notebook.start(1)
    button(asked(notebook, 1), "Reject").click()
    notebook.wait(1)
    assert "SparkMagicError: DENIED: you rejected the call" in notebook.text(1)
    assert notebook.output(1).get_by_text("Rejected. Nothing was sent.").is_visible()
    assert notes(service) == []


def test_edited_arguments_are_checked_and_sent(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, "%%spark_test note\ntext: typo\ncopies: 2\n"])
    notebook.run(0)
    notebook.start(1)
    card = asked(notebook, 1)
    button(card, "Edit arguments").click()
    card.get_by_label("text", exact=True).fill("corrected <b>ö</b>")
    card.get_by_label("copies", exact=True).fill("many")
    button(card, "Approve as edited").click()
    card.get_by_text("This must be a number.").wait_for()
    assert notebook.is_running(1)
    assert notes(service) == []
    card.get_by_label("copies", exact=True).fill("3")
    button(card, "Approve as edited").click()
    notebook.wait(1)
    assert notes(service) == [{"text": "corrected <b>ö</b>", "copies": 3}]
    ended = "Approved, for this call only. Edited: text, copies."
    assert notebook.output(1).get_by_text(ended).is_visible()


def test_cards_of_two_kernels_never_mix(desk: Desk, service: ExampleService) -> None:
    one = desk.open([LOAD, asking("one")])
    two = desk.open([LOAD, asking("two")], kernel=OWN_KERNEL)
    for notebook in (one, two):
        notebook.run(0)
        notebook.start(1)
    asked(two, 1).wait_for()
    button(asked(two, 1), "Approve").click()
    two.wait(1)
    assert [sent["text"] for sent in notes(service)] == ["two"]
    one.show()
    assert one.is_running(1)
    button(asked(one, 1), "Reject").click()
    one.wait(1)
    assert [sent["text"] for sent in notes(service)] == ["two"]


def test_two_cards_of_one_cell_never_mix(desk: Desk, service: ExampleService) -> None:
    notebook = desk.open([LOAD, TWO_AT_ONCE])
    notebook.run(0)
    notebook.start(1)
    first = asked(notebook, 1).filter(has_text='"first"')
    second = asked(notebook, 1).filter(has_text='"second"')
    first.wait_for()
    second.wait_for()
    button(second, "Approve").click()
    notebook.output(1).get_by_text("HTTP 200").wait_for()
    assert first.is_visible()
    button(first, "Reject").click()
    notebook.wait(1)
    assert [sent["text"] for sent in notes(service)] == ["second"]


def test_a_nested_call_asks_by_the_input_prompt(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, NESTED, NESTED])
    notebook.run(0)
    for index, answer in ((1, "approve"), (2, "")):
        notebook.start(index)
        prompt = notebook.cell(index).locator("input.jp-Stdin-input")
        prompt.fill(answer)
        prompt.press("Enter")
        notebook.wait(index)
    assert notes(service) == [{"text": "nested", "copies": 1}]
    assert "DENIED" in notebook.text(2)
