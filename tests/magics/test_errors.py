"""What a cell of Python shows when the handle says no: one block, as magics show."""

import pytest

from tests.magics.kernels import Kernel

CALLS = {
    "spark.secret('nope', 'api_key')": "NotFoundError",
    "spark.risk('nope')": "NotFoundError",
    "spark.studio.publish('nope')": "NotFoundError",
    "spark.secrets.set('nope', 'api_key', 'x')": "NotFoundError",
    "spark.call('order', {}).unwrap()": "ToolCallError",
}


@pytest.mark.usefixtures("order")
@pytest.mark.parametrize("call", CALLS)
def test_a_failure_of_the_handle_is_one_block_without_a_traceback(
    kernel: Kernel, call: str
) -> None:
    cell = kernel.run(call)
    assert cell.error is not None
    assert cell.error[0] == CALLS[call]
    lines = cell.traceback.splitlines()
    assert len(lines) <= 5
    assert "✗" in lines[0]
    assert "Traceback" not in cell.traceback
    assert ".py" not in cell.traceback


def test_a_block_names_the_commands_of_the_notebook(kernel: Kernel) -> None:
    by_magic = kernel.run("%spark show nope").traceback
    assert "%spark list" in by_magic
    assert kernel.run("spark.studio.get('nope')").traceback == by_magic


def test_a_failure_in_a_long_cell_says_at_which_line(kernel: Kernel) -> None:
    long = "key = 'sk-secret'\nfor name in ('a',):\n    spark.studio.get('nope')"
    cell = kernel.run(long)
    assert "at line 3 of the cell" in cell.traceback.splitlines()[-1]
    assert ".py" not in cell.traceback
    assert "sk-secret" not in cell.traceback
    awaited = "import asyncio\n\nawait asyncio.sleep(0)\nspark.studio.get('nope')"
    assert "at line 4 of the cell" in kernel.run(awaited).traceback
    kernel.run("def ask():\n    return spark.studio.get('nope')")
    there = kernel.run("1\nask()").traceback
    assert "at line 2 of the cell, in ask() at line 2 of another cell" in there
    here = "def ask():\n    return spark.studio.get('nope')\n\nask()"
    assert "at line 4 of the cell, in ask() at line 2" in kernel.run(here).traceback


def test_a_failure_in_a_cell_of_one_line_says_no_line(kernel: Kernel) -> None:
    assert "line" not in kernel.run("spark.studio.get('nope')").traceback
    timed = kernel.run("%%time\nx = 1\nspark.studio.get('nope')").traceback
    assert "✗" in timed
    assert "of the cell" not in timed, "the line would be another's"


def test_a_cell_catches_the_exception_that_scripts_get(kernel: Kernel) -> None:
    kernel.run(
        "from sparknb.core.errors import NotFoundError\n"
        "try:\n    spark.secret('nope', 'api_key')\n"
        "except NotFoundError as error:\n    found = error"
    )
    assert kernel.value("(type(found).__name__, found.code)") == (
        "('NotFoundError', 'NOT_FOUND')"
    )


def test_a_failure_of_the_cell_itself_keeps_its_traceback(kernel: Kernel) -> None:
    assert "ZeroDivisionError" in kernel.run("1 / 0").traceback


def test_unloading_gives_tracebacks_back(kernel: Kernel) -> None:
    raising = "import sparknb\nraise sparknb.SparknbError('no')"
    assert "Traceback" not in kernel.run(raising).traceback
    kernel.run("%unload_ext sparknb")
    assert "Traceback" in kernel.run(raising).traceback
    assert kernel.run("%load_ext sparknb").error is None
