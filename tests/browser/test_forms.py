"""Secret entry and risk form where the kernel is busy, and where others write too."""

from sparknb.examples import ExampleService
from tests.browser.desk import Desk
from tests.browser.shop import LOAD, button

# Blocks the kernel until a file is there; a person's own cell may do that.
BLOCKING = """
import os, time
print("begun", flush=True)
while not os.path.exists("go-on"):
    time.sleep(0.01)
"""

ELSEWHERE = """%%spark_tool remark --var service
title: Written elsewhere
description: Leaves a remark at the example service.
params:
  text: {type: string, description: What to write.}
request: POST ${service}/echo
body: {text: "{{text}}"}
"""


def test_a_field_used_while_a_cell_runs_says_that_it_waits(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, "spark.secret('peek', 'key')", BLOCKING])
    notebook.run(0)
    notebook.run(1)
    notebook.start(2)
    notebook.output(2).get_by_text("begun").wait_for()
    entry = notebook.output(1)
    entry.get_by_label("Value", exact=True).fill("a value")
    button(entry, "Save").click()
    status = entry.get_by_role("status")
    status.get_by_text("Waiting for the kernel: a running cell holds it.").wait_for()
    assert entry.get_by_label("Value", exact=True).input_value() == ""
    go_on = desk.server.notebooks / "go-on"
    go_on.touch()
    status.get_by_text("Stored.").wait_for()
    notebook.wait(2)
    go_on.unlink()


def test_a_form_opened_on_an_older_draft_loses_nothing(
    desk: Desk, service: ExampleService
) -> None:
    load = f"service = {service.url!r}\n{LOAD}"
    notebook = desk.open(
        [load, "spark.risk('remark')", ELSEWHERE, "%spark show remark"]
    )
    notebook.run(0)
    notebook.run(1)
    form = notebook.output(1)
    form.get_by_label("destructive", exact=True).check()
    notebook.run(2)
    button(form, "Save to draft").click()
    form.get_by_role("alert").get_by_text("Nothing was saved").wait_for()
    button(form, "Load it again").click()
    form.get_by_role("status").get_by_text("Your choice is kept.").wait_for()
    assert form.get_by_label("destructive", exact=True).is_checked()
    button(form, "Save to draft").click()
    form.get_by_role("status").get_by_text("Saved: draft version").wait_for()
    notebook.run(3)
    assert "Written elsewhere" in notebook.text(3)
    assert "destructive" in notebook.text(3)
