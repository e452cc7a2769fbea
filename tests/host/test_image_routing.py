"""Which vision tool answers when the host is given images (ST-46)."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.host.seeing import IMAGE, KEY, PATH, answer, profile, requests, vision
from tests.hosting import Definition, Session


@pytest.fixture
def routed(session: Session, httpserver: HTTPServer) -> Session:
    """Give a session whose provider answers with the instructions it was given."""

    def echo(request: Request) -> Response:
        said = json.loads(request.data)["messages"][0]["content"]
        return Response(json.dumps(answer(said)), content_type="application/json")

    httpserver.expect_request(PATH).respond_with_handler(echo)
    session.run(session.host.providers.add(profile(httpserver), KEY))
    return session


def offer(tool_id: str, priority: int | None = None, **auto: Any) -> Definition:
    route = auto if priority is None else {"priority": priority, **auto}
    instructions = f"I am the tool {tool_id}"
    return vision(tool_id, spec={"autoRoute": route, "instructions": instructions})


def answering(session: Session) -> str | None:
    """Give which tool is asked about images, None for none."""
    result = session.run(session.host.route_images([IMAGE]))
    if not result.ok:
        assert result.error_code == "NOT_FOUND"
        return None
    return result.text.removeprefix("I am the tool ")


def test_images_go_to_the_highest_priority_and_of_equals_to_the_first_by_id(
    routed: Session, httpserver: HTTPServer
) -> None:
    assert answering(routed) is None
    routed.publish(offer("mmm"))
    assert answering(routed) == "mmm"
    routed.publish(offer("zzz", 100))
    assert answering(routed) == "mmm"
    routed.publish(offer("aaa", 100))
    assert answering(routed) == "aaa"
    routed.publish(offer("low", 0))
    routed.publish(offer("top", 10_000, enabled=False))
    assert answering(routed) == "aaa"
    routed.publish(offer("sss", 101))
    assert [answering(routed) for _ in range(3)] == ["sss"] * 3
    assert len(requests(httpserver)) == 7


@pytest.mark.parametrize(
    ("given", "kind"),
    [("a.png", "string"), ("", "string"), (IMAGE, "string"), (5, "number")],
)
def test_what_is_no_list_of_images_is_refused_as_such(
    routed: Session, httpserver: HTTPServer, given: Any, kind: str
) -> None:
    routed.publish(offer("eye"))
    result = routed.run(routed.host.route_images(given))
    assert result.error_code == "INVALID_INPUT"
    (problem,) = result.problems
    assert problem.path == "input.images"
    if given:
        assert f"must be an array, not a {kind}" in problem.message
    assert not requests(httpserver)


def test_images_may_come_in_any_sequence(routed: Session) -> None:
    routed.publish(offer("eye"))
    assert routed.run(routed.host.route_images((IMAGE,))).ok


def test_only_what_is_published_and_enabled_takes_images(routed: Session) -> None:
    studio = routed.host.studio
    routed.publish(offer("low", 1))
    routed.run(studio.draft(offer("draft", 500)))
    assert answering(routed) == "low"
    routed.publish(offer("high", 900))
    routed.run(studio.draft(offer("high", 0)))  # pending: does not count yet
    assert answering(routed) == "high"
    routed.run(studio.set_enabled("high", enabled=False))
    assert answering(routed) == "low"
    routed.run(studio.set_enabled("low", enabled=False))
    assert answering(routed) is None


def test_a_provider_that_fails_is_not_replaced_by_another(
    session: Session, httpserver: HTTPServer
) -> None:
    httpserver.expect_request(PATH).respond_with_json({}, status=503)
    httpserver.expect_request("/other/chat/completions").respond_with_json(answer("x"))
    other = profile(
        httpserver, profile_id="other", base_url=httpserver.url_for("/other")
    )
    for each in (profile(httpserver), other):
        session.run(session.host.providers.add(each, KEY))
    session.publish(vision("first", spec={"autoRoute": {"priority": 2}}))
    more = {"providerProfileId": "other", "autoRoute": {"priority": 1}}
    session.publish(vision("second", spec=more))
    result = session.run(session.host.route_images([IMAGE], "What?"))
    assert result.error_code == "HTTP_ERROR"
    assert [request.path for request, _ in httpserver.log] == [PATH]
    (row,) = session.run(session.host.traces.list())
    assert (row.tool_id, row.source, row.status) == ("first", "model", "error")


def test_a_damaged_tool_does_not_take_the_others_with_it(
    routed: Session, tmp_path: Path
) -> None:
    routed.publish(offer("good", 1))
    routed.publish(offer("bad", 9))
    connection = sqlite3.connect(tmp_path / "home" / "registry.db")
    with connection:
        connection.execute("UPDATE versions SET definition = '{' WHERE tool_id = 'bad'")
        connection.execute("UPDATE registry SET changes = changes + 1")
    connection.close()
    assert answering(routed) == "good"
