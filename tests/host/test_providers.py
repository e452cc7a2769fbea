"""Providers, their keys and vision tools, through the host (ST-44 to ST-46)."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import KeychainUnavailableError, SparknbError
from sparknb.core.providers import ProviderProfile, make_profile
from tests.canary import search_tree
from tests.hosting import Definition, Session

KEY = "canary-7d0f3e55-provider-key"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)
IMAGE = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
PATH = "/v1/chat/completions"


def vision(tool_id: str = "look", **changes: Any) -> Definition:
    spec = {"providerProfileId": "eyes", **changes.pop("spec", {})}
    return {
        "id": tool_id,
        "title": "Look at images",
        "description": "Answers a question about images.",
        "type": "provider-vision",
        "inputSchema": {
            "type": "object",
            "properties": {
                "images": {"type": "array", "items": {"type": "string"}},
                "question": {"type": "string"},
            },
            "required": ["images"],
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": spec,
        **changes,
    }


def answer(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


@pytest.fixture
def service(httpserver: HTTPServer) -> HTTPServer:
    """Give a service that lists two models and answers every question."""
    models = {"data": [{"id": "sees"}, {"id": "reads"}]}
    httpserver.expect_request("/v1/models").respond_with_json(models)
    httpserver.expect_request(PATH).respond_with_json(answer("a red square"))
    return httpserver


def profile(service: HTTPServer, **changes: Any) -> ProviderProfile:
    given = {"base_url": service.url_for("/v1"), "model": "sees", **changes}
    return make_profile(given.pop("profile_id", "eyes"), **given)


@pytest.fixture
def seeing(session: Session, service: HTTPServer) -> Session:
    """Give a session with the provider, its key, and a published vision tool."""
    session.run(session.host.providers.add(profile(service), KEY))
    session.publish(vision())
    return session


def requests(service: HTTPServer, path: str = PATH) -> list[Request]:
    return [request for request, _ in service.log if request.path == path]


def refusal(session: Session, coroutine: Any) -> SparknbError:
    with pytest.raises(SparknbError) as caught:
        session.run(coroutine)
    return caught.value


# ------------------------------------------------------------------------- calls
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
    variables = {"SPARKNB_SECRET__PROVIDER__EYES__KEY": KEY}
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
    assert "SPARKNB_SECRET__PROVIDER__OTHER__KEY" in (result.hint or "")


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
    from threading import Event

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


# ----------------------------------------------------------------------- surface
def test_agents_never_see_it(seeing: Session) -> None:
    surface = seeing.run(seeing.host.surface())
    assert [entry.id for entry in surface] == []
    error = refusal(seeing, seeing.host.find("look"))
    assert error.code == "DENIED"


# ----------------------------------------------------------------------- routing
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
    assert (row.tool_id, row.source, row.status) == ("first", "direct", "error")


def test_a_damaged_tool_does_not_take_the_others_with_it(
    routed: Session, tmp_path: Path
) -> None:
    import sqlite3

    routed.publish(offer("good", 1))
    routed.publish(offer("bad", 9))
    connection = sqlite3.connect(tmp_path / "home" / "registry.db")
    with connection:
        connection.execute("UPDATE versions SET definition = '{' WHERE tool_id = 'bad'")
        connection.execute("UPDATE registry SET changes = changes + 1")
    connection.close()
    assert answering(routed) == "good"


# --------------------------------------------------------------------- profiles
def test_a_key_is_in_the_keychain_and_nowhere_else(
    seeing: Session, tmp_path: Path
) -> None:
    seeing.run(seeing.host.providers.test("eyes"))
    stored = seeing.host.keychain.read("provider:eyes:key")
    assert stored is not None
    assert (stored.value, stored.origin) == (KEY, "localhost")
    seeing.run(seeing.host.traces.list())
    assert search_tree(tmp_path, KEY) == []
    (state,) = seeing.run(seeing.host.providers.list())
    assert state.has_key
    assert KEY not in repr([state, seeing.host.providers, seeing.host])


@pytest.mark.parametrize(
    "bad", ["", "   ", "two\nlines-canary", "–canary", "x" * 16_001]
)
def test_a_key_that_cannot_be_sent_adds_nothing(
    session: Session, service: HTTPServer, bad: str
) -> None:
    providers = session.host.providers
    error = refusal(session, providers.add(profile(service), bad))
    assert error.code == "INVALID_INPUT"
    assert "canary" not in error.message
    assert session.run(providers.list()) == []
    assert session.host.keychain.read("provider:eyes:key") is None


def test_a_keychain_that_refuses_leaves_no_profile(
    session: Session, service: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any) -> None:
        raise KeychainUnavailableError("locked")

    providers = session.host.providers
    monkeypatch.setattr(type(session.host.keychain), "write", locked)
    assert refusal(session, providers.add(profile(service), KEY)).code == (
        "KEYCHAIN_UNAVAILABLE"
    )
    assert session.run(providers.list()) == []


def test_a_keychain_that_refuses_keeps_the_profile_with_its_key(
    seeing: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any) -> None:
        raise KeychainUnavailableError("locked")

    providers = seeing.host.providers
    with monkeypatch.context() as patch:
        patch.setattr(type(seeing.host.keychain), "remove", locked)
        assert refusal(seeing, providers.remove("eyes")).code == "KEYCHAIN_UNAVAILABLE"
    assert seeing.call("look", {"images": [IMAGE]}).ok
    assert seeing.run(providers.remove("eyes")) == ["look"]
    assert seeing.host.keychain.read("provider:eyes:key") is None
    assert seeing.call("look", {"images": [IMAGE]}).error_code == "NOT_FOUND"


def test_an_id_that_is_taken_keeps_its_key(
    seeing: Session, service: HTTPServer
) -> None:
    providers = seeing.host.providers
    other = profile(service, base_url="https://other.test/v1")
    assert refusal(seeing, providers.add(other, "another-key")).code == "ALREADY_EXISTS"
    assert seeing.call("look", {"images": [IMAGE]}).ok


def test_a_new_key_takes_the_place_of_the_one_before(
    seeing: Session, service: HTTPServer
) -> None:
    providers = seeing.host.providers
    notices = seeing.run(providers.set_key("eyes", " new-canary-key "))
    assert [n.code for n in notices] == ["SECRET_STRIPPED", "SECRET_BOUND"]
    assert seeing.call("look", {"images": [IMAGE]}).ok
    assert requests(service)[0].headers["Authorization"] == "Bearer new-canary-key"
    assert refusal(seeing, providers.set_key("nobody", "x")).code == "NOT_FOUND"
    seeing.run(providers.add(profile(service, profile_id="free", needs_key=False)))
    assert refusal(seeing, providers.set_key("free", "x")).code == "NOT_FOUND"


def test_a_key_over_plain_http_to_elsewhere_is_warned_of(
    session: Session, service: HTTPServer
) -> None:
    providers = session.host.providers
    plain = profile(service, base_url="http://models.lan/v1")
    codes = [n.code for n in session.run(providers.add(plain, KEY))]
    assert codes == ["KEY_UNENCRYPTED", "SECRET_BOUND"]
    free = replace(plain, id="free", needs_key=False)
    assert list(session.run(providers.add(free))) == []


def test_two_homes_do_not_share_profiles(
    open_session: Callable[..., Session], service: HTTPServer, tmp_path: Path
) -> None:
    one, two = open_session(tmp_path / "one"), open_session(tmp_path / "two")
    one.run(one.host.providers.add(profile(service), KEY))
    assert two.run(two.host.providers.list()) == []


# ------------------------------------------------------------------------ trials
def test_a_trial_lists_models_and_asks_one(
    seeing: Session, service: HTTPServer
) -> None:
    report = seeing.run(seeing.host.providers.test("eyes"))
    assert (report.models, report.reply) == (["reads", "sees"], "a red square")
    assert report.is_model_listed
    (listing,) = requests(service, "/v1/models")
    assert listing.headers["Authorization"] == f"Bearer {KEY}"
    assert len(requests(service)) == 1


def test_without_a_model_only_the_list_is_asked_for(
    session: Session, service: HTTPServer
) -> None:
    session.run(session.host.providers.add(profile(service, model=None), KEY))
    report = session.run(session.host.providers.test("eyes"))
    assert (report.models, report.reply) == (["reads", "sees"], None)
    assert requests(service) == []


@pytest.mark.parametrize(
    ("body", "status"),
    [("no", 404), ("no", 405), ("<html>", 200), ('{"data": 7}', 200), ("[]", 200)],
)
def test_a_service_that_lists_nothing_is_asked_all_the_same(
    session: Session, httpserver: HTTPServer, body: str, status: int
) -> None:
    httpserver.expect_request("/v1/models").respond_with_data(body, status=status)
    httpserver.expect_request(PATH).respond_with_json(answer("ready"))
    providers = session.host.providers
    session.run(providers.add(profile(httpserver), KEY))
    report = session.run(providers.test("eyes"))
    assert (report.models, report.reply) == (None, "ready")
    assert report.unlisted
    bare = profile(httpserver, profile_id="bare", model=None)
    session.run(providers.add(bare, KEY))
    assert refusal(session, providers.test("bare")).code in (
        "HTTP_ERROR",
        "EXECUTION_FAILED",
    )


def test_strange_lists_of_models_are_read_as_far_as_they_go(
    session: Session, httpserver: HTTPServer
) -> None:
    odd = [{"id": "b"}, {"id": 7}, {}, "x", {"id": ""}, {"id": "b"}, {"id": "a" * 999}]
    httpserver.expect_request("/v1/models").respond_with_json({"data": odd})
    session.run(session.host.providers.add(profile(httpserver, model=None), KEY))
    report = session.run(session.host.providers.test("eyes"))
    assert report.models == ["a" * 200, "b"]


def test_a_trial_without_key_or_profile_is_refused(
    session: Session, service: HTTPServer
) -> None:
    providers = session.host.providers
    assert refusal(session, providers.test("eyes")).code == "NOT_FOUND"
    session.run(providers.add(profile(service)))
    error = refusal(session, providers.test("eyes"))
    assert (error.code, error.hint) == (
        "SECRET_MISSING",
        "give it: sparknb provider key eyes",
    )
    assert service.log == []
