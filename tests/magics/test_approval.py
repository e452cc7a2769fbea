"""A call that changes something waits for a click in its own cell (NB-33)."""

import pytest
from pytest_httpserver import HTTPServer

from tests.magics.conftest import Definition
from tests.magics.kernels import Kernel, Widget, running_kernel

CALL = """%spark call order --input '{"q": "x"}'"""


def statuses(kernel: Kernel) -> list[tuple[str, str]]:
    """Give (status, approval) of all traces, oldest first."""
    table = "spark.traces()[['status', 'approval']].values.tolist()[::-1]"
    found = eval(kernel.value(table))  # noqa: S307  # our own kernel prints it
    return [tuple(row) for row in found]


def test_approving_on_the_card_runs_the_call(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cell = kernel.run(CALL, on_widget=Widget.approve)
    assert cell.error is None
    assert "ordered" in cell.text
    assert len(httpserver.log) == 1
    assert statuses(kernel) == [("ok", "once")]
    (card,) = [w for w in kernel.page.widgets.values() if w.kind]
    assert card.state["status"] == "approved"


def test_rejecting_sends_nothing(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cell = kernel.run(CALL, on_widget=Widget.reject)
    assert cell.error == ("SparkMagicError", "DENIED: you rejected the call")
    assert httpserver.log == []
    assert statuses(kernel) == [("denied", "none")]


def test_edited_arguments_are_what_is_sent(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cell = kernel.run(CALL, on_widget=lambda card: card.approve({"q": "edited"}))
    assert cell.error is None
    assert httpserver.log[0][0].args["q"] == "edited"


def test_an_answer_is_taken_once_and_only_from_the_right_card(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    def answer(card: Widget) -> None:
        card.send("approve", call="f" * 32, nonce="0" * 32, edits={}, leftOut=[])
        card.approve(extra="field")
        card.send("approve")
        card.approve({"another": "y"})
        card.reject()
        card.approve()

    cell = kernel.run(CALL, on_widget=answer)
    assert cell.error == ("SparkMagicError", "DENIED: you rejected the call")
    assert httpserver.log == []


def test_an_answer_after_the_end_changes_nothing(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cards: list[Widget] = []

    def reject(card: Widget) -> None:
        cards.append(card)
        card.reject()

    kernel.run(CALL, on_widget=reject)
    cards[0].approve()
    assert kernel.value("1 + 1") == "2"
    assert httpserver.log == []
    assert statuses(kernel) == [("denied", "none")]


def test_an_interrupt_ends_the_wait_at_once_as_cancelled(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cards: list[Widget] = []

    def interrupt(card: Widget) -> None:
        cards.append(card)
        kernel.interrupt()

    cell = kernel.run(f"{CALL} --no-raise\nprint('went on')", on_widget=interrupt)
    assert cell.error == ("SparkMagicError", "CANCELLED: interrupted")
    assert "went on" not in cell.text
    assert cell.seconds < 5
    assert httpserver.log == []
    assert cards[0].state["status"] == "cancelled"
    assert statuses(kernel) == [("cancelled", "none")]
    cards[0].approve()
    assert kernel.run(CALL, on_widget=Widget.approve).error is None
    assert len(httpserver.log) == 1


def test_another_home_while_a_card_waits_ends_the_call(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    """A button of the person's own notebook can do that."""
    code = """def pressed(comm, message):
        get_ipython().run_line_magic('spark', 'home --temp')
    __import__('comm').get_comm_manager().register_target('button', pressed)"""
    assert kernel.run(code.replace("\n    ", "\n")).error is None
    session, channel = kernel.client.session, kernel.client.shell_channel

    def press(card: Widget) -> None:
        opened = {"comm_id": card.comm_id + "-button", "target_name": "button"}
        message = session.msg("comm_open", opened | {"data": {}})
        session.send(channel.socket, message)

    cell = kernel.run(CALL, on_widget=press)
    assert cell.error == ("SparkMagicError", "CANCELLED: the host was closed meanwhile")
    assert httpserver.log == []
    assert "No tools yet" in kernel.run("%spark").text


def test_two_cards_in_one_cell_never_mix(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cards: list[Widget] = []

    def answer(card: Widget) -> None:
        cards.append(card)
        if len(cards) == 1:
            card.approve()
        else:
            first = cards[0].state["card"]
            card.send(
                "approve",
                call=first["call"],
                nonce=first["nonce"],
                edits={},
                leftOut=[],
            )
            cards[0].approve()
            card.reject()

    cell = kernel.run(f"{CALL}\n{CALL}", on_widget=answer)
    assert cell.error == ("SparkMagicError", "DENIED: you rejected the call")
    assert len(httpserver.log) == 1


def test_later_cells_wait_their_turn(kernel: Kernel, order: Definition) -> None:
    def queue_another(card: Widget) -> None:
        kernel.client.execute("order_of_cells.append('later')", silent=True)
        card.approve()

    kernel.run("order_of_cells = []")
    kernel.run(f"{CALL}\norder_of_cells.append('first')", on_widget=queue_another)
    assert kernel.value("order_of_cells") == "['first', 'later']"


def test_output_stays_with_the_cell_that_asked(
    kernel: Kernel, order: Definition
) -> None:
    cell = kernel.run(CALL, on_widget=Widget.approve)
    kinds = [list(bundle) for bundle in cell.bundles]
    assert "application/vnd.jupyter.widget-view+json" in kinds[0]
    assert "Approve this call?" in cell.bundles[0]["text/plain"]
    assert "text/html" in kinds[1]


def test_where_nobody_can_answer_there_is_no_card(
    kernel: Kernel, order: Definition, httpserver: HTTPServer
) -> None:
    cell = kernel.run(CALL)
    assert cell.error is not None
    assert cell.error[1].startswith("APPROVAL_UNAVAILABLE")
    assert kernel.page.widgets == {}
    assert httpserver.log == []
    assert statuses(kernel) == [("denied", "none")]
    assert kernel.run(f"{CALL} --yes").error is None
    assert statuses(kernel)[1] == ("ok", "flag")


def test_a_question_before_a_change_is_a_card_too(
    kernel: Kernel, order: Definition
) -> None:
    def answer(yes: str) -> None:
        def click(card: Widget) -> None:
            assert card.kind == "QuestionCard"
            card.send(yes, nonce=card.state["card"]["nonce"])

        cell = kernel.run("%spark delete order", on_widget=click)
        outcomes.append(cell.error and cell.error[1])

    outcomes: list[str | None] = []
    answer("reject")
    answer("approve")
    assert outcomes == ["DENIED: not confirmed: nothing was changed", None]
    assert "No tools yet" in kernel.run("%spark list").text


def test_a_kernel_that_is_killed_while_a_card_waits_has_sent_nothing(
    tmp_path_factory: pytest.TempPathFactory, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/order").respond_with_data("ordered")
    folder = tmp_path_factory.mktemp("killed")
    url = httpserver.url_for("/order?q={{q}}")
    with running_kernel(folder) as kernel:
        kernel.run("%load_ext sparknb")
        from tests.hosting import http_tool
        from tests.magics.conftest import publish

        publish(kernel, http_tool(url, tool_id="order", method="POST"))

        def kill(card: Widget) -> None:
            kernel.kill()
            raise ConnectionAbortedError

        with pytest.raises(ConnectionAbortedError):
            kernel.run(CALL, on_widget=kill)
    assert httpserver.log == []
    with running_kernel(folder) as kernel:
        kernel.run("%load_ext sparknb")
        assert "order" in kernel.run("%spark list").text
        assert statuses(kernel) in ([], [("cancelled", "none")])
        assert kernel.run(f"{CALL} --yes").error is None
    assert len(httpserver.log) == 1
