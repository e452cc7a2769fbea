"""Secrets, calls and traces through the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.cli.conftest import SECRET, Run, spec

Write = Callable[..., str]


# ------------------------------------------------------------------- secret
def test_a_secret_comes_from_standard_input(
    program: Run, write: Write, tmp_path: Path, isolated_home: Path
) -> None:
    program("draft", write(**SECRET))
    reply = program("secret", "set", "weather", "key", "--json", stdin="hunter2-abc\n")
    assert (reply.exit, reply.document["stored"]) == (0, True)
    assert "SECRET_STRIPPED" in [n["code"] for n in reply.document["notices"]]
    person = program("secret", "set", "weather", "key", stdin="hunter2-abc")
    assert "key of weather is stored" in person.out
    said = reply.out + reply.err + person.out + person.err
    assert "hunter2" not in said
    for file in [*isolated_home.rglob("*"), *tmp_path.rglob("*")]:
        assert not file.is_file() or b"hunter2" not in file.read_bytes()


@pytest.mark.parametrize("value", [b"", b"  \n", b"\xff\xfe", b"a\nb", b"x" * 20_000])
def test_a_value_that_cannot_be_a_secret_is_refused(
    sparknb: Run, write: Write, value: bytes
) -> None:
    sparknb("draft", write(**SECRET))
    reply = sparknb("secret", "set", "weather", "key", "--json", stdin=value)
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")


def test_a_secret_of_the_environment_is_seen_and_never_written(
    sparknb: Run, write: Write
) -> None:
    sparknb("draft", write(**SECRET))
    env = {"SPARKNB_KEYCHAIN": "env", "SPARKNB_SECRET__WEATHER__KEY": "hunter2-abc"}
    status = sparknb("secret", "status", "weather", "--json", env=env)
    assert status.document["secretStatus"] == {"key": True}
    reply = sparknb("secret", "set", "weather", "key", "--json", stdin="x" * 9, env=env)
    assert reply.error["code"] == "KEYCHAIN_UNAVAILABLE"
    gone = sparknb("secret", "delete", "weather", "key", "--json")
    assert (gone.exit, gone.document["deleted"]) == (0, False)


def test_publishing_without_a_secret_names_it(sparknb: Run, write: Write) -> None:
    sparknb("draft", write(**SECRET))
    reply = sparknb("publish", "weather", "--yes", "--json")
    assert (reply.exit, reply.error["code"]) == (1, "SECRET_MISSING")
    assert "key" in reply.error["message"]


# ----------------------------------------------------------- call and traces
@pytest.fixture
def order(sparknb: Run, write: Write, service: HTTPServer) -> str:
    body = {"mode": "json", "jsonTemplate": '{"city": {{city}}}'}
    url = service.url_for("/order")
    sparknb("draft", write(id="place_order", spec=spec(url, "POST", body=body)))
    assert sparknb("publish", "place_order", "--yes").exit == 0
    return "place_order"


def test_a_call_that_changes_something_needs_a_yes(
    sparknb: Run, order: str, service: HTTPServer
) -> None:
    words = ["call", order, "--input", '{"city": "Oslo"}', "--json"]
    refused = sparknb(*words)
    assert (refused.exit, refused.document["errorCode"]) == (1, "APPROVAL_UNAVAILABLE")
    assert not service.log
    done = sparknb(*words, "--yes")
    assert (done.exit, done.document["ok"]) == (0, True)
    assert [r.json for r, _ in service.log] == [{"city": "Oslo"}]
    rows = sparknb("traces", "--json").document["traces"]
    assert [(r["status"], r["approval"]) for r in rows] == [
        ("ok", "flag"),
        ("denied", "none"),
    ]


def test_a_dry_run_shows_the_request_and_sends_nothing(
    sparknb: Run, order: str, service: HTTPServer
) -> None:
    words = ["call", order, "--dry-run", "--input", '{"city": "Oslo"}']
    asked = sparknb(*words, "--json")
    assert (asked.exit, asked.document["decision"]) == (0, "ask")
    assert asked.document["preview"]["method"] == "POST"
    person = sparknb(*words)
    assert f"POST {service.url_for('/order')}" in person.out
    assert '{"city":"Oslo"}' in person.out
    wrong = sparknb("call", order, "--dry-run", "--json")
    assert (wrong.exit, wrong.document["decision"]) == (1, "deny")
    told = sparknb("call", order, "--dry-run")
    assert told.out.count("input.city is required") == 1
    assert not service.log
    assert sparknb("traces", "--json").document["traces"] == []


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--yes"]])
def test_an_unknown_name_is_a_result_that_says_no(
    sparknb: Run, more: list[str]
) -> None:
    for name in ("absent", "custom_absent", "", "\x1b[31m", "x" * 5000):
        reply = sparknb("call", *more, "--json", "--", name)
        assert (reply.exit, reply.document["errorCode"]) == (1, "NOT_FOUND")
        assert len(reply.out) < 1000


def test_traces_are_filtered_cleared_and_kept(sparknb: Run, order: str) -> None:
    sparknb("call", order, "--input", '{"city": "Oslo"}', "--yes")
    sparknb("call", order, "--input", "{}", "--yes")
    shown = sparknb("traces").out
    assert "INVALID_INPUT" in shown
    assert "kept for 30 days" in shown
    failed = sparknb("traces", "--status", "error", "--json").document["traces"]
    assert [t["errorCode"] for t in failed] == ["INVALID_INPUT"]
    assert len(sparknb("traces", "--since", "1h", "--json").document["traces"]) == 2
    later = sparknb("traces", "--since", "2999-01-01", "--json").document["traces"]
    assert later == []
    assert "No trace matches" in sparknb("traces", "--since", "2999-01-01").out
    kept = sparknb("traces", "--retention", "7", "--json")
    assert kept.document == {"retentionDays": 7}
    wrong = sparknb("traces", "--retention", "8", "--json")
    assert (wrong.exit, wrong.error["code"]) == (1, "INVALID_INPUT")
    cleared = sparknb("traces", "--clear", "--tool", order, "--yes", "--json")
    assert cleared.document == {"removed": 2}
