"""Every widget and output in both themes: a picture to look at, and axe's findings.

The pictures are in `test-artefacts/browser/`.
"""

from typing import TYPE_CHECKING

from sparknb.examples import ExampleService
from tests.browser.desk import OWN_KERNEL, THEMES, Desk
from tests.browser.notebook_page import NotebookPage
from tests.browser.shop import LOAD, asking, button

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playwright.sync_api import Locator

TOOL = """%%spark_tool order --var service
title: Order from the map shop
description: Orders maps and globes. Use it when somebody wants to buy one.
params:
  city: {type: string, description: Where the parcel goes.}
  item: {type: string, enum: [globe, map]}
request: POST ${service}/orders
headers: {X-Api-Key: "secret:api_key"}
body: {city: "{{city}}", item: "{{item}}"}
"""

WRONG = """%%spark_tool wrong
titel: Nothing
request: GET http://127.0.0.1/{{town}}
response: {format: jason}
"""

# All that waits for a person, at once.
QUESTIONS = """
import asyncio
shell = get_ipython()
_ = await asyncio.gather(
    shell.run_cell_magic("_async_spark_test", "note", "text: words"),
    shell.run_line_magic("_async_spark", "delete remark"),
    shell.run_line_magic("_async_spark", "secret set peek key"),
)
"""

VIEWS = (
    LOAD,
    "%spark",
    "%spark --help",
    "%spark publish --help",
    "%spark doctor",
    "%spark show peek",
    TOOL,
    WRONG,
    asking("words", options="--yes"),
    asking("words", tool="peek"),
    "spark.surface()",
    "spark.tools",
    "%spark traces",
    "%spark secret status order",
)

WIDGETS = {
    "secret-entry": "spark.secret('order', 'api_key')",
    "risk-form": "spark.risk('note')",
}


def look(desk: Desk, notebook: NotebookPage, pictures: "Mapping[str, Locator]") -> None:
    """Take pictures in each theme, and require that axe finds nothing serious."""
    found: list[str] = []
    with desk.room(notebook.whole()):
        for theme in THEMES:
            with desk.theme(theme):
                outputs = notebook.whole().locator(".jp-OutputArea-output")
                found += [f"{theme}: {line}" for line in desk.violations(outputs)]
                for name, place in pictures.items():
                    desk.picture(place, f"{name}-{theme}")
    assert found == []


def test_all_views_can_be_read_in_both_themes(
    desk: Desk, service: ExampleService
) -> None:
    cells = [f"service = {service.url!r}", *VIEWS, *WIDGETS.values()]
    notebook = desk.open(cells, kernel=OWN_KERNEL)
    for index, _ in enumerate(cells):
        notebook.run(index)
    first = 1 + len(VIEWS)
    widgets = {name: notebook.output(first + i) for i, name in enumerate(WIDGETS)}
    look(desk, notebook, {"views": notebook.whole(), **widgets})


def test_all_questions_can_be_read_in_both_themes(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([LOAD, QUESTIONS])
    notebook.run(0)
    notebook.start(1)
    for place in (
        notebook.output(1).get_by_text("Approve this call?"),
        notebook.output(1).get_by_text("Delete remark for good?"),
        notebook.output(1).get_by_label("Value", exact=True),
    ):
        place.wait_for()
    look(desk, notebook, {"questions-open": notebook.cell(1)})
    button(notebook.output(1), "Edit arguments").click()
    look(desk, notebook, {"questions-edited": notebook.cell(1)})
    notebook.interrupt()
    notebook.wait(1)
    look(desk, notebook, {"questions-cancelled": notebook.cell(1)})
