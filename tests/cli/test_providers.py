"""sparknb provider …: services and their keys, at a terminal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.canary import search_tree
from tests.cli.conftest import Reply, Run

KEY = "canary-93aa-typed-key"
URL = "https://api.example.com/v1"
ENV = {"SPARKNB_KEYCHAIN": "env"}


@pytest.fixture
def service(httpserver: HTTPServer) -> str:
    """Give the base URL of a service that lists many models and answers one."""
    models = {"data": [{"id": f"model-{n:02}"} for n in range(30)]}
    httpserver.expect_request("/v1/models").respond_with_json(models)
    choice = {"message": {"content": "ready"}, "finish_reason": "stop"}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"choices": [choice]}
    )
    return httpserver.url_for("/v1")


def listed(sparknb: Run) -> list[str]:
    return [
        p["id"] for p in sparknb("provider", "list", "--json").document["providers"]
    ]


def test_a_provider_goes_through_its_life(
    sparknb: Run, service: str, tmp_path: Path
) -> None:
    add = ["provider", "add", "eyes", "--base-url", service]
    added = sparknb(*add, "--model", "model-07", "--name", "My eyes", stdin=f"{KEY}\n")
    assert added.exit == 0
    assert "eyes is added" in added.out
    assert "sparknb provider test eyes" in added.out
    (row,) = sparknb("provider", "list", "--json").document["providers"]
    assert row == {
        "id": "eyes",
        "name": "My eyes",
        "baseUrl": service,
        "model": "model-07",
        "needsKey": True,
        "hasKey": False,  # it was in the memory of the process that added it
    }
    shown = sparknb("provider", "list").out
    assert "My eyes" in shown
    assert "missing" in shown
    tried = sparknb("provider", "test", "eyes", "--json")
    assert (tried.exit, tried.error["code"]) == (1, "SECRET_MISSING")
    assert tried.error["hint"] == "give it: sparknb provider key eyes"
    assert not tried.error["path"]
    again = sparknb(*add, stdin=KEY)
    assert (again.exit, "ALREADY_EXISTS" in again.err) == (1, True)
    removed = sparknb("provider", "remove", "eyes", "--json").document
    assert removed == {"id": "eyes", "removed": True, "notices": []}
    assert listed(sparknb) == []
    assert "no providers yet" in sparknb("provider", "list").out
    for reply in (added, tried, again):
        assert KEY not in reply.out + reply.err
    assert search_tree(tmp_path, KEY) == []


def test_a_key_in_a_variable_is_used_and_never_asked_for(
    sparknb: Run, service: str
) -> None:
    env = {**ENV, "SPARKNB_PROVIDER_KEY__EYES": KEY}
    added = sparknb("provider", "add", "eyes", "--base-url", service, env=ENV)
    assert added.exit == 0
    assert "set the variable SPARKNB_PROVIDER_KEY__EYES" in added.out
    tried = sparknb("provider", "test", "eyes", "--json", env=env)
    assert tried.document["models"] == [f"model-{n:02}" for n in range(30)]
    assert tried.document["reply"] is None
    shown = sparknb("provider", "test", "eyes", env=env).out
    assert "model-19" in shown
    assert "model-20" not in shown
    assert "and 10 models more" in shown
    assert "no model is set" in shown
    assert sparknb("provider", "list", "--json", env=env).document["providers"][0][
        "hasKey"
    ]
    refused = sparknb("provider", "key", "eyes", "--json", stdin=KEY, env=env)
    assert refused.error["code"] == "KEYCHAIN_UNAVAILABLE"


def test_a_variable_that_is_set_already_is_not_asked_for(
    sparknb: Run, service: str
) -> None:
    env = {**ENV, "SPARKNB_PROVIDER_KEY__EYES": KEY}
    added = sparknb("provider", "add", "eyes", "--base-url", service, env=env)
    assert "sparknb provider test eyes" in added.out
    assert "set the variable" not in added.out


def test_a_service_without_a_key_is_tried_at_once(sparknb: Run, service: str) -> None:
    add = ["provider", "add", "local", "--base-url", service, "--no-key"]
    assert sparknb(*add, "--model", "absent").exit == 0
    shown = sparknb("provider", "test", "local").out
    assert "local answers with absent: ready" in shown
    assert "absent is none of those listed" in shown
    assert "not needed" in sparknb("provider", "list").out
    refused = sparknb("provider", "key", "local", "--json", stdin=KEY)
    assert refused.error["code"] == "NOT_FOUND"


def test_a_tool_of_the_provider_is_tested_with_a_file_of_the_folder(
    sparknb: Run, service: str, tmp_path: Path, write: Callable[..., str]
) -> None:
    sparknb(
        *["provider", "add", "eyes", "--base-url", service, "--no-key"],
        *["--model", "model-07"],
    )
    (tmp_path / "chart.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(24))
    images = {"type": "array", "items": {"type": "string"}}
    file = write(
        id="look",
        type="provider-vision",
        inputSchema={
            "type": "object",
            "properties": {"images": images},
            "required": ["images"],
        },
        risk="read",
        effect="read",
        idempotency="safe",
        spec={"providerProfileId": "eyes"},
    )
    assert sparknb("draft", file).exit == 0

    def test(*images: str) -> Reply:
        return sparknb("test", "look", "--input", json.dumps({"images": images}))

    good = test("chart.png")
    assert (good.exit, "ready" in good.out) == (0, True)
    out = test("../chart.png")
    assert (out.exit, "DENIED" in out.out + out.err) == (1, True)
    sparknb("publish", "look", "--yes")
    removed = sparknb("provider", "remove", "eyes", "--json").document
    (notice,) = removed["notices"]
    assert "look" in notice["message"]


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["a:b", "--base-url", URL], "ID"),
        (["eyes", "--base-url", "ftp://x"], "--base-url"),
        (["eyes", "--base-url", f"{URL}?key=canary"], "--base-url"),
        (["eyes", "--base-url", URL, "--model", "x" * 300], "--model"),
        (["eyes", "--base-url", URL, "--name", "\x1b[31m"], "--name"),
    ],
)
def test_what_is_refused_is_told_at_its_word_before_a_key_is_asked_for(
    sparknb: Run, words: list[str], path: str
) -> None:
    reply = sparknb("provider", "add", "--json", *words)  # standard input is empty
    assert (reply.exit, reply.error["path"]) == (1, path)
    assert [issue["path"] for issue in reply.error["issues"]] == [path]
    person = sparknb("provider", "add", *words)
    assert "\x1b" not in person.err
    assert "canary" not in person.err
    assert listed(sparknb) == []


def test_without_an_address_it_is_the_wrong_usage(sparknb: Run) -> None:
    reply = sparknb("provider", "add", "eyes", "--json")
    assert (reply.exit, reply.error["path"]) == (2, "--base-url")


def test_an_empty_key_adds_nothing(sparknb: Run) -> None:
    reply = sparknb("provider", "add", "eyes", "--base-url", URL, "--json")
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")
    assert listed(sparknb) == []


@pytest.mark.parametrize("verb", ["key", "test", "remove"])
def test_an_unknown_provider_is_not_found(sparknb: Run, verb: str) -> None:
    reply = sparknb("provider", verb, "nobody", "--json", stdin=KEY)
    assert (reply.exit, reply.error["code"]) == (1, "NOT_FOUND")


def test_a_look_at_the_list_makes_no_registry(
    sparknb: Run, isolated_home: Path
) -> None:
    assert listed(sparknb) == []
    assert not (isolated_home / "sparknb" / "registry.db").exists()


def test_where_no_keychain_keeps_it_the_key_is_not_asked_for(sparknb: Run) -> None:
    """The tests know no keychain of a system, so `auto` falls back to memory."""
    env = {"SPARKNB_KEYCHAIN": "auto", "PYTHON_KEYRING_BACKEND": ""}
    add = ["provider", "add", "eyes", "--base-url", URL, "--json"]
    reply = sparknb(*add, stdin=KEY, env=env)
    assert (reply.exit, reply.error["code"]) == (1, "KEYCHAIN_UNAVAILABLE")
    assert listed(sparknb) == []
