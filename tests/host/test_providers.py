"""Profiles of providers, their keys and their trial, through the host (ST-45)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from sparknb.core.errors import KeychainUnavailableError
from tests.canary import search_tree
from tests.host.seeing import IMAGE, KEY, PATH, answer, profile, refusal, requests
from tests.hosting import Session


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


@pytest.mark.parametrize("profile_id", ["EYES", "Eyes"])
def test_an_id_that_is_much_like_another_is_refused(
    seeing: Session, service: HTTPServer, profile_id: str
) -> None:
    alike = profile(service, profile_id=profile_id)
    error = refusal(seeing, seeing.host.providers.add(alike, "another-key"))
    assert error.code == "ALREADY_EXISTS"
    assert "too much like that of eyes" in error.message


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
