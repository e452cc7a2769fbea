"""Kernels cost a second: one a module, with a clean session for each test."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.hosting import http_tool
from tests.magics.kernels import Kernel, running_kernel

Definition = dict[str, Any]


@pytest.fixture(scope="module")
def shared_kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with running_kernel(tmp_path_factory.mktemp("kernel")) as kernel:
        yield kernel


@pytest.fixture
def kernel(shared_kernel: Kernel) -> Iterator[Kernel]:
    """Give a kernel with sparknb loaded and a throw-away home."""
    shared_kernel.page.widgets.clear()
    cell = shared_kernel.run("%load_ext sparknb\n%spark home --temp")
    assert cell.error is None, cell.traceback
    yield shared_kernel
    cell = shared_kernel.run("%unload_ext sparknb\n%reset -f")
    assert cell.error is None, cell.traceback


@pytest.fixture
def order(kernel: Kernel, httpserver: HTTPServer) -> Definition:
    """Publish a tool that changes something, served by `httpserver`."""
    httpserver.expect_request("/order").respond_with_data("ordered")
    url = httpserver.url_for("/order?q={{q}}")
    definition = http_tool(url, tool_id="order", method="POST")
    publish(kernel, definition)
    return definition


def publish(kernel: Kernel, definition: Definition) -> None:
    """Publish a tool in the session of the kernel."""
    name = definition["id"]
    code = f"spark.studio.draft({definition!r})\nspark.studio.publish({name!r})"
    cell = kernel.run(f"{code};")
    assert cell.error is None, cell.traceback
