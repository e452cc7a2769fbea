"""A card waits, and its kernel is interrupted, restarted or killed: nothing is sent."""

import os
import signal

from sparknb.examples import ExampleService
from tests.browser.desk import OWN_KERNEL, Desk
from tests.browser.notebook_page import NotebookPage
from tests.browser.shop import LOAD, asked, asking, button, notes

GONE = "The kernel that this belongs to is gone: run the cell again."
PROCESS = "import os; os.getpid()"


def waiting(desk: Desk) -> NotebookPage:
    """Give a notebook whose cell 2 waits for a click; cell 1 tells the process."""
    cells = [LOAD, PROCESS, asking("never"), asking("later")]
    notebook = desk.open(cells, kernel=OWN_KERNEL)
    notebook.run(0)
    notebook.run(1)
    notebook.start(2)
    asked(notebook, 2).wait_for()
    return notebook


def says_so(notebook: NotebookPage) -> None:
    """Wait until the card tells that its kernel is gone, and offers nothing."""
    notebook.output(2).get_by_text(GONE).wait_for()
    buttons = notebook.output(2).get_by_role("button")
    assert buttons.count() > 0
    assert all(b.is_disabled() for b in buttons.all())


def works_again(notebook: NotebookPage, service: ExampleService) -> None:
    """Require that nothing was sent, and that the next call is asked about and sent."""
    assert notes(service) == []
    notebook.start(3)
    button(asked(notebook, 3), "Approve").click()
    notebook.wait(3)
    assert [sent["text"] for sent in notes(service)] == ["later"]


def test_an_interrupt_ends_the_wait_as_cancelled(
    desk: Desk, service: ExampleService
) -> None:
    notebook = waiting(desk)
    notebook.interrupt()
    notebook.wait(2)
    assert "SparkMagicError: CANCELLED" in notebook.text(2)
    ended = "Cancelled before an answer. Nothing was sent."
    notebook.output(2).get_by_text(ended).wait_for()
    works_again(notebook, service)


def test_a_restart_leaves_a_card_that_says_so(
    desk: Desk, service: ExampleService
) -> None:
    notebook = waiting(desk)
    notebook.restart()
    says_so(notebook)
    notebook.run(0)
    works_again(notebook, service)


def test_a_killed_kernel_leaves_a_card_that_says_so(
    desk: Desk, service: ExampleService
) -> None:
    notebook = waiting(desk)
    os.kill(int(notebook.text(1)), signal.SIGKILL)
    notebook.dismiss_death_notice()
    says_so(notebook)
    notebook.run(0)
    works_again(notebook, service)
