"""The single way for a call: what is refused, asked, sent, hidden and traced."""

import asyncio
import base64
import hashlib
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import DeniedError, UnreachableError
from sparknb.core.problems import Problem
from sparknb.core.protocols import (
    ApprovalRequest,
    Decision,
    Preview,
    Proof,
    RunOutcome,
)
from sparknb.host import FlagApprover
from sparknb.host.approval import ask
from sparknb.host.execution import Caller, CallTarget, Execution
from sparknb.host.runtimes import Runtimes
from sparknb.host.vault import Vault
from tests.hosting import Answering, Definition, Session, http_tool

SECRET = "k3y+with/odd=chars"


def published_order(session: Session, post_tool: Definition) -> None:
    session.run(session.host.studio.draft(post_tool))
    session.run(session.host.secrets.set("place_order", "key", SECRET))
    session.run(session.host.studio.publish("place_order"))


def test_a_bad_input_is_refused_with_all_problems_and_no_request(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    session.publish(get_tool)
    result = session.call("items", {"q": "  ", "z": 1})
    assert result.error_code == "INVALID_INPUT"
    assert {p.path for p in result.problems} == {"input.q", "input.z"}
    assert httpserver.log == []
    assert session.statuses() == [("error", "INVALID_INPUT")]


def test_a_call_by_agent_name_and_by_id_run_the_same_tool(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("found")
    session.publish(get_tool)
    by_name = session.call("custom_items", {"q": "x"})
    by_id = session.call("items", {"q": "x"})
    assert (by_name.text, by_id.text) == ("found", "found")
    assert by_name.meta.bytes == len("found")
    assert by_name.trace_id is not None


def test_an_unknown_tool_is_not_found_and_leaves_no_trace(session: Session) -> None:
    result = session.call("custom_nobody\x1b[2J", {})
    assert result.error_code == "NOT_FOUND"
    assert "\x1b" not in result.text
    assert session.statuses() == []


def test_a_disabled_tool_is_denied_at_once(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    session.publish(get_tool)
    session.run(session.host.studio.set_enabled("items", enabled=False))
    result = session.call("items", {"q": "x"})
    assert result.error_code == "DENIED"
    assert httpserver.log == []
    assert session.statuses() == [("denied", "DENIED")]


def test_a_tool_that_was_never_published_is_denied(
    session: Session, get_tool: Definition
) -> None:
    session.run(session.host.studio.draft(get_tool))
    result = session.call("items", {"q": "x"})
    assert result.error_code == "DENIED"
    assert "never published" in result.text


# ---------------------------------------------------------------------- approval
def test_a_post_without_an_approver_is_not_sent(
    session: Session,
    post_tool: Definition,
    get_tool: Definition,
    httpserver: HTTPServer,
) -> None:
    httpserver.expect_request("/items").respond_with_data("found")
    published_order(session, post_tool)
    session.publish(get_tool)
    refused = session.call("place_order", {"q": "x"})
    assert refused.error_code == "APPROVAL_UNAVAILABLE"
    assert "commands take --yes, Python an approver" in str(refused.hint)
    nobody = Answering(Decision(outcome="unavailable", reason="no questions here"))
    told = session.call("place_order", {"q": "x"}, approver=nobody)
    assert told.text == "no questions here"
    assert "--yes" not in str(told.hint)  # a model reads it
    assert httpserver.log == []
    assert session.call("items", {"q": "x"}).ok
    denied = ("denied", "APPROVAL_UNAVAILABLE")
    assert session.statuses() == [denied, denied, ("ok", None)]


def test_a_dry_check_says_ask_or_allow_and_leaves_no_trace(
    session: Session,
    post_tool: Definition,
    get_tool: Definition,
    httpserver: HTTPServer,
) -> None:
    published_order(session, post_tool)
    session.publish(get_tool)
    host = session.host
    asked = session.run(host.check_call("place_order", {"q": "tea"}))
    allowed = session.run(host.check_call("items", {"q": "x"}))
    denied = session.run(host.check_call("items", {}))
    missing = session.run(host.check_call("nobody", {}))
    decisions = [c.decision for c in (asked, allowed, denied, missing)]
    assert decisions == ["ask", "allow", "deny", "deny"]
    assert asked.preview is not None
    assert asked.preview.body == '{"item":"tea"}'
    assert [p.path for p in denied.problems] == ["input.q"]
    assert SECRET not in str(asked.to_wire())
    assert session.statuses() == []
    assert httpserver.log == []


def test_the_approver_sees_what_will_be_sent_and_the_call_goes_once(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/orders", method="POST").respond_with_json({"id": 7})
    published_order(session, post_tool)
    person = Answering()
    result = session.call("place_order", {"q": "tea"}, approver=person)
    assert result.ok
    [request] = person.asked
    assert request.tool_id == "place_order"
    assert request.version == 1
    assert (request.risk, request.effect) == ("low-write", "create")
    assert request.preview.method == "POST"
    assert request.preview.url == httpserver.url_for("/orders")
    assert request.preview.body == '{"item":"tea"}'
    assert len(httpserver.log) == 1
    assert httpserver.log[0][0].headers["X-Api-Key"] == SECRET
    [trace] = session.run(session.host.traces.list())
    assert trace.approval == "once"


def test_a_refusal_is_denied_with_the_persons_words(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    published_order(session, post_tool)
    person = Answering(Decision(outcome="reject", reason="not today"))
    result = session.call("place_order", {"q": "tea"}, approver=person)
    assert (result.error_code, result.text) == ("DENIED", "not today")
    assert httpserver.log == []


def test_edited_arguments_are_checked_again_and_hashed_as_sent(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/orders", method="POST").respond_with_json({})
    published_order(session, post_tool)
    person = Answering(Decision(outcome="allow", arguments={"q": "milk"}))
    assert session.call("place_order", {"q": "tea"}, approver=person).ok
    assert httpserver.log[0][0].get_json() == {"item": "milk"}
    [trace] = session.run(session.host.traces.list())
    assert trace.input_sha256 == hashlib.sha256(b'{"q":"milk"}').hexdigest()
    wrong = Answering(Decision(outcome="allow", arguments={"r": 1}))
    refused = session.call("place_order", {"q": "tea"}, approver=wrong)
    assert refused.error_code == "INVALID_INPUT"
    assert len(httpserver.log) == 1


def test_an_argument_that_was_shown_redacted_is_sent_as_it_was_given(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/orders", method="POST").respond_with_json({})
    post_tool["inputSchema"]["properties"]["note"] = {"type": "string"}
    body = post_tool["spec"]["request"]["body"]
    body["jsonTemplate"] = '{"item": {{q}}, "note": {{note}}}'
    published_order(session, post_tool)

    class Editing(Answering):
        async def decide(self, request: ApprovalRequest) -> Decision:
            self.asked.append(request)
            edited = {**request.arguments, "q": "milk"}
            return Decision(outcome="allow", arguments=edited)

    person = Editing()
    given = {"q": "tea", "note": f"see {SECRET}"}
    assert session.call("place_order", given, approver=person).ok
    assert person.asked[0].arguments["note"] == "see [REDACTED]"
    sent = httpserver.log[0][0].get_json()
    assert sent == {"item": "milk", "note": f"see {SECRET}"}


def test_an_edit_that_python_calls_equal_is_checked_as_an_edit(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    flags = {"type": "array", "items": {"type": "integer"}}
    post_tool["inputSchema"]["properties"]["flags"] = flags
    body = post_tool["spec"]["request"]["body"]
    body["jsonTemplate"] = '{"item": {{q}}, "flags": {{flags}}}'
    published_order(session, post_tool)
    edited = {"q": "tea", "flags": [True]}
    person = Answering(Decision(outcome="allow", arguments=edited))
    refused = session.call("place_order", {"q": "tea", "flags": [1]}, approver=person)
    assert refused.error_code == "INVALID_INPUT"
    assert httpserver.log == []


def test_yes_on_the_command_line_is_traced_as_a_flag(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/orders", method="POST").respond_with_json({})
    published_order(session, post_tool)
    assert session.call("place_order", {"q": "tea"}, approver=FlagApprover()).ok
    [trace] = session.run(session.host.traces.list())
    assert trace.approval == "flag"


QUESTION = ApprovalRequest(
    call_id="1",
    tool_id="place_order",
    title="Order",
    version=1,
    risk="low-write",
    effect="create",
    idempotency="unsafe",
    arguments={},
    preview=Preview(),
)


def test_no_answer_in_time_and_a_broken_approver_allow_nothing() -> None:
    class Silent:
        async def decide(self, request: ApprovalRequest) -> Decision:
            await asyncio.Event().wait()
            raise AssertionError

    class Broken:
        async def decide(self, request: ApprovalRequest) -> Decision:
            raise ZeroDivisionError

    with pytest.raises(DeniedError, match="nobody answered"):
        asyncio.run(ask(Silent(), QUESTION, seconds=0.01))
    with pytest.raises(DeniedError, match="ZeroDivisionError"):
        asyncio.run(ask(Broken(), QUESTION))


# ------------------------------------------------------------- time and cancelling
def test_a_slow_server_is_a_timeout(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    release = hold(httpserver)
    session.publish({**http_tool(f"{origin}/slow?q={{{{q}}}}"), "timeoutMs": 1000})
    result = session.call("items", {"q": "x"})
    release()
    assert result.error_code == "TIMEOUT"
    assert session.statuses() == [("timeout", "TIMEOUT")]


def test_a_cancelled_call_is_cancelled_and_not_a_timeout(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    arrived = threading.Event()
    release = hold(httpserver, arrived)
    session.publish(http_tool(f"{origin}/slow?q={{{{q}}}}"))

    async def stop_midway() -> Any:
        running = session.host.begin("items", {"q": "x"})
        assert await asyncio.to_thread(arrived.wait, 20)
        running.cancel()
        return await running.result()

    result = session.run(stop_midway())
    release()
    assert result.error_code == "CANCELLED"
    assert session.statuses() == [("cancelled", "CANCELLED")]


def hold(httpserver: HTTPServer, arrived: threading.Event | None = None) -> Any:
    """Make `/slow` answer only when released."""
    gate = threading.Event()

    def answer(request: Request) -> Response:
        if arrived is not None:
            arrived.set()
        gate.wait(20)
        return Response("late")

    httpserver.expect_request("/slow").respond_with_handler(answer)
    return gate.set


class Rigged:
    """A runtime whose calls end as told."""

    def __init__(self, ending: Any) -> None:
        self.ending = ending

    preview = Preview()
    secret_names: tuple[str, ...] = ()
    origin = None
    printed = ""

    def prepare(self, definition: Any, arguments: Mapping[str, Any]) -> "Rigged":
        return self

    async def run(self, secrets: Mapping[str, str], tools: Any) -> RunOutcome:
        outcome: RunOutcome = await self.ending()
        return outcome

    async def check(self, definition: Any) -> Sequence[Problem]:
        del definition
        return ()

    async def prove(self) -> Sequence[Proof]:
        return ()

    async def close(self) -> None:
        return None


def carry_out(session: Session, tool: Definition, ending: Any) -> Any:
    report = session.run(session.host.studio.validate(tool))
    assert report.definition is not None
    vault = Vault(session.host.keychain)
    execution = Execution(
        session.host.registry, vault, Runtimes({"http": Rigged(ending)})
    )
    target = CallTarget(definition=report.definition, version=None)
    return execution.call(target, {"q": "x"}, Caller())


def test_a_timeout_that_surfaces_as_another_failure_is_still_a_timeout(
    session: Session, get_tool: Definition
) -> None:
    async def torn() -> RunOutcome:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise UnreachableError("connection closed") from None
        raise AssertionError

    result = session.run(carry_out(session, {**get_tool, "timeoutMs": 1000}, torn))
    assert result.error_code == "TIMEOUT"


def test_a_cancel_that_surfaces_as_another_failure_is_still_a_cancel(
    session: Session, get_tool: Definition
) -> None:
    async def torn() -> RunOutcome:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise UnreachableError("connection closed") from None
        raise AssertionError

    call = carry_out(session, get_tool, torn)

    async def cancelled() -> None:
        task = asyncio.ensure_future(call)
        await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    session.run(cancelled())
    assert session.statuses() == [("cancelled", "CANCELLED")]


def test_a_fault_of_ours_is_data_with_the_traceback_in_the_log(
    session: Session, get_tool: Definition, caplog: pytest.LogCaptureFixture
) -> None:
    async def faulty() -> RunOutcome:
        raise ZeroDivisionError

    result = session.run(carry_out(session, get_tool, faulty))
    assert result.error_code == "EXECUTION_FAILED"
    assert "ZeroDivisionError" in result.text
    assert "Traceback" in caplog.text


# ------------------------------------------------------------------------ redaction
def test_an_echoed_secret_is_hidden_in_results_and_failures(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    encoded = base64.b64encode(SECRET.encode()).decode()
    httpserver.expect_request("/orders").respond_with_data(
        f"raw {SECRET} and {encoded}", status=500
    )
    published_order(session, post_tool)
    result = session.call("place_order", {"q": "x"}, approver=FlagApprover())
    assert result.error_code == "HTTP_ERROR"
    assert SECRET not in result.text
    assert encoded not in result.text
    assert result.text.count("[REDACTED]") == 2


def test_a_test_run_hides_whatever_looks_secret(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    token = "ghp_" + "a1" * 18
    httpserver.expect_request("/items").respond_with_data(f"token {token}")
    session.run(session.host.studio.draft(get_tool))
    result = session.run(session.host.studio.test("items", {"q": "x"}))
    assert result.text == "token [REDACTED]"


# --------------------------------------------------------------------------- traces
def test_the_input_digest_does_not_depend_on_key_order(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    session.call("items", {"a": 1, "b": 2})
    session.call("items", {"b": 2, "a": 1})
    first, second = session.run(session.host.traces.list())
    assert first.input_sha256 == second.input_sha256


@pytest.mark.parametrize(
    "odd", [[1], None, {"q": float("nan")}, {"q": "\ud800"}, {1: 2}, {"q": 10**400}]
)
def test_inputs_that_are_no_json_object_are_refused_and_traced(
    session: Session, get_tool: Definition, odd: Any
) -> None:
    session.publish(get_tool)
    assert session.call("items", odd).error_code == "INVALID_INPUT"
    assert session.statuses() == [("error", "INVALID_INPUT")]


def test_a_trace_that_cannot_be_written_does_not_change_the_result(
    session: Session,
    get_tool: Definition,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from sparknb.core.errors import RegistryUnavailableError

    httpserver.expect_request("/items").respond_with_data("found")
    session.publish(get_tool)

    def refuse(rows: object) -> None:
        raise RegistryUnavailableError("the disk is full")

    monkeypatch.setattr(session.host.registry, "add_traces", refuse)
    result = session.call("items", {"q": "x"})
    assert (result.ok, result.trace_id) == (True, None)


# ----------------------------------------------------------------------- test runs
def test_an_unsaved_definition_runs_without_secrets_only(
    session: Session,
    get_tool: Definition,
    post_tool: Definition,
    httpserver: HTTPServer,
) -> None:
    httpserver.expect_request("/items").respond_with_data("found")
    result = session.run(session.host.studio.test(get_tool, {"q": "x"}))
    assert result.text == "found"
    from sparknb.core.errors import InvalidInputError

    with pytest.raises(InvalidInputError, match="unsaved definition"):
        session.run(session.host.studio.test(post_tool, {"q": "x"}))
    [trace] = session.run(session.host.traces.list())
    assert (trace.source, trace.tool_version) == ("test", None)


def test_a_test_marks_the_tool_as_tested_also_when_it_fails(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("gone", status=404)
    session.run(session.host.studio.draft(get_tool))
    assert not session.run(session.host.studio.test("items", {"q": "x"})).ok
    detail = session.run(session.host.studio.get("items"))
    assert detail.tool.last_test_at is not None


def test_a_test_runs_the_draft_or_the_version_asked_for(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("old")
    httpserver.expect_request("/new").respond_with_data("new")
    session.publish(get_tool)
    session.run(
        session.host.studio.draft(http_tool(httpserver.url_for("/new?q={{q}}")))
    )
    studio = session.host.studio
    assert session.run(studio.test("items", {"q": "x"})).text == "new"
    assert session.run(studio.test("items", {"q": "x"}, version=1)).text == "old"
