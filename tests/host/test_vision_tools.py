"""Vision tools through the host: calls, keys, limits, surface (ST-44, ST-45)."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import KeychainUnavailableError
from tests.canary import search_tree
from tests.host.seeing import (
    IMAGE,
    KEY,
    PATH,
    PNG,
    answer,
    profile,
    refusal,
    requests,
    vision,
)
from tests.hosting import Session


def test_a_vision_tool_is_called_like_any_other(
    seeing: Session, service: HTTPServer
) -> None:
    result = seeing.call("look", {"images": [IMAGE], "question": "What is it?"})
    assert (result.ok, result.text) == (True, "a red square")
    (request,) = requests(service)
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert json.loads(request.data)["stream"] is False
    assert seeing.statuses() == [("ok", None)]


def test_a_draft_may_name_a_provider_that_is_not_there_yet(session: Session) -> None:
    saved = session.run(session.host.studio.draft(vision()))
    assert [w.code for w in saved.warnings] == ["PROVIDER_UNKNOWN"]
    session.run(session.host.studio.publish("look"))
    result = session.call("look", {"images": [IMAGE]})
    assert (result.error_code, result.ok) == ("NOT_FOUND", False)


def test_without_its_key_a_call_says_how_to_give_it(
    session: Session, service: HTTPServer
) -> None:
    session.run(session.host.providers.add(profile(service)))
    session.publish(vision())
    result = session.call("look", {"images": [IMAGE]})
    assert result.error_code == "SECRET_MISSING"
    assert result.hint == "give it: sparknb provider key eyes"
    assert service.log == []


def test_a_key_goes_to_the_origin_it_was_given_for_only(
    seeing: Session, service: HTTPServer
) -> None:
    registry = seeing.host.registry
    registry.remove_provider("eyes")  # as somebody with the registry could
    registry.add_provider(profile(service, base_url="http://elsewhere.test/v1"))
    result = seeing.call("look", {"images": [IMAGE]})
    assert result.error_code == "SECRET_MISSING"
    assert service.log == []


def test_the_key_is_read_from_a_variable_in_ci(
    open_session: Callable[..., Session], service: HTTPServer
) -> None:
    variables = {"SPARKNB_PROVIDER_KEY__EYES": KEY}
    session = open_session(keychain="env", environment=variables)
    providers = session.host.providers
    assert not providers.takes_key(profile(service))
    session.run(providers.add(profile(service)))
    session.publish(vision())
    assert session.call("look", {"images": [IMAGE]}).ok
    assert refusal(session, providers.set_key("eyes", "new-canary")).code == (
        "KEYCHAIN_UNAVAILABLE"
    )
    lost = replace(profile(service), id="other")
    session.run(providers.add(lost))
    session.publish(vision("look_too", spec={"providerProfileId": "other"}))
    result = session.call("look_too", {"images": [IMAGE]})
    assert "SPARKNB_PROVIDER_KEY__OTHER" in (result.hint or "")


@pytest.mark.parametrize(
    ("needs_key", "hint"),
    [(True, "set the variable SPARKNB_PROVIDER_KEY__EYES"), (False, "--no-key")],
)
def test_a_key_that_is_refused_is_to_be_given_where_keys_are_read(
    open_session: Callable[..., Session],
    httpserver: HTTPServer,
    needs_key: bool,
    hint: str,
) -> None:
    httpserver.expect_request(PATH).respond_with_json({}, status=401)
    variables = {"SPARKNB_PROVIDER_KEY__EYES": KEY}
    session = open_session(keychain="env", environment=variables)
    asked = replace(profile(httpserver), needs_key=needs_key)
    session.run(session.host.providers.add(asked))
    session.publish(vision())
    result = session.call("look", {"images": [IMAGE]})
    assert result.error_code == "HTTP_ERROR"
    assert hint in (result.hint or "")
    assert "provider key" not in (result.hint or "")


def test_a_service_that_wants_no_key_needs_no_keychain(
    session: Session, service: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any) -> None:
        raise KeychainUnavailableError("locked")

    session.run(session.host.providers.add(profile(service, needs_key=False)))
    session.publish(vision())
    for name in ("read", "write", "remove"):
        monkeypatch.setattr(type(session.host.keychain), name, locked)
    assert session.call("look", {"images": [IMAGE]}).ok
    assert session.run(session.host.providers.test("eyes")).reply
    assert "Authorization" not in requests(service)[0].headers
    (state,) = session.run(session.host.providers.list())
    assert state.has_key is None
    session.run(session.host.providers.remove("eyes"))


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("form", [KEY, base64.b64encode(KEY.encode()).decode()])
def test_a_service_that_repeats_the_key_does_not_show_it(
    session: Session, httpserver: HTTPServer, tmp_path: Path, status: int, form: str
) -> None:
    body = {"error": {"message": f"bad key {form}"}}
    document = answer(f"your key is {form}") if status == 200 else body
    httpserver.expect_request(PATH).respond_with_json(document, status=status)
    session.run(session.host.providers.add(profile(httpserver), KEY))
    session.publish(vision())
    shown = [repr(session.call("look", {"images": [IMAGE]}))]
    shown.append(
        repr(session.run(session.host.studio.test("look", {"images": [IMAGE]})))
    )
    shown.append(repr(session.run(session.host.traces.list())))
    models = {"data": [{"id": form}]}
    httpserver.expect_request("/v1/models").respond_with_json(models, status=status)
    trial = session.host.providers.test("eyes")
    if status == 200:
        shown.append(repr(session.run(trial)))
    else:
        error = refusal(session, trial)
        shown += [repr(error), repr(error.hint)]
        assert (error.__context__, error.__cause__) == (None, None)
    assert len(requests(httpserver)) == 3
    for text in shown:
        assert form not in text
    assert "[REDACTED]" in "".join(shown)
    assert search_tree(tmp_path, KEY) == []


def test_the_clock_of_the_tool_stops_a_slow_service(
    session: Session, httpserver: HTTPServer
) -> None:
    done = Event()

    def wait(_: Request) -> Response:
        done.wait(20)
        return Response("{}")

    httpserver.expect_request(PATH).respond_with_handler(wait)
    session.run(session.host.providers.add(profile(httpserver), KEY))
    session.publish(vision(timeoutMs=1000))
    try:
        result = session.call("look", {"images": [IMAGE]})
    finally:
        done.set()
    assert result.error_code == "TIMEOUT"
    assert session.statuses() == [("timeout", "TIMEOUT")]


def test_a_long_answer_is_cut_like_any_other(
    session: Session, httpserver: HTTPServer
) -> None:
    text = "head " + "word " * 20_000 + "tail"
    httpserver.expect_request(PATH).respond_with_json(answer(text))
    session.run(session.host.providers.add(profile(httpserver), KEY))
    session.publish(vision())
    result = session.call("look", {"images": [IMAGE]})
    assert result.ok
    assert result.meta.truncated
    assert "…[truncated middle]…" in result.text
    assert (result.text[:4], result.text[-4:]) == ("head", "tail")


def test_paths_count_from_where_the_host_was_opened(
    open_session: Callable[..., Session],
    service: HTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "notebook"
    folder.mkdir()
    (folder / "chart.png").write_bytes(PNG)
    (tmp_path / "outside.png").write_bytes(PNG)
    monkeypatch.chdir(folder)
    session = open_session()
    monkeypatch.chdir(tmp_path)
    session.run(session.host.providers.add(profile(service), KEY))
    session.publish(vision())
    assert session.call("look", {"images": ["chart.png"]}).ok
    for name in ("outside.png", "../outside.png", str(folder / "chart.png")):
        result = session.call("look", {"images": [name]})
        assert result.error_code in ("DENIED", "INVALID_INPUT")
    assert len(requests(service)) == 1


def test_images_of_the_allowed_size_pass_the_check_of_the_input(
    seeing: Session, service: HTTPServer
) -> None:
    data = PNG.ljust(2 * 1024 * 1024, b"\0")
    large = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    assert seeing.call("look", {"images": [large, large]}).ok
    sent = json.loads(requests(service)[0].data)["messages"][1]["content"]
    assert [part["image_url"]["url"] for part in sent[1:]] == [large, large]
    long = seeing.call("look", {"images": [IMAGE], "question": "x" * 1_100_000})
    assert long.error_code == "INVALID_INPUT"
    assert len(requests(service)) == 1


def test_agents_never_see_it(seeing: Session) -> None:
    surface = seeing.run(seeing.host.surface())
    assert [entry.id for entry in surface] == []
    error = refusal(seeing, seeing.host.find("look"))
    assert error.code == "DENIED"
