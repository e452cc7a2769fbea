"""A magic that says no fails its cell, whoever runs the notebook (NB-3, example 8)."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from pytest_httpserver import HTTPServer

from tests.hosting import http_tool
from tests.magics.notebooks import execute, nbval, notebook

FAILING = [
    "%spark publish absent --yes",
    "for _ in [1]:\n    %spark publish absent --yes",
    "%spark publsih absent",
    "%%spark_tool absent\ntitle: 3",
    "%%spark_tool absent",
    "%%spark_test absent\n",
    "%%spark_test absent",
]


def test_nbclient_fails_at_the_first_cell(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError) as failed:
        execute(notebook("%spark home --temp", FAILING[0], "1 / 0"), tmp_path)
    assert failed.value.ename == "SparkMagicError"


def test_nbclient_sees_each_failure(tmp_path: Path) -> None:
    ran = execute(notebook(*FAILING), tmp_path, allow_errors=True)
    for cell in ran.cells[1:]:
        assert [output.get("ename") for output in cell.outputs] == ["SparkMagicError"]


def test_nbval_lax_fails_each_cell(tmp_path: Path) -> None:
    made = notebook("%spark home --temp", *FAILING, f"{FAILING[0]} --no-raise")
    done = nbval(made, tmp_path, "--nbval-lax")
    assert f"{len(FAILING)} failed, 3 passed" in done.stdout, done.stdout


def test_nbval_fails_each_cell_and_compares_the_text_of_a_failure(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/order").respond_with_data("ordered")
    url = httpserver.url_for("/order?q={{q}}")
    definition = http_tool(url, tool_id="order", method="POST")
    made = notebook(
        f"spark.studio.draft({definition!r}); spark.studio.publish('order');",
        "%%spark_test order\nq: x",
        "assert list(spark.traces().status) == ['denied']",
        "%%spark_test order --yes\nq: x",
        "assert list(spark.traces().approval) == ['flag', 'none']",
        *FAILING,
    )
    for cell in made.cells:
        cell.metadata["tags"] = ["nbval-ignore-output"]
    made.cells += [expecting("no tool has the id 'absent'"), expecting("not this")]
    done = nbval(made, tmp_path, "--nbval")
    failed = len(FAILING) + 2  # the call that nobody approves, and the other text
    passed = len(made.cells) - failed
    assert f"{failed} failed, {passed} passed" in done.stdout, done.stdout
    assert "APPROVAL_UNAVAILABLE" in done.stdout
    assert len(httpserver.log) == 1


def expecting(message: str) -> Any:
    """Give a cell whose stored output is a failure with this message."""
    cell = notebook(FAILING[0]).cells[1]
    output = {"output_type": "error", "ename": "SparkMagicError", "traceback": []}
    output |= {"evalue": f"NOT_FOUND id: {message}"}
    cell.outputs = [nbformat.from_dict(output)]  # type: ignore[no-untyped-call]  # theirs
    cell.metadata["tags"] = ["raises-exception"]
    cell.execution_count = 1
    return cell
