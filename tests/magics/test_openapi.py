"""An API description in a notebook: one text for all, and a list for a person."""

import json

from sparknb.examples import ExampleService
from tests.magics.kernels import Kernel, Widget

VIEW = "application/vnd.jupyter.widget-view+json"


def imported(service: ExampleService, options: str = "") -> str:
    return f"%spark import openapi {service.url}/openapi.json {options}"


def wait(kernel: Kernel, widget: Widget, kind: str) -> None:
    for _ in range(200):
        kernel.run("import asyncio; await asyncio.sleep(0.02)", silent=True)
        if any(reply.get("kind") == kind for reply in widget.replies):
            return
    raise TimeoutError(widget.replies)


def test_a_person_picks_operations_in_the_very_same_output(
    kernel: Kernel, example_service: ExampleService
) -> None:
    widgets: list[Widget] = []
    alone = kernel.run(imported(example_service))
    watched = kernel.run(imported(example_service), on_widget=widgets.append)

    assert alone.error is None, alone.traceback
    (widget,) = widgets
    assert widget.kind == "OperationPicker"
    (shown,) = [b for b in watched.bundles if VIEW in b]
    assert {k: v for k, v in shown.items() if k != VIEW} == alone.bundles[-1]
    assert VIEW not in alone.bundles[-1]
    items = widget.state["items"]
    number = next(n for n, i in enumerate(items) if i["operation"] == "GET /weather")
    assert items[number]["tokens"] > 0

    widget.send("import", chosen=[number])
    wait(kernel, widget, "saved")
    assert widget.state["saved"] == {str(number): items[number]["id"]}
    assert items[number]["id"] in kernel.run("%spark list").text

    widget.send("import", chosen=[number])
    wait(kernel, widget, "ignored")


def test_with_a_choice_in_the_line_there_is_no_widget(
    kernel: Kernel, example_service: ExampleService
) -> None:
    widgets: list[Widget] = []
    for options in ("--list", "--operation 'GET /weather'", "--json", "--save"):
        cell = kernel.run(imported(example_service, options), on_widget=widgets.append)
        assert cell.error is None, cell.traceback
    assert widgets == []


def test_a_variable_names_the_service(
    kernel: Kernel, example_service: ExampleService
) -> None:
    kernel.run(f"base = {example_service.url!r}")
    line = "%spark import openapi ${base}/openapi.json --base-url ${base} --var base"
    cell = kernel.run(f"{line} --operation 'GET /weather' --save -o found")

    assert cell.error is None, cell.traceback
    found = json.loads(kernel.value("__import__('json').dumps(found)"))
    request = found["drafts"][0]["definition"]["spec"]["request"]
    assert request["urlTemplate"].startswith(f"{example_service.url}/weather?")
    assert example_service.url not in json.dumps(cell.outputs)


def test_a_picker_of_a_home_that_was_left_saves_nothing_there(
    kernel: Kernel, example_service: ExampleService
) -> None:
    widgets: list[Widget] = []
    kernel.run(imported(example_service), on_widget=widgets.append)
    kernel.run("%spark home --temp\nspark.studio.list()")
    widgets[0].send("import", chosen=[0])
    wait(kernel, widgets[0], "wrong")
    assert kernel.value("spark.studio.list().total") == "0"


def test_a_refusal_is_one_block(kernel: Kernel) -> None:
    cell = kernel.run("%spark import openapi none.json")
    assert (cell.error or ("", ""))[1].startswith("NOT_FOUND")
    cell = kernel.run("%spark import curl")
    assert (cell.error or ("", ""))[1].startswith("USAGE")
