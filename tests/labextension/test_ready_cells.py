"""The cells that the commands insert are good cells: a real kernel runs them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparknb.examples import ExampleService
from tests.magics.kernels import Kernel, OnWidget, running_kernel

CELLS = json.loads(
    (Path(__file__).parents[2] / "labextension" / "src" / "cells.json").read_text(
        encoding="utf-8"
    )
)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with running_kernel(tmp_path_factory.mktemp("kernel")) as kernel:
        cell = kernel.run(ready("sparknb:load"))
        assert cell.error is None, cell.traceback
        kernel.run("%spark home --temp")
        yield kernel


def ready(command: str, service: ExampleService | None = None) -> str:
    (cell,) = [cell for cell in CELLS if cell["command"] == command]
    text = "\n".join(cell["source"]).replace("{tool}", "my_tool")
    if service is not None:
        assert "http://127.0.0.1:8700/" in text
        text = text.replace("http://127.0.0.1:8700", service.url)
    return text


def done(kernel: Kernel, code: str, *, on_widget: OnWidget | None = None) -> str:
    cell = kernel.run(code, on_widget=on_widget)
    assert cell.error is None, cell.traceback
    return cell.text


def test_the_cells_of_a_tool_that_reads_work_one_after_the_other(
    kernel: Kernel, example_service: ExampleService
) -> None:
    assert "my_tool" in done(kernel, ready("sparknb:new-http-tool", example_service))
    assert "Oslo" in done(kernel, ready("sparknb:test-tool"))
    done(kernel, ready("sparknb:publish-tool") + " --yes")
    assert "my_tool" in done(kernel, ready("sparknb:list-tools"))


def test_the_cells_of_a_tool_that_writes_work_one_after_the_other(
    kernel: Kernel, example_service: ExampleService
) -> None:
    cell = ready("sparknb:new-writing-http-tool", example_service)
    done(kernel, cell.replace("my_tool", "my_order"))
    done(kernel, ready("sparknb:set-secret").replace("my_tool", "my_order"))
    done(
        kernel,
        "%spark secret set my_order api_key",
        on_widget=lambda field: field.send("value", value=example_service.api_key),
    )
    test = ready("sparknb:test-tool").replace("my_tool", "my_order --yes")
    assert "map" in done(kernel, test)


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_the_cell_of_a_program_works_as_it_is(kernel: Kernel, language: str) -> None:
    cell = ready(f"sparknb:new-{language}-tool").replace("my_tool", language)
    made = done(kernel, cell)
    assert "!" not in made, "nothing warns"
    assert '"words": 3' in done(kernel, f"%%spark_test {language}\ntext: so it goes")


def test_the_cell_of_a_vision_tool_wants_no_more_than_its_provider(
    kernel: Kernel,
) -> None:
    cell = ready("sparknb:new-vision-tool").replace("my_tool", "look")
    made = done(kernel, cell)
    assert "look is a new tool: draft version 1" in made
    assert made.count("!") == made.count("PROVIDER_UNKNOWN") == 1
    provider = "eyes --base-url http://127.0.0.1:9/v1 --model sees --no-key"
    done(kernel, f"%spark provider add {provider}")
    assert "PROVIDER_UNKNOWN" not in done(kernel, cell)


def test_a_ready_cell_is_written_so_that_nothing_warns(
    kernel: Kernel, example_service: ExampleService
) -> None:
    for command in ("sparknb:new-http-tool", "sparknb:new-writing-http-tool"):
        text = ready(command, example_service).replace("my_tool", "another --check")
        assert "warning" not in done(kernel, text).lower()


def test_the_cells_that_import_work_with_the_example_service(
    kernel: Kernel, example_service: ExampleService
) -> None:
    curled = ready("sparknb:new-tool-from-curl", example_service)
    assert "new tool" in done(kernel, curled.replace("my_tool", "my_curl"))
    assert "Oslo" in done(kernel, "%%spark_test my_curl\n")
    listed = done(kernel, ready("sparknb:new-tools-from-openapi", example_service))
    assert "GET /weather" in listed
