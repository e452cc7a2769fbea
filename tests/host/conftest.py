"""Fixtures: a host with a memory keychain, and tools of a real loopback server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.host.authoring import Agent
from tests.host.seeing import KEY, PATH, answer, profile, vision
from tests.hosting import Definition, Session, http_tool


@pytest.fixture
def open_session(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    opened: list[Session] = []

    def make(home: Path | None = None, **options: Any) -> Session:
        session = Session(home or tmp_path / "home", **options)
        opened.append(session)
        return session

    yield make
    for session in opened:
        session.close()


@pytest.fixture
def session(open_session: Callable[..., Session]) -> Session:
    return open_session()


@pytest.fixture
def origin(httpserver: HTTPServer) -> str:
    return httpserver.url_for("").rstrip("/")


@pytest.fixture
def get_tool(origin: str) -> Definition:
    """Give the base tool T of the specification: GET with one required string."""
    return http_tool(f"{origin}/items?q={{{{q}}}}")


@pytest.fixture
def post_tool(origin: str) -> Definition:
    """Give a POST with a secret header."""
    tool = http_tool(f"{origin}/orders", tool_id="place_order", method="POST")
    tool["secretRefs"] = {"key": "custom-tool:place_order:key"}
    request = tool["spec"]["request"]
    request["headers"] = [{"name": "X-Api-Key", "secretRef": "key"}]
    request["body"] = {"mode": "json", "jsonTemplate": '{"item": {{q}}}'}
    return tool


@pytest.fixture
def other_server() -> Iterator[HTTPServer]:
    """Give a second server: another port, so another origin."""
    with HTTPServer(host="127.0.0.1", port=0) as server:
        yield server


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    httpserver.expect_request("/items").respond_with_data("ok")
    return httpserver


@pytest.fixture
def tool(server: HTTPServer) -> Definition:
    return http_tool(server.url_for("/items?q={{q}}"))


@pytest.fixture
def post(server: HTTPServer) -> Definition:
    return http_tool(server.url_for("/items?q={{q}}"), method="POST")


@pytest.fixture
def agent(session: Session) -> Agent:
    return Agent(session)


@pytest.fixture
def service(httpserver: HTTPServer) -> HTTPServer:
    """Give a service that lists two models and answers every question."""
    models = {"data": [{"id": "sees"}, {"id": "reads"}]}
    httpserver.expect_request("/v1/models").respond_with_json(models)
    httpserver.expect_request(PATH).respond_with_json(answer("a red square"))
    return httpserver


@pytest.fixture
def seeing(session: Session, service: HTTPServer) -> Session:
    """Give a session with the provider, its key, and a published vision tool."""
    session.run(session.host.providers.add(profile(service), KEY))
    session.publish(vision())
    return session
