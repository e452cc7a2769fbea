"""A secret that was typed reaches the service, and is nowhere else (promise 1).

The kernels here log every message, and all folders of the server, its kernels and the
browser are searched, for every spelling of the value.
"""

from typing import TYPE_CHECKING

from sparknb.examples import ExampleService
from tests.browser.desk import Desk
from tests.browser.lab_server import DEBUG_KERNEL
from tests.browser.notebook_page import NotebookPage
from tests.browser.shop import LOAD, asking, button
from tests.canary import search_tree, text_forms

if TYPE_CHECKING:
    from playwright.sync_api import Locator

ENTRY = "entry = spark.secret('peek', 'key'); entry"
SET = "%spark secret set peek key"
NESTED = (
    "def inside():\n    get_ipython().run_line_magic('spark', 'secret set peek key')"
)
USE = asking("used", tool="peek")
TOLD = "print(entry, entry.get_state(), globals())\n%history -g"


def planted(name: str) -> str:
    """Give a value that no other test uses, with all that spoils a naive search."""
    return f"c4n4ry-{name}/+\"<&>'é=%20 value"


def type_into(field: "Locator", value: str) -> None:
    """Type as a person does, key by key."""
    field.click()
    field.press_sequentially(value)
    assert field.get_attribute("type") == "password"
    assert field.input_value() == value


def is_nowhere(desk: Desk, notebook: NotebookPage, secret: str) -> None:
    """Save all that can be saved, and search all that was written and is shown."""
    saved = notebook.save_with_widgets()
    assert saved["metadata"]["widgets"], "no widget state was saved"
    written = {path.name for path in desk.server.folder.rglob("*")}
    checkpoint = notebook.file.stem + "-checkpoint.ipynb"
    assert written >= {checkpoint, "history.sqlite", "kernel.log", "server.log"}
    assert "execute_request" in desk.server.log_text()
    assert search_tree(desk.server.folder, secret) == []
    assert search_tree(desk.profile, secret) == []
    shown = desk.everything_on_the_page()
    assert [form for form in text_forms(secret) if form in shown] == []


def was_sent(service: ExampleService, secret: str) -> bool:
    """Tell whether the service got the secret with its last request."""
    return service.requests[-1].header("x-api-key") == secret


def test_a_value_typed_into_the_secret_entry(
    desk: Desk, service: ExampleService
) -> None:
    secret = planted("entry")
    notebook = desk.open([LOAD, ENTRY, USE, TOLD], kernel=DEBUG_KERNEL)
    notebook.run(0)
    notebook.run(1)
    entry = notebook.output(1)
    entry.get_by_text("No value yet.").wait_for()
    field = entry.get_by_label("Value", exact=True)
    type_into(field, secret)
    button(entry, "Save").click()
    entry.get_by_role("status").get_by_text("Stored.").wait_for()
    assert field.input_value() == ""
    notebook.run(2)
    assert was_sent(service, secret)
    assert "[REDACTED]" in notebook.text(2), "the service sends back what it got"
    notebook.run(3)
    assert "spark.secret('peek', 'key')" in notebook.text(3), "no history was shown"
    is_nowhere(desk, notebook, secret)


def test_a_value_typed_for_the_command(desk: Desk, service: ExampleService) -> None:
    secret = planted("command")
    notebook = desk.open([LOAD, SET, USE], kernel=DEBUG_KERNEL)
    notebook.run(0)
    notebook.start(1)
    prompt = notebook.output(1)
    type_into(prompt.get_by_label("Value", exact=True), secret)
    button(prompt, "Use this value").click()
    notebook.wait(1)
    assert "key of peek is stored" in notebook.text(1)
    notebook.run(2)
    assert was_sent(service, secret)
    is_nowhere(desk, notebook, secret)


def test_a_value_typed_at_the_input_prompt(desk: Desk, service: ExampleService) -> None:
    secret = planted("prompt")
    notebook = desk.open([LOAD, f"{NESTED}\ninside()", USE, ENTRY], kernel=DEBUG_KERNEL)
    notebook.run(0)
    notebook.start(1)
    field = notebook.cell(1).locator("input.jp-Stdin-input")
    type_into(field, secret)
    field.press("Enter")
    notebook.wait(1)
    notebook.run(2)
    assert was_sent(service, secret)
    notebook.run(3)
    is_nowhere(desk, notebook, secret)


def test_a_value_that_was_not_given_is_not_kept_either(
    desk: Desk, service: ExampleService
) -> None:
    secret = planted("cancelled")
    notebook = desk.open([LOAD, SET, USE, ENTRY], kernel=DEBUG_KERNEL)
    notebook.run(0)
    notebook.start(1)
    prompt = notebook.output(1)
    type_into(prompt.get_by_label("Value", exact=True), secret)
    button(prompt, "Show the value").click()
    assert prompt.get_by_label("Value", exact=True).get_attribute("type") == "text"
    button(prompt, "Cancel").click()
    notebook.wait(1)
    assert "SparkMagicError: CANCELLED" in notebook.text(1)
    notebook.run(2)
    assert "SECRET_MISSING" in notebook.text(2)
    assert not service.requests
    notebook.run(3)  # a value that was typed and never saved
    type_into(notebook.output(3).get_by_label("Value", exact=True), secret)
    saved = notebook.save_with_widgets()
    assert saved["metadata"]["widgets"]
    assert search_tree(desk.server.folder, secret) == []
    notebook.output(3).get_by_label("Value", exact=True).fill("")
    is_nowhere(desk, notebook, secret)
