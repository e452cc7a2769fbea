"""Without network all widgets work (example 14).

The browser of all tests here has no way out, and a request for one fails the test.
This one asks in addition what was requested at all.
"""

from sparknb.examples import ExampleService
from tests.browser.desk import Desk
from tests.browser.shop import LOAD, asked, asking, button, notes


def test_all_widgets_work_in_an_offline_browser(
    desk: Desk, service: ExampleService
) -> None:
    desk.leave()  # so that the page is loaded under the eyes of this test
    cells = [
        "spark.secret('peek', 'key')",
        "spark.risk('note')",
        "%spark secret set peek key",
        asking("offline"),
        "%spark disable note",
        "%spark enable note",
    ]
    notebook = desk.open([LOAD, *cells])
    notebook.run(0)

    notebook.run(1)
    notebook.output(1).get_by_label("Value", exact=True).fill("one")
    button(notebook.output(1), "Save").click()
    notebook.output(1).get_by_role("status").get_by_text("Stored.").wait_for()

    notebook.run(2)
    notebook.output(2).get_by_label("update", exact=True).check()
    button(notebook.output(2), "Undo changes").click()
    assert notebook.output(2).get_by_label("create", exact=True).is_checked()

    notebook.start(3)
    notebook.output(3).get_by_label("Value", exact=True).fill("two")
    button(notebook.output(3), "Use this value").click()
    notebook.wait(3)

    notebook.start(4)
    button(asked(notebook, 4), "Approve").click()
    notebook.wait(4)
    assert [sent["text"] for sent in notes(service)] == ["offline"]

    notebook.run(5)
    notebook.start(6)
    button(asked(notebook, 6), "Yes").click()
    notebook.wait(6)
    assert "note" in notebook.text(6)
    assert "enabled" in notebook.text(6)

    assert desk.watch.hosts == {"127.0.0.1"}
