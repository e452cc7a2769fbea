"""The acceptance examples of the notebook doors that need no browser."""

import time
from pathlib import Path
from typing import Any

import pytest
from nbclient.exceptions import CellExecutionError
from pytest_httpserver import HTTPServer

from sparknb.examples import ExampleService
from tests.hosting import http_tool
from tests.magics.conftest import publish
from tests.magics.kernels import MIME, Kernel, running_kernel
from tests.magics.notebooks import execute, notebook

WEATHER = """%%spark_tool weather --var base
title: Weather lookup
description: Current weather of one city. Use only when the user asks about it.
params:
  city: {type: string, description: City name}
request: GET ${base}/weather?city={{city}}
response: {format: json}
"""


def outputs(ran: Any) -> list[Any]:
    return [cell.outputs for cell in ran.cells]


# -------------------------------------------------------------------- example 1
def test_a_valid_cell_saves_a_draft_and_runs_the_same_twice(
    tmp_path: Path, example_service: ExampleService
) -> None:
    cells = [
        "%spark home --temp",
        f"base = {example_service.url!r}",
        WEATHER,
        "%%spark_test weather\ncity: Oslo",
        "%spark list",
        "%spark show weather",
    ]
    first = execute(notebook(*cells), tmp_path)
    second = execute(notebook(*cells), tmp_path)
    assert [strip(o) for o in outputs(first)] == [strip(o) for o in outputs(second)]
    card = first.cells[3].outputs[0]["data"]["text/plain"]
    assert "GET → read/read/safe" in card
    assert "weather is a new tool: draft version 1" in card
    assert "${base}/weather" in card
    assert example_service.url not in str(outputs(first)[3:])


def strip(cell_outputs: Any) -> Any:
    """Give outputs without the counter that every execution has."""
    return [dict(output) | {"execution_count": None} for output in cell_outputs]


# -------------------------------------------------------------------- example 2
def test_a_risk_below_its_floor_fails_the_cell_and_saves_nothing(
    tmp_path: Path, kernel: Kernel
) -> None:
    kernel.run("base = 'http://127.0.0.1:9'")
    code = WEATHER.replace("GET", "DELETE").replace("params:", "risk: read\nparams:")
    cell = kernel.run(code)
    name, text = cell.error or ("", "")
    assert name == "SparkMagicError"
    assert text.startswith("RISK_BELOW_FLOOR risk (cell line 4): ")
    assert "destructive" in text
    assert [o["type"] for o in cell.outputs] == ["error"]
    assert "No tools yet" in kernel.run("%spark list").text
    with pytest.raises(CellExecutionError):
        execute(notebook("base = 'http://127.0.0.1:9'", code), tmp_path)


# -------------------------------------------------------------------- example 3
def test_three_mistakes_are_three_problems_each_with_its_line(kernel: Kernel) -> None:
    kernel.run("base = 'http://127.0.0.1:9'")
    code = WEATHER.replace("title: Weather lookup", "title: 3")
    code = code.replace("type: string", "type: text").replace(
        "format: json", "format: x"
    )
    _, text = kernel.run(code).error or ("", "")
    lines = text.splitlines()
    assert len(lines) == 3
    assert "(cell line 2)" in lines[0]
    assert "(cell line 5)" in lines[1]
    assert "(cell line 7)" in lines[2]


# -------------------------------------------------------------------- example 5
def test_the_same_cell_twice_changes_nothing(
    kernel: Kernel, example_service: ExampleService
) -> None:
    kernel.run(f"base = {example_service.url!r}")
    kernel.run(WEATHER)
    second, third = kernel.run(WEATHER), kernel.run(WEATHER)
    assert "weather is unchanged" in second.text
    assert second.bundles == third.bundles
    assert kernel.value("len(spark.studio.get('weather').versions)") == "1"


# -------------------------------------------------------------------- example 6
@pytest.mark.parametrize("milliseconds", [0, 10, 40])
def test_a_kernel_killed_in_the_middle_leaves_the_old_or_the_new_draft(
    tmp_path: Path, milliseconds: int
) -> None:
    changed = WEATHER.replace("Weather lookup", "Changed title")
    with running_kernel(tmp_path) as kernel:
        kernel.run("%load_ext sparknb\nbase = 'http://127.0.0.1:9'")
        assert kernel.run(WEATHER).error is None
        kernel.client.execute(changed)
        time.sleep(milliseconds / 1000)
        kernel.kill()
    with running_kernel(tmp_path) as kernel:
        kernel.run("%load_ext sparknb\nbase = 'http://127.0.0.1:9'")
        title = kernel.value("spark.studio.get('weather').draft.definition['title']")
        assert title in ("Weather lookup", "Changed title")
        assert kernel.run(changed).error is None


# -------------------------------------------------------------------- example 7
def test_of_two_kernels_that_publish_at_once_one_wins(tmp_path: Path) -> None:
    home = str(tmp_path / "shared")
    with (
        running_kernel(tmp_path / "a", SPARKNB_HOME=home) as first,
        running_kernel(tmp_path / "b", SPARKNB_HOME=home) as second,
    ):
        for kernel in (first, second):
            kernel.run("%load_ext sparknb\nbase = 'http://127.0.0.1:9'\n%spark list")
        assert first.run(WEATHER).error is None
        publish = "%spark publish weather --expect 1 --yes"
        begun = [(kernel, kernel.begin(publish)) for kernel in (first, second)]
        cells = [kernel.finish(sent) for kernel, sent in begun]
    errors = [cell.error for cell in cells if cell.error is not None]
    assert len(errors) == 1
    assert errors[0][1].startswith("CONFLICT")


# -------------------------------------------------------------------- example 9
def test_hostile_text_in_a_cell_is_shown_as_text(
    kernel: Kernel, example_service: ExampleService
) -> None:
    kernel.run(f"base = {example_service.url!r}")
    hostile = "<script>alert(1)</script>"
    cell = kernel.run(WEATHER.replace("Weather lookup", hostile))
    assert cell.error is None
    assert hostile in cell.text
    assert "<script" not in cell.html
    cell = kernel.run(WEATHER.replace("title: Weather lookup", f"{hostile}: \x1b[31m"))
    assert cell.error is not None
    assert "\x1b[31m" not in cell.error[1]


# ------------------------------------------------------------- values of the notebook
def test_only_plain_values_are_passed(kernel: Kernel) -> None:
    for value, said in (
        ("['a']", "holds a list, which has no text"),
        ("None", "holds a NoneType"),
        ("float('nan')", "not finite"),
        ("b'x'", "holds a bytes"),
    ):
        kernel.run(f"base = {value}")
        _, text = kernel.run(WEATHER).error or ("", "")
        assert text.startswith("INVALID_INPUT --var: the variable base")
        assert said in text
    kernel.run("del base")
    _, text = kernel.run(WEATHER).error or ("", "")
    assert text == "NOT_FOUND --var: there is no variable base"


def test_a_variable_is_text_and_never_structure(kernel: Kernel) -> None:
    kernel.run("base = 'http://127.0.0.1:9'\nname = 'x\\nrisk: destructive: [1]'")
    code = WEATHER.replace("--var base", "--var base --var name")
    code = code.replace("Weather lookup", "${name}")
    cell = kernel.run(code)
    assert cell.error is None or "title" in cell.error[1]
    kernel.run("name, n, yes, x = 'Oslo', 7, True, 1.5")
    code = code.replace("--var name", "--var name --var n --var yes --var x")
    assert kernel.run(code.replace("${name}", "${name} ${n} ${yes} ${x}")).error is None
    title = kernel.value("spark.studio.get('weather').draft.definition['title']")
    assert title == "Oslo 7 true 1.5"


def test_places_are_shown_by_their_names_wherever_they_stand(
    kernel: Kernel, example_service: ExampleService
) -> None:
    kernel.run(f"base = {example_service.url!r}")
    kernel.run(WEATHER.replace("--var base", "--var base --publish"))
    port = example_service.url.rpartition(":")[2]
    for code in (
        "%spark show weather",
        """%spark call weather --input '{"city": "Oslo"}' --dry-run""",
        "%%spark_test weather\ncity: Oslo",
        "%%spark_test weather\ncity: Nowhere-at-all",
        "%spark diff weather",
        "spark.studio.get('weather')",
        WEATHER.replace("lookup", "of a city"),
        "%spark diff weather",
    ):
        cell = kernel.run(code)
        shown = cell.text + cell.html + cell.traceback + str(cell.error)
        shown += str([bundle.get(MIME) for bundle in cell.bundles])
        assert f":{port}" not in shown, code


def test_an_empty_body_means_no_arguments(
    kernel: Kernel, example_service: ExampleService
) -> None:
    kernel.run(f"base = {example_service.url!r}")
    health = WEATHER.replace("/weather?city={{city}}", "/health")
    health = health.replace("  city: {type: string, description: City name}\n", "")
    assert kernel.run(health.replace("params:\n", "")).error is None
    for code in (
        "%%spark_test weather",
        "%%spark_test weather\n",
        "%%spark_test weather\n\n",
    ):
        assert kernel.run(code).error is None
    name, _ = kernel.run("%%spark_tool weather").error or ("", "")
    assert name == "SparkMagicError"


def test_a_wrong_argument_is_told_with_its_line(
    kernel: Kernel, httpserver: HTTPServer
) -> None:
    publish(kernel, http_tool(httpserver.url_for("/?q={{q}}"), tool_id="find"))
    code = "%%spark_test find --no-raise\n# a city\nq: 5\nz: 1\n"
    cell = kernel.run(code)
    assert cell.text.count("cell line") == 2
    assert "cell line 3" in cell.html
    _, text = kernel.run(code.replace(" --no-raise", "")).error or ("", "")
    assert text.splitlines() == [
        "INVALID_INPUT input.q (cell line 3): input.q must be a string, not a number",
        "INVALID_INPUT input.z (cell line 4): 'z' is not a parameter of this tool",
    ]
