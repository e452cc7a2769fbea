"""Where a cell cannot await, the thread that waits asks by the kernel's prompt."""

import pytest
from pytest_httpserver import HTTPServer

from tests.magics.conftest import Definition
from tests.magics.kernels import Kernel
from tests.magics.test_approval import CALL, statuses

NESTED = f"for _ in [1]:\n    {CALL}"
BLOCKING = "result = spark.tools['custom_order'](q='x')"


@pytest.mark.parametrize(
    "code",
    [
        NESTED,
        f"%%time\n{CALL}",
        f"%%capture captured\n{CALL}",
        f"def call():\n    get_ipython().run_line_magic('spark', {CALL[7:]!r})\ncall()",
        BLOCKING,
        f"get_ipython().run_cell_magic('time', '', {CALL!r})",
    ],
    ids=["loop", "time", "capture", "function", "blocking", "by hand"],
)
def test_a_nested_call_is_asked_by_a_prompt(
    kernel: Kernel, order: Definition, httpserver: HTTPServer, code: str
) -> None:
    cell = kernel.run(code, answers=["a"])
    assert cell.error is None, cell.traceback
    assert len(cell.prompts) == 1
    for said in ("order", "low-write", "POST", '"x"', "[a]pprove"):
        assert said in cell.prompts[0]
    assert kernel.page.widgets == {}
    assert len(httpserver.log) == 1
    assert statuses(kernel) == [("ok", "once")]


@pytest.mark.parametrize("answer", ["", "r", "no", "anything"])
def test_anything_but_a_clear_yes_is_a_no(
    kernel: Kernel, order: Definition, httpserver: HTTPServer, answer: str
) -> None:
    cell = kernel.run(NESTED, answers=[answer])
    assert cell.error == ("SparkMagicError", "DENIED: you rejected the call")
    kernel.run(BLOCKING, answers=[answer])
    assert kernel.value("result.error_code") == "DENIED"
    assert httpserver.log == []


def test_after_an_edit_the_prompt_shows_the_call_anew(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cell = kernel.run(NESTED, answers=["e", "edited", "a"])
    assert cell.error is None
    for said in ("Approve this call?", "POST", '"edited"', "[a]pprove"):
        assert said in cell.prompts[-1]
    assert httpserver.log[0][0].args["q"] == "edited"
    cell = kernel.run(NESTED, answers=["e", "-", "a"])
    assert "INVALID_INPUT" in cell.prompts[-1]
    assert "Approve this call?" not in cell.prompts[-1]
    assert (cell.error or ("", ""))[1].startswith("INVALID_INPUT input.q")
    cell = kernel.run(NESTED, answers=["e", "", "a"])
    assert "stand as they were given" in cell.prompts[-1]
    assert [r.args["q"] for r, _ in httpserver.log] == ["edited", "x"]


def test_a_question_before_a_change_is_a_prompt_too(
    kernel: Kernel, order: Definition
) -> None:
    code = "for _ in [1]:\n    %spark delete order"
    cell = kernel.run(code, answers=[""])
    assert "Delete order for good?" in cell.prompts[0]
    assert cell.error == (
        "SparkMagicError",
        "DENIED: not confirmed: nothing was changed",
    )
    assert kernel.run(code, answers=["y"]).error is None


@pytest.mark.parametrize("code", [NESTED, f"%%capture\n{CALL}"])
def test_an_interrupt_at_the_prompt_cancels(
    kernel: Kernel, order: Definition, httpserver: HTTPServer, code: str
) -> None:
    cell = kernel.run(code, on_prompt=kernel.interrupt)
    assert cell.error == ("SparkMagicError", "CANCELLED: interrupted")
    assert cell.seconds < 10
    assert httpserver.log == []
    assert statuses(kernel) == [("cancelled", "none")]


def test_an_interrupt_of_a_blocking_call_stops_the_cell(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cell = kernel.run(f"{BLOCKING}\nprint('went on')", on_prompt=kernel.interrupt)
    assert cell.error is not None
    assert cell.error[0] == "KeyboardInterrupt"
    assert httpserver.log == []
    assert statuses(kernel) == [("cancelled", "none")]
    assert kernel.run(BLOCKING, answers=["a"]).error is None


def test_where_nobody_can_answer_nothing_is_asked(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    for code in (NESTED, f"%%time\n{CALL}"):
        cell = kernel.run(code)
        assert (cell.error or ("", ""))[1].startswith("APPROVAL_UNAVAILABLE")
    kernel.run(BLOCKING)
    assert kernel.value("result.error_code") == "APPROVAL_UNAVAILABLE"
    assert httpserver.log == []


def test_another_thread_never_prompts(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    code = (
        "import threading\n"
        "found = []\n"
        "def call():\n"
        "    found.append(spark.tools['custom_order'](q='x').error_code)\n"
        "    try:\n"
        "        get_ipython().run_line_magic('spark', 'call order')\n"
        "    except Exception as error:\n"
        "        found.append(str(error).split()[0])\n"
        "thread = threading.Thread(target=call); thread.start(); thread.join(20)"
    )
    code = code.replace("'call order'", repr(CALL[7:]))
    cell = kernel.run(code, answers=[])
    assert cell.error is None, cell.traceback
    assert cell.prompts == []
    expected = "['APPROVAL_UNAVAILABLE', 'APPROVAL_UNAVAILABLE:']"
    assert kernel.value("found") == expected
    assert httpserver.log == []


def test_a_thread_does_not_prompt_while_another_cell_awaits(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    kernel.run(
        "import threading\n"
        "found = []\n"
        "def call():\n"
        "    found.append(spark.tools['custom_order'](q='x').error_code)\n"
        "spark.tools"
    )
    cell = kernel.run(
        "thread = threading.Thread(target=call); thread.start()\n"
        f"{CALL}\nthread.join(20)",
        on_widget=lambda card: card.approve(),
    )
    assert cell.error is None, cell.traceback
    assert cell.prompts == []
    assert kernel.value("found") == "['APPROVAL_UNAVAILABLE']"
    assert len(httpserver.log) == 1


def test_a_blocking_call_in_a_cell_with_awaited_magics_is_asked_by_prompt(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cell = kernel.run(
        f"{CALL}\n{BLOCKING}", answers=["a"], on_widget=lambda card: card.approve()
    )
    assert cell.error is None, cell.traceback
    assert len(cell.prompts) == 1
    assert len(httpserver.log) == 2
