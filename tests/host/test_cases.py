"""Cases run against real servers; what came of them is kept, and opens the gate."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import (
    ApprovalUnavailableError,
    CasesNotPassingError,
    DeniedError,
    InvalidInputError,
    NotFoundError,
)
from sparknb.core.protocols import Decision
from tests.host.authoring import SECRET, with_secret
from tests.hosting import Answering, Definition, Session, http_tool

REQUIRED = {"SPARKNB_REQUIRE_PASSING_CASES": "true"}


def case(name: str, q: str, **expect: Any) -> dict[str, Any]:
    return {"name": name, "input": {"q": q}, "expect": expect}


FOUND = case("found", "lamp", contains="lamp")
LOST = case("lost", "nothing", errorCode="HTTP_ERROR")
WRONG = case("wrong", "lamp", exact="globe")


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    """Give a server that answers with the query, and 404 to `nothing`."""

    def answer(request: Request) -> Response:
        q = request.args.get("q") or request.get_data(as_text=True)
        return Response("nothing there", 404) if q == "nothing" else Response(q)

    httpserver.expect_request("/items").respond_with_handler(answer)
    return httpserver


def draft(session: Session, tool: Definition, *cases: Any) -> None:
    session.run(session.host.studio.draft(tool, list(cases) or None))


def run(session: Session, **options: Any) -> Any:
    return session.run(session.host.studio.run_cases("items", **options))


def outcomes(found: Any) -> list[tuple[str, bool]]:
    return [(result.name, result.passed) for result in found.results]


# ------------------------------------------------------------------------- running
def test_all_cases_run_in_order_and_a_failure_stops_none(
    session: Session, tool: Definition, server: HTTPServer
) -> None:
    draft(session, tool, WRONG, LOST, FOUND)
    found = run(session)
    assert outcomes(found) == [("wrong", False), ("lost", True), ("found", True)]
    assert not found.passed
    asked = [request.args["q"] for request, _ in server.log]
    assert asked == ["lamp", "nothing", "lamp"]
    lost = found.to_wire()["results"][1]
    assert set(lost) == {"name", "passed", "reason", "durationMs", "errorCode"}
    assert lost["errorCode"] == "HTTP_ERROR"
    assert "errorCode" not in found.to_wire()["results"][2]
    assert session.statuses() == [
        ("ok", None),
        ("error", "HTTP_ERROR"),
        ("ok", None),
    ]


def test_a_case_may_expect_that_its_input_is_refused(
    session: Session, tool: Definition, server: HTTPServer
) -> None:
    wrong = {"name": "no q", "input": {}, "expect": {"errorCode": "INVALID_INPUT"}}
    draft(session, tool, wrong)
    assert run(session).passed
    assert not server.log


def test_what_came_of_a_run_is_kept_with_the_version_and_travels(
    session: Session, tool: Definition
) -> None:
    studio = session.host.studio
    draft(session, tool, FOUND)
    found = run(session)
    kept = session.run(studio.get("items")).shown.case_run
    assert kept is not None
    assert kept["results"] == found.to_wire()["results"]
    assert kept["specDigest"] == session.run(studio.get("items")).shown.digest
    assert kept["mode"] == "live"
    session.run(studio.publish("items"))
    draft(session, tool | {"title": "Other"})
    detail = session.run(studio.get("items"))
    assert detail.shown.case_run is None
    assert [c["name"] for c in detail.shown.cases] == ["found"]
    assert session.run(studio.get("items", 1)).shown.case_run == kept
    assert run(session, version=1).version == 1
    assert session.run(studio.get("items")).shown.case_run is None


def test_a_run_sets_the_time_of_the_last_test(
    session: Session, tool: Definition
) -> None:
    draft(session, tool, FOUND)
    run(session)
    assert session.run(session.host.studio.get("items")).tool.last_test_at is not None


class Waiting:
    """An approver that never answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def decide(self, request: Any) -> Decision:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


def test_a_run_that_is_stopped_is_not_kept(session: Session, post: Definition) -> None:
    draft(session, post, FOUND, WRONG)

    person = Waiting()

    async def stopped() -> None:
        started = asyncio.create_task(
            session.host.studio.run_cases("items", approver=person)
        )
        await person.asked.wait()
        started.cancel()
        with pytest.raises(asyncio.CancelledError):
            await started

    session.run(stopped())
    assert session.run(session.host.studio.get("items")).shown.case_run is None


def test_without_cases_there_is_nothing_to_run(
    session: Session, tool: Definition
) -> None:
    with pytest.raises(NotFoundError):
        run(session)
    draft(session, tool)
    with pytest.raises(InvalidInputError, match="no test cases"):
        run(session)
    with pytest.raises(NotFoundError):
        run(session, version=7)


def test_cases_and_definition_are_refused_together_and_nothing_is_stored(
    session: Session, tool: Definition
) -> None:
    broken = [FOUND | {"name": ""}, {"name": "a", "input": {}, "expect": {}}]
    studio = session.host.studio
    for verb in (studio.create_draft, studio.draft):
        with pytest.raises(InvalidInputError) as raised:
            session.run(verb(tool | {"title": ""}, broken))
        assert [p.path for p in raised.value.problems] == [
            "title",
            "cases.0.name",
            "cases.1.expect",
        ]
    assert not session.run(studio.list()).tools
    draft(session, tool, FOUND)
    with pytest.raises(InvalidInputError):
        session.run(studio.save_draft(tool, broken))
    assert list(session.run(studio.get("items")).shown.cases) == [FOUND]
    session.run(studio.save_draft(tool))
    assert list(session.run(studio.get("items")).shown.cases) == [FOUND]
    session.run(studio.save_draft(tool, []))
    assert not session.run(studio.get("items")).shown.cases


# --------------------------------------------------------------------- the person
def test_a_person_is_asked_once_for_all_cases(
    session: Session, post: Definition, server: HTTPServer
) -> None:
    draft(session, post, *[case(f"n{n}", f"q{n}", contains="q") for n in range(7)])
    person = Answering()
    assert run(session, approver=person).passed
    (request,) = person.asked
    assert request.action == "cases"
    assert request.version == 1
    assert request.arguments["cases"] == 7
    assert request.arguments["inputs"] == [{"q": f"q{n}"} for n in range(5)]
    assert request.preview.method == "POST"
    rows = session.run(session.host.traces.list())
    assert [row.approval for row in rows] == ["once"] * 7


def test_the_question_about_cases_shows_no_secret(
    session: Session, post: Definition
) -> None:
    host, person = session.host, Answering(Decision(outcome="reject"))
    tool = with_secret(post)
    tool["title"] = f"Ask {SECRET}"
    tool["spec"]["request"]["urlTemplate"] += f"&note={SECRET}"
    body = {"mode": "text", "contentType": "text/plain", "template": f"say {SECRET}"}
    tool["spec"]["request"]["body"] = body
    draft(session, tool, FOUND)
    session.run(host.secrets.set("items", "key", SECRET))
    with pytest.raises(DeniedError):
        run(session, approver=person)
    (asked,) = person.asked
    assert asked.preview.body == "say [REDACTED]"
    assert SECRET not in repr(asked)


@pytest.mark.parametrize(
    ("approver", "error"),
    [
        (Answering(Decision(outcome="reject")), DeniedError),
        (Answering(Decision(outcome="unavailable")), ApprovalUnavailableError),
        (Answering(Decision(outcome="allow", arguments={"cases": 0})), DeniedError),
        (None, ApprovalUnavailableError),
    ],
    ids=["no", "cannot be asked", "edited", "nobody"],
)
def test_without_a_yes_no_case_runs_and_nothing_is_kept(
    session: Session,
    post: Definition,
    server: HTTPServer,
    approver: Answering | None,
    error: type[Exception],
) -> None:
    draft(session, post, FOUND)
    with pytest.raises(error):
        run(session, approver=approver)
    assert not server.log
    assert session.run(session.host.studio.get("items")).shown.case_run is None


def test_cases_that_only_expect_refusals_ask_nobody(
    session: Session, post: Definition
) -> None:
    wrong = {"name": "no q", "input": {}, "expect": {"errorCode": "INVALID_INPUT"}}
    draft(session, post, wrong)
    assert run(session).passed


# ----------------------------------------------------------------------- the gate
def publish(session: Session, **options: Any) -> Any:
    return session.run(session.host.studio.publish("items", **options)).tool


def refused(session: Session, **options: Any) -> str:
    with pytest.raises(CasesNotPassingError) as raised:
        publish(session, **options)
    assert session.run(session.host.studio.get("items")).tool.published_version is None
    return raised.value.message


@pytest.fixture
def gated(open_session: Callable[..., Session]) -> Session:
    return open_session(environment=REQUIRED)


def test_the_gate_lets_only_passed_cases_of_this_very_draft_through(
    gated: Session, tool: Definition
) -> None:
    draft(gated, tool)
    assert "no cases" in refused(gated)
    draft(gated, tool, FOUND, WRONG)
    assert "not run" in refused(gated)
    run(gated)
    assert refused(gated).endswith("failing: wrong")
    draft(gated, tool, FOUND)
    assert "stale" in refused(gated)
    assert run(gated).passed
    draft(gated, tool | {"title": "One change"})
    assert "stale" in refused(gated)
    assert run(gated).passed
    draft(gated, tool | {"title": "One change"}, FOUND, LOST)
    assert "cases changed" in refused(gated)
    assert run(gated).passed
    assert publish(gated).published_version == 1


def test_who_is_asked_is_asked_only_about_what_can_be_published(
    gated: Session, tool: Definition
) -> None:
    draft(gated, tool, FOUND)
    with pytest.raises(CasesNotPassingError):
        gated.run(gated.host.studio.require_publishable("items"))


def test_the_gate_can_be_wanted_for_one_publish(
    session: Session, tool: Definition
) -> None:
    draft(session, tool, FOUND)
    refused(session, require_cases=True)
    run(session)
    assert publish(session, require_cases=True).published_version == 1


def test_without_the_gate_cases_are_no_hindrance(
    session: Session, tool: Definition
) -> None:
    draft(session, tool, WRONG)
    run(session)
    assert publish(session).enabled


def test_a_secret_in_an_answer_is_in_no_reason_and_no_record(
    session: Session, server: HTTPServer
) -> None:
    secret = "c4nary-0f-the-cases"
    server.expect_request("/echo").respond_with_handler(
        lambda request: Response(request.headers["X-Api-Key"])
    )
    tool = http_tool(server.url_for("/echo?q={{q}}"))
    tool["secretRefs"] = {"key": "custom-tool:items:key"}
    tool["spec"]["request"]["headers"] = [{"name": "X-Api-Key", "secretRef": "key"}]
    draft(session, tool, FOUND, WRONG)
    session.run(session.host.secrets.set("items", "key", secret))
    found = run(session)
    assert "[REDACTED]" in found.results[0].reason
    kept = session.run(session.host.studio.get("items")).to_wire()
    assert secret not in str(found) + str(found.to_wire()) + str(kept)
