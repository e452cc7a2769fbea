"""Text from elsewhere is shown as text, in every view, and never runs (example 9)."""

from sparknb.examples import ExampleService
from tests.browser.desk import Desk
from tests.browser.shop import LOAD, SCRIPT, asked, asking, button, notes

ANSI = "\x1b]8;;http://elsewhere.invalid/\x1b\\click\x1b]8;;\x1b\\ \x1b[2J\u202e"

WRONG = f"""%%spark_tool bad_{{SCRIPT}}
title: "{SCRIPT}"
"{SCRIPT}": 1
request: GET http://127.0.0.1/{SCRIPT}
"""


def nothing_ran(desk: Desk) -> None:
    assert desk.page.evaluate("() => window.hacked") is None
    assert desk.page.locator("script:text('window.hacked')").count() == 0


def test_a_script_is_text_on_cards_and_in_results(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, asking(SCRIPT + ANSI, tool="hostile")])
    notebook.run(0)
    notebook.start(1)
    card = asked(notebook, 1)
    card.get_by_text(f"Bad {SCRIPT}").wait_for()
    button(card, "Edit arguments").click()
    button(card, "Approve as edited").click()
    notebook.wait(1)
    assert notes(service)[0]["text"] == SCRIPT + ANSI
    result = notebook.output(1).last
    assert "<script>window.hacked=1</script>" in result.inner_text()
    shown = notebook.output(1).all_inner_texts()
    assert not [text for text in shown if "\x1b" in text or "\u202e" in text]
    nothing_ran(desk)


def test_a_script_is_text_in_all_other_views(
    desk: Desk, service: ExampleService
) -> None:
    views = [
        "%spark",
        "%spark show hostile",
        "%spark show hostile --json",
        "spark.risk('hostile')",
        "spark.tools",
        "spark.tools['hostile']",
        '%spark call hostile --dry-run --input \'{"text": "<script>"}\'',
        "%spark show '<script>window.hacked=1</script>'",
        "%spark delete hostile",
    ]
    notebook = desk.open([LOAD, *views])
    notebook.run(0)
    for index, _ in enumerate(views[:-1], start=1):
        notebook.run(index)
        assert "hostile" in notebook.text(index) or "<script>" in notebook.text(index)
    last = len(views)
    notebook.start(last)
    asked(notebook, last).get_by_text(f"Bad {SCRIPT}").wait_for()
    button(asked(notebook, last), "No").click()
    notebook.wait(last)
    nothing_ran(desk)
    notebook.save_with_widgets()
    desk.open_file(notebook.file)  # as one that came from elsewhere
    nothing_ran(desk)
