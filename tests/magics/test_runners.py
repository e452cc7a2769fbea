"""A magic that says no fails its cell, whoever runs the notebook (NB-3, example 8)."""

from pathlib import Path

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


@pytest.mark.parametrize("option", ["--nbval", "--nbval-lax"])
def test_nbval_fails_each_cell(tmp_path: Path, option: str) -> None:
    fine = "%spark home --temp"
    made = notebook(fine, *FAILING, f"{FAILING[0]} --no-raise")
    if option == "--nbval":
        for cell in made.cells:
            cell.metadata["tags"] = ["nbval-ignore-output"]
    done = nbval(made, tmp_path, option)
    assert f"{len(FAILING)} failed, 3 passed" in done.stdout, done.stdout


def test_nbval_compares_the_text_of_a_failure(tmp_path: Path) -> None:
    made = notebook(FAILING[0])
    made.cells[1].metadata["tags"] = ["raises-exception"]
    ran = execute(made, tmp_path, allow_errors=True)
    assert nbval(ran, tmp_path, "--nbval").returncode == 0
    ran.cells[1].outputs[0]["evalue"] = "NOT_FOUND id: another sentence"
    assert nbval(ran, tmp_path, "--nbval").returncode == 1


def test_a_call_that_needs_a_person_is_refused_under_nbval(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/order").respond_with_data("ordered")
    definition = http_tool(
        httpserver.url_for("/order?q={{q}}"), tool_id="order", method="POST"
    )
    made = notebook(
        f"spark.studio.draft({definition!r}); spark.studio.publish('order');",
        "%%spark_test order\nq: x",
        "assert list(spark.traces().status) == ['denied']",
        "%%spark_test order --yes\nq: x",
        "assert list(spark.traces().approval) == ['flag', 'none']",
    )
    done = nbval(made, tmp_path, "--nbval-lax")
    assert "1 failed, 5 passed" in done.stdout, done.stdout
    assert "APPROVAL_UNAVAILABLE" in done.stdout
    assert len(httpserver.log) == 1
