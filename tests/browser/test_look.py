"""Every widget and output in both themes: a picture to look at, and axe's findings.

The pictures are in `test-artefacts/browser/`.
"""

from sparknb.examples import ExampleService
from tests.browser.desk import THEMES, Desk
from tests.browser.shop import LOAD, asking

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

VIEWS = {
    "load": LOAD,
    "list": "%spark",
    "help": "%spark --help",
    "help-of-one": "%spark publish --help",
    "doctor": "%spark doctor",
    "show": "%spark show peek",
    "tool": TOOL,
    "wrong": WRONG,
    "result": asking("words", options="--yes"),
    "failed": asking("words", tool="peek"),
    "surface": "spark.surface()",
    "tools": "spark.tools",
    "traces": "%spark traces",
    "secrets": "%spark secret status order",
    "secret-entry": "spark.secret('order', 'api_key')",
    "risk-form": "spark.risk('note')",
}


def look(desk: Desk, name: str, panel: str, *, cells: dict[str, int]) -> list[str]:
    """Take pictures of the cells and give what axe finds in their outputs."""
    found: list[str] = []
    for theme in THEMES:
        with desk.theme(theme):
            outputs = desk.page.locator(f"#{panel} .jp-OutputArea-output")
            found += [f"{theme}: {line}" for line in desk.violations(outputs)]
            for cell, index in cells.items():
                place = desk.page.locator(f"#{panel} .jp-Notebook-cell").nth(index)
                desk.picture(place, f"{name}-{cell}-{theme}")
    return found


def test_all_views_can_be_read_in_both_themes(
    desk: Desk, service: ExampleService
) -> None:
    notebook = desk.open([f"service = {service.url!r}", *VIEWS.values()])
    for index, _ in enumerate(["service", *VIEWS]):
        notebook.run(index)
    cells = {name: index for index, name in enumerate(VIEWS, start=1)}
    with desk.room(notebook.whole()):
        found = look(desk, "view", notebook.panel_id, cells=cells)
    assert found == []


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
    with desk.room(notebook.whole()):
        found = look(desk, "questions", notebook.panel_id, cells={"open": 1})
        notebook.output(1).get_by_role("button", name="Edit arguments").click()
        found += look(desk, "questions", notebook.panel_id, cells={"edited": 1})
    notebook.interrupt()
    notebook.wait(1)
    with desk.room(notebook.whole()):
        found += look(desk, "questions", notebook.panel_id, cells={"cancelled": 1})
    assert found == []
