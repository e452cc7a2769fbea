"""A pasted command and an API description, from the paste to drafts, in JupyterLab."""

import json

import pytest

from sparknb.examples import ExampleService
from tests.browser.desk import Desk
from tests.browser.lab_server import DEBUG_KERNEL
from tests.browser.notebook_page import NotebookPage
from tests.browser.shop import LOAD, button
from tests.browser.test_labextension import INSTALLED
from tests.canary import search_tree, text_forms

needs_extension = pytest.mark.skipif(
    not INSTALLED.is_file(),
    reason="the JupyterLab extension is not installed: `make labextension` builds it",
)
LIST = "%spark list"


def pasted(service: ExampleService, tool: str, secret: str) -> str:
    """Give a cell with a command; it is typed, so no file holds it from the start."""
    return (
        f"%%spark_curl {tool}\n"
        f"curl '{service.url}/echo?q=x' -H 'Authorization: Bearer {secret}'"
    )


def source(notebook: NotebookPage, index: int) -> str:
    return "".join(notebook.saved()["cells"][index]["source"])


@needs_extension
def test_a_pasted_secret_is_nowhere_once_its_cell_is_replaced(
    desk: Desk, service: ExampleService
) -> None:
    secret = "canary-c0b1-pasted-in-a-cell"
    notebook = desk.open(
        [LOAD, "pass", "%%spark_test curled\n", "print(In, _i, _ii)\n%history -g"],
        kernel=DEBUG_KERNEL,
    )
    notebook.run(0)
    notebook.set_source(1, pasted(service, "curled", secret))
    notebook.run(1)
    assert "SECRET_IN_CELL" in notebook.text(1)
    button(notebook.cell(1), "Replace this cell").click()
    notebook.cell(1).get_by_text("The cell is replaced. Save the notebook.").wait_for()
    notebook.run(2)
    assert service.requests[-1].header("authorization") == f"Bearer {secret}"
    notebook.run(3)
    assert "spark_curl" in notebook.text(3), "no history was shown"

    notebook.save_with_widgets()

    assert source(notebook, 1).startswith("%%spark_tool curled\n")
    assert "execute_request" in desk.server.log_text()
    assert search_tree(desk.server.folder, secret) == []
    assert search_tree(desk.profile, secret) == []
    shown = desk.everything_on_the_page()
    assert [form for form in text_forms(secret) if form in shown] == []
    notebook.run(1)
    assert "is unchanged" in notebook.text(1)


@needs_extension
def test_a_cell_that_was_changed_meanwhile_stays_as_it_is(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, f"%%spark_curl kept\ncurl {service.url}/echo"])
    notebook.run(0)
    notebook.run(1)
    notebook.set_source(1, "mine = 1")
    button(notebook.cell(1), "Replace this cell").click()

    notebook.cell(1).get_by_text("stays as it is").wait_for()
    notebook.save()
    assert source(notebook, 1) == "mine = 1"


def test_operations_are_picked_and_imported_by_keyboard(
    desk: Desk, service: ExampleService
) -> None:
    line = f"%spark import openapi {service.url}/openapi.json"
    notebook = desk.open([LOAD, line, LIST])
    notebook.run(0)
    notebook.run(1)
    picker = notebook.output(1)
    search = picker.get_by_label("Search")
    search.focus()
    desk.page.keyboard.type("weather")
    picker.get_by_role("listbox").focus()
    desk.page.keyboard.press("Control+a")
    desk.page.keyboard.press("Tab")
    desk.page.keyboard.press("Enter")
    picker.get_by_text("saved.").wait_for()

    desk.pictures(notebook.cell(1), "operation-picker")
    assert desk.violations(picker) == []
    notebook.run(2)
    assert "weather" in notebook.text(2)
    assert json.dumps(notebook.saved()).count(service.url) >= 1


def test_the_cell_to_go_on_with_can_be_read_in_both_themes(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, pasted(service, "seen", "not-a-secret-of-anybody")])
    notebook.run(0)
    notebook.run(1)
    button(notebook.cell(1), "Replace this cell").wait_for()

    desk.pictures(notebook.cell(1), "cell-to-go-on-with")
    assert desk.violations(notebook.output(1)) == []
