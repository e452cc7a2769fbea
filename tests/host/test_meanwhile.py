"""What goes on beside a step or a call: other people, broken parts, cancellation."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RegistryUnavailableError,
)
from sparknb.core.protocols import ApprovalRequest, Decision
from sparknb.host.outcomes import DraftOutcome
from tests.host.programs import Workshop
from tests.hosting import Definition, Session, http_tool, steps_during

KEY = "k3y+of/an+order"


class Acting:
    """An approver that does something first, and then says yes."""

    def __init__(self, act: Any) -> None:
        self._act = act

    async def decide(self, request: ApprovalRequest) -> Decision:
        del request
        await self._act()
        return Decision(outcome="allow")


@pytest.fixture
def order(session: Session, origin: str) -> str:
    """Give the id of a published tool that asks."""
    session.publish(http_tool(f"{origin}/orders", tool_id="order", method="POST"))
    return "order"


# ------------------------------------------------------------ while a person decides
def test_a_tool_that_is_disabled_while_the_person_decides_is_not_called(
    session: Session, order: str, httpserver: HTTPServer
) -> None:
    studio = session.host.studio
    approver = Acting(lambda: studio.set_enabled(order, enabled=False))
    result = session.call(order, {"q": "x"}, approver=approver)
    assert (result.error_code, httpserver.log) == ("DENIED", [])


def test_a_tool_that_is_deleted_while_the_person_decides_is_not_called(
    session: Session, order: str, httpserver: HTTPServer
) -> None:
    surface = session.run(session.host.surface())
    approver = Acting(lambda: session.host.studio.delete(order))
    called = surface.call(f"custom_{order}", {"q": "x"}, approver=approver)
    assert session.run(called).error_code == "NOT_FOUND"
    assert httpserver.log == []


def test_a_new_version_meanwhile_leaves_the_approved_one_running(
    session: Session, order: str, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/orders").respond_with_data("done")
    other = http_tool(f"{origin}/other", tool_id=order, method="POST")

    async def publish() -> None:
        await session.host.studio.draft(other)
        await session.host.studio.publish(order)

    result = session.call(order, {"q": "x"}, approver=Acting(publish))
    assert result.unwrap() == "done"


def test_an_approver_whose_question_was_cancelled_denies_the_call(
    session: Session, order: str
) -> None:
    async def act() -> None:
        raise asyncio.CancelledError

    result = session.call(order, {"q": "x"}, approver=Acting(act))
    assert result.error_code == "DENIED"
    assert session.statuses() == [("denied", "DENIED")]


def test_a_call_that_is_cancelled_while_the_person_decides_is_cancelled(
    session: Session, order: str
) -> None:
    async def stop_midway() -> Any:
        asked = asyncio.Event()

        async def wait() -> None:
            asked.set()
            await asyncio.Event().wait()

        call = session.host.begin(order, {"q": "x"}, approver=Acting(wait))
        await asked.wait()
        call.cancel()
        result = await call.result()
        return result, len(asyncio.all_tasks())

    result, tasks = session.run(stop_midway())
    assert (result.error_code, tasks) == ("CANCELLED", 1)
    assert session.statuses() == [("cancelled", "CANCELLED")]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (None, "DENIED"),
        (True, "DENIED"),
        (Decision(outcome="allow", arguments=[1]), "INVALID_INPUT"),  # type: ignore[arg-type]  # what a faulty approver gives
    ],
)
def test_an_answer_that_is_none_allows_nothing(
    session: Session, order: str, answer: Any, code: str, httpserver: HTTPServer
) -> None:
    class Faulty:
        async def decide(self, request: ApprovalRequest) -> Any:
            del request
            return answer

    result = session.call(order, {"q": "x"}, approver=Faulty())
    assert (result.error_code, httpserver.log) == (code, [])


class Redrawing:
    """An approver that looks at the question about other arguments, and says no."""

    def __init__(self, **edited: Any) -> None:
        self._edited = edited
        self.seen: ApprovalRequest | None = None
        self.failure: InvalidInputError | None = None

    async def decide(self, request: ApprovalRequest) -> Decision:
        assert request.with_arguments is not None
        try:
            edited = {**request.arguments, **self._edited}
            self.seen = request.with_arguments(edited)
        except InvalidInputError as error:
            self.failure = error
        return Decision(outcome="reject")


def test_edited_arguments_are_shown_as_they_would_be_sent_and_send_nothing(
    session: Session, post_tool: Definition, httpserver: HTTPServer
) -> None:
    post_tool["inputSchema"]["properties"]["note"] = {"type": "string"}
    request = post_tool["spec"]["request"]
    request["urlTemplate"] += "?item={{q}}"
    request["body"]["jsonTemplate"] = '{"item": {{q}}, "note": {{note}}}'
    session.run(session.host.studio.draft(post_tool))
    session.run(session.host.secrets.set("place_order", "key", KEY))
    session.run(session.host.studio.publish("place_order"))
    given = {"q": "tea", "note": f"see {KEY}"}
    person = Redrawing(q="milk")
    assert session.call("place_order", given, approver=person).error_code == "DENIED"
    assert person.seen is not None
    preview = person.seen.preview
    assert str(preview.url).endswith("/orders?item=milk")
    assert json.loads(str(preview.body)) == {"item": "milk", "note": "see [REDACTED]"}
    assert person.seen.arguments == {"q": "milk", "note": "see [REDACTED]"}
    assert KEY not in repr(person.seen)
    assert httpserver.log == []


def test_edited_arguments_that_cannot_be_sent_are_told_where_they_are_edited(
    session: Session, order: str, httpserver: HTTPServer
) -> None:
    person = Redrawing(q=1, more=True)
    result = session.call(order, {"q": "x"}, approver=person)
    assert (result.error_code, httpserver.log) == ("DENIED", [])
    assert person.failure is not None
    paths = {problem.path for problem in person.failure.problems}
    assert paths == {"input.q", "input.more"}


# --------------------------------------------------------------- the same new tool
def test_a_draft_of_an_id_that_another_host_makes_just_now_is_saved(
    open_session: Callable[..., Session],
    get_tool: Definition,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, other = open_session(), open_session()
    both_looked = threading.Barrier(2)
    for host in (session.host, other.host):
        create = host.registry.create_draft

        def late(*given: Any, create: Any = create) -> Any:
            both_looked.wait(30)
            return create(*given)

        monkeypatch.setattr(host.registry, "create_draft", late)

    async def race() -> list[DraftOutcome]:
        drafts = [
            host.studio.draft(get_tool | {"title": title})
            for host, title in ((session.host, "One"), (other.host, "Two"))
        ]
        return await asyncio.gather(*drafts)

    first, second = sorted(session.run(race()), key=lambda outcome: outcome.created)
    assert (first.created, second.created) == (False, True)
    assert first.tool.draft_revision == 2
    detail = session.run(session.host.studio.get("items"))
    assert detail.shown.definition["title"] == first.definition.title


# -------------------------------------------------------------- inputs without a text
class Unspeakable:
    def __repr__(self) -> str:
        raise ValueError("no text")


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("odd", [nested(100_000), Unspeakable()], ids=["deep", "mute"])
def test_an_input_that_cannot_be_written_is_refused_and_traced(
    session: Session, get_tool: Definition, odd: Any
) -> None:
    session.publish(get_tool)
    assert session.call("items", {"q": odd}).error_code == "INVALID_INPUT"
    assert session.statuses() == [("error", "INVALID_INPUT")]


# ----------------------------------------------------------------- a broken registry
@pytest.mark.parametrize(
    "harm",
    [
        "DROP TABLE registry",
        "UPDATE versions SET definition = '{'",
        "UPDATE versions SET definition = '{}', digest = 'other'",
        "UPDATE versions SET definition = '[]', digest = 'other'",
    ],
)
def test_a_registry_that_cannot_be_read_is_a_result_and_no_exception(
    session: Session, get_tool: Definition, harm: str
) -> None:
    session.publish(get_tool)
    _harm(session.host.settings.home, harm)
    result = session.call("items", {"q": "x"})
    check = session.run(session.host.check_call("items", {"q": "x"}))
    assert (result.error_code, check.error_code) == ("REGISTRY_UNAVAILABLE",) * 2
    assert check.decision == "deny"


def test_a_snapshot_of_a_registry_that_is_gone_gives_results_too(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    surface = session.run(session.host.surface())
    _harm(session.host.settings.home, "DROP TABLE registry")
    result = session.run(surface.call("custom_items", {"q": "x"}))
    assert result.error_code == "REGISTRY_UNAVAILABLE"


def _harm(home: Path, statement: str) -> None:
    connection = sqlite3.connect(home / "registry.db")
    if not statement.startswith("DROP"):
        connection.execute("UPDATE registry SET changes = changes + 1")
    connection.execute(statement)
    connection.commit()
    connection.close()


# -------------------------------------------------------------------------- test runs
def test_a_time_that_cannot_be_noted_does_not_change_a_tests_result(
    session: Session,
    get_tool: Definition,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    httpserver.expect_request("/items").respond_with_data("found")
    session.run(session.host.studio.draft(get_tool))

    def refuse(tool_id: str) -> None:
        raise RegistryUnavailableError(f"{tool_id} is locked")

    monkeypatch.setattr(session.host.registry, "mark_tested", refuse)
    result = session.run(session.host.studio.test("items", {"q": "x"}))
    assert result.unwrap() == "found"


def test_a_cancelled_test_counts_as_a_test(session: Session, origin: str) -> None:
    tool = http_tool(f"{origin}/orders", tool_id="order", method="POST")
    session.run(session.host.studio.draft(tool))

    async def stop_midway() -> None:
        asked = asyncio.Event()

        async def wait() -> None:
            asked.set()
            await asyncio.Event().wait()

        test = asyncio.create_task(
            session.host.studio.test("order", {"q": "x"}, approver=Acting(wait))
        )
        await asked.wait()
        test.cancel()
        with pytest.raises(asyncio.CancelledError):
            await test

    session.run(stop_midway())
    detail = session.run(session.host.studio.get("order"))
    assert detail.tool.last_test_at is not None


# ------------------------------------------------------------------------- deletion
def keychain_that(
    session: Session, monkeypatch: pytest.MonkeyPatch, verb: str, act: Any
) -> None:
    """Let something happen once, at the moment the keychain is used."""
    real = getattr(session.host.keychain._real, verb)  # type: ignore[attr-defined]  # behind the lazy one
    acts = [act]

    def work(*given: Any) -> Any:
        while acts:
            acts.pop()()
        return real(*given)

    monkeypatch.setattr(type(session.host.keychain), verb, lambda _, *g: work(*g))


def test_a_secret_set_while_its_tool_is_deleted_leaves_no_value(
    session: Session, post_tool: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.run(session.host.studio.draft(post_tool))
    registry = session.host.registry
    keychain_that(session, monkeypatch, "write", lambda: registry.delete("place_order"))
    with pytest.raises(NotFoundError):
        session.run(session.host.secrets.set("place_order", "key", "canary-77"))
    assert session.host.keychain.read("custom-tool:place_order:key") is None


def test_a_secret_set_between_the_two_halves_of_a_delete_leaves_no_value(
    session: Session, post_tool: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.run(session.host.studio.draft(post_tool))
    session.run(session.host.secrets.set("place_order", "key", "canary-77"))
    keychain = session.host.keychain
    known = keychain.read("custom-tool:place_order:key")
    assert known is not None
    real = session.host.registry.delete

    def late(tool_id: str, **options: Any) -> None:
        keychain.write("custom-tool:place_order:key", known)
        real(tool_id, **options)

    monkeypatch.setattr(session.host.registry, "delete", late)
    session.run(session.host.studio.delete("place_order"))
    assert keychain.read("custom-tool:place_order:key") is None


def test_a_draft_saved_while_its_tool_is_deleted_keeps_the_tool(
    session: Session, post_tool: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.run(session.host.studio.draft(post_tool))
    tool = session.run(session.host.studio.validate({**post_tool, "title": "Newer"}))
    assert tool.definition is not None
    saved = tool.definition
    registry = session.host.registry
    keychain_that(session, monkeypatch, "remove", lambda: registry.save_draft(saved))
    with pytest.raises(ConflictError):
        session.run(session.host.studio.delete("place_order"))
    detail = session.run(session.host.studio.get("place_order"))
    assert detail.tool.title == "Newer"
    session.run(session.host.studio.delete("place_order"))


def test_a_call_that_outlives_its_tool_leaves_no_trace_of_it(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    requested, released = threading.Event(), threading.Event()

    def answer(_: Request) -> Response:
        requested.set()
        released.wait(20)
        return Response("done")

    httpserver.expect_request("/items").respond_with_handler(answer)
    session.publish(http_tool(f"{origin}/items?q={{{{q}}}}"))

    async def test() -> None:
        running = session.host.begin("items", {"q": "x"})
        await asyncio.to_thread(requested.wait, 20)
        await session.host.studio.delete("items")
        released.set()
        assert (await running.result()).ok
        assert await session.host.traces.list() == []

    session.run(test())


# ------------------------------------------------- while a long result is looked at
def test_others_go_on_while_secrets_are_hidden_in_a_long_result(
    tmp_path: Path,
) -> None:
    shop, key = Workshop(tmp_path / "home"), "sk-" + "a1B2" * 8
    try:
        shop.add("lines")
        steps = {}
        for count in (1, 1, 3_000):  # at first, what it needs is loaded as well
            lines = [{f"line {key}": [key, n]} for n in range(count)]

            async def program(*_: Any, lines: Any = lines) -> Any:
                return lines

            async def tested(count: int = count) -> None:
                result = await shop.host.studio.test("lines", {})
                assert result.text.count("[REDACTED]") == 2 * count
                hidden = [{"line [REDACTED]": ["[REDACTED]", n]} for n in range(count)]
                assert result.data == hidden

            shop.does("lines", program)
            steps[count] = shop.run(steps_during(tested()))
        assert steps[3_000] > steps[1]
    finally:
        shop.close()
