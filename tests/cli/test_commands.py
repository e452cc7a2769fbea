"""The whole way of a tool through the command line, as a script drives it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import SECRET, Run, spec

Write = Callable[..., str]


# ---------------------------------------------------------------- validate
def test_a_valid_definition_is_reported(sparknb: Run, write: Write) -> None:
    reply = sparknb("validate", write(), "--json")
    assert reply.exit == 0
    assert reply.document["valid"] is True
    assert reply.document["normalized"]["risk"] == "read"
    assert reply.err == ""


def test_an_invalid_definition_prints_its_report_and_fails(
    sparknb: Run, write: Write
) -> None:
    reply = sparknb("validate", write(id="Ab", description="short"), "--json")
    assert reply.exit == 1
    assert reply.document["valid"] is False
    assert [e["path"] for e in reply.document["errors"]] == ["id", "description"]


def test_problems_are_shown_with_their_line(
    sparknb: Run, write: Write, snapshot: SnapshotAssertion
) -> None:
    name = write(id="Ab", description="short", timeoutMs=1, extra=True)
    reply = sparknb("validate", name)
    assert reply.exit == 1
    assert "weather.json:2" in reply.out
    assert reply.out == snapshot


def test_a_valid_definition_is_summed_up(
    sparknb: Run, write: Write, snapshot: SnapshotAssertion
) -> None:
    assert sparknb("validate", write()).out == snapshot


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   ",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe\x00",
        b"\x00" * 100,
        b"{}" * 2,
        b"[" * 5000,
        b'{"a": 1, "a": 2}',
        b'{"id": "\\ud800"}',
        b"x" * 5_000_000,
        b'{"id": "' + b"a" * 2_000_000 + b'"}',
    ],
    ids=lambda d: repr(d[:12]),
)
def test_whatever_comes_is_answered_with_a_report(sparknb: Run, data: bytes) -> None:
    reply = sparknb("validate", "-", "--json", stdin=data)
    assert reply.exit == 1
    assert reply.document["valid"] is False
    assert reply.document["errors"]
    person = sparknb("validate", "-", stdin=data)
    assert person.exit == 1
    assert "not valid" in person.out


def test_a_file_that_cannot_be_read_is_refused(sparknb: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, code in [("absent.json", "NOT_FOUND"), ("folder", "INVALID_INPUT")]:
        for verb in ("validate", "draft", "test"):
            reply = sparknb(verb, f"./{name}", "--json")
            assert (reply.exit, reply.error["code"]) == (1, code)
            assert reply.error["path"] == "FILE"
    person = sparknb("validate", "absent.json")
    assert (person.exit, person.out) == (1, "")
    assert "there is no file absent.json" in person.err


@pytest.mark.parametrize(
    ("data", "said", "hint"),
    [
        (b"", "is empty", "sparknb new http"),
        (b" \n", "is empty", "sparknb new http"),
        ("{}".encode("utf-16"), "is not UTF-8 at byte 0", "save it as UTF-8"),
        (b"\x89PNG\r\n", "is not UTF-8 at byte 0", "give another file"),
        (b"[" * 5_000_000, "is larger than 1,048,576 bytes", "give another file"),
    ],
    ids=["empty", "blank", "utf-16", "picture", "large"],
)
def test_a_file_that_can_hold_no_definition_is_named_with_what_to_do(
    sparknb: Run, tmp_path: Path, data: bytes, said: str, hint: str
) -> None:
    (tmp_path / "z.json").write_bytes(data)
    error = sparknb("draft", "./z.json", "--json").error
    assert error["code"] == "INVALID_INPUT"
    assert (error["path"], error["message"]) == ("FILE", f"./z.json {said}")
    assert hint in error["hint"]
    (problem,) = sparknb("validate", "./z.json", "--json").document["errors"]
    assert problem["message"] == error["message"]
    assert (problem["path"], problem["hint"]) == ("FILE", error["hint"])
    assert sparknb("test", "-", "--json", stdin=data).error["message"] == (
        f"standard input {said}"
    )


# ------------------------------------------------------------------- draft
def test_a_draft_says_what_was_derived_and_what_comes_next(
    sparknb: Run, write: Write, snapshot: SnapshotAssertion
) -> None:
    reply = sparknb("draft", write(**SECRET))
    assert reply.exit == 0
    assert "derived from GET" in reply.out
    assert "sparknb secret set weather key" in reply.out
    assert reply.out == snapshot


def test_drafting_twice_the_same_changes_nothing(sparknb: Run, write: Write) -> None:
    first = sparknb("draft", write(), "--json")
    assert first.document["created"] is True
    assert first.document["derived"]["from"] == "GET"
    again = sparknb("draft", write(), "--json")
    assert (again.exit, again.document["unchanged"]) == (0, True)
    changed = sparknb("draft", write(title="Better"), "--json")
    assert changed.document["tool"]["draftRevision"] == 2


def test_an_author_who_chose_the_risk_is_told_of_no_derivation(
    sparknb: Run, write: Write
) -> None:
    chosen = {"risk": "low-write", "effect": "read", "idempotency": "safe"}
    reply = sparknb("draft", write(**chosen), "--json")
    assert reply.document["derived"] is None


def test_a_refused_draft_lists_all_problems_and_stores_nothing(
    sparknb: Run, write: Write
) -> None:
    reply = sparknb("draft", write(title="", description="short"), "--json")
    assert reply.exit == 1
    assert reply.error["code"] == "INVALID_INPUT"
    assert [i["path"] for i in reply.error["issues"]] == ["title", "description"]
    assert sparknb("list", "--json").document["tools"] == []
    person = sparknb("draft", write(title="", description="short"))
    assert "weather.json:3" in person.err


def test_a_draft_at_another_revision_is_a_conflict(sparknb: Run, write: Write) -> None:
    sparknb("draft", write())
    reply = sparknb("draft", write(title="Mine"), "--revision", "9", "--json")
    assert (reply.exit, reply.error["code"]) == (1, "CONFLICT")


# -------------------------------------------------------------------- test
def test_a_file_can_be_tried_without_saving_it(
    sparknb: Run, write: Write, service: HTTPServer
) -> None:
    name = write(spec=spec(service.url_for("/weather") + "?city={{city}}"))
    reply = sparknb("test", f"./{name}", "--input", '{"city": "Oslo"}', "--json")
    assert (reply.exit, reply.document["ok"]) == (0, True)
    assert "clear" in reply.document["text"]
    assert sparknb("list", "--json").document["total"] == 0


def test_a_definition_and_arguments_can_come_from_a_pipe(
    program: Run, write: Write, service: HTTPServer, tmp_path: Path
) -> None:
    name = write(spec=spec(service.url_for("/weather") + "?city={{city}}"))
    text = (tmp_path / name).read_text(encoding="utf-8")
    piped = program("test", "-", "--input", '{"city": "x"}', "--json", stdin=text)
    assert piped.document["ok"] is True
    given = program("test", f"./{name}", "--input", "-", "--json", stdin='{"city":"y"}')
    assert given.document["ok"] is True
    assert [r.args["city"] for r, _ in service.log] == ["x", "y"]


@pytest.mark.parametrize("text", ["{", "", "nonsense", '{"a":1,"a":2}', "NaN"])
def test_arguments_that_are_no_json_are_refused(sparknb: Run, text: str) -> None:
    reply = sparknb("call", "weather", "--input", text, "--json")
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")
    assert reply.error["path"].startswith("input")
    assert "--input" in reply.error["message"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"city": "Oslo",}', "no comma may stand before a closing bracket"),
        ("{'city': 'Oslo'}", "double quotes"),
        ("{city: Oslo}", """--input '{"city": "Oslo"}'"""),
    ],
)
def test_arguments_that_are_nearly_json_get_a_hint_and_an_example(
    sparknb: Run, text: str, said: str
) -> None:
    for given, stdin in ((text, ""), ("-", text)):
        reply = sparknb("call", "weather", "--input", given, "--json", stdin=stdin)
        assert said in reply.error["hint"]
        assert """--input '{"city": "Oslo"}'""" in reply.error["hint"]


@pytest.mark.parametrize("text", ["[]", "1", "null", '"x"', '{"town": 1}', "{}"])
def test_arguments_that_do_not_fit_are_a_result_that_says_no(
    sparknb: Run, write: Write, text: str
) -> None:
    reply = sparknb("test", f"./{write()}", "--input", text, "--json")
    assert (reply.exit, reply.document["errorCode"]) == (1, "INVALID_INPUT")
    assert reply.document["ok"] is False


def test_an_id_wins_over_a_file_of_the_same_name(sparknb: Run, write: Write) -> None:
    write("weather")
    reply = sparknb("test", "weather", "--json")
    assert reply.error["code"] == "NOT_FOUND"
    assert "./weather" in reply.error["hint"]


def test_text_of_a_server_cannot_steer_the_terminal(
    sparknb: Run, write: Write, service: HTTPServer
) -> None:
    for path in ("/hostile", "/broken"):
        name = write(
            spec=spec(service.url_for(path)) | {"response": {"format": "text"}},
            inputSchema={"type": "object", "properties": {}},
        )
        for more in ([], ["--json"]):
            reply = sparknb("test", f"./{name}", *more)
            assert "\x1b" not in reply.out + reply.err
            assert "\u202e" not in reply.out + reply.err
    shown = sparknb("test", f"./{write(**_open(service, '/hostile'))}").out
    assert "[bold red]gone[/]" in shown


def _open(service: HTTPServer, path: str) -> dict[str, Any]:
    response = {"response": {"format": "text"}}
    schema = {"type": "object", "properties": {}}
    return {"spec": spec(service.url_for(path)) | response, "inputSchema": schema}


# --------------------------------------------------------------- lifecycle
def test_steps_that_agents_notice_need_a_yes(sparknb: Run, write: Write) -> None:
    sparknb("draft", write())
    for words in (
        ["publish", "weather"],
        ["enable", "weather"],
        ["rollback", "weather", "1"],
        ["discard", "weather"],
        ["delete", "weather"],
        ["traces", "--clear"],
    ):
        reply = sparknb(*words, "--json")
        assert (reply.exit, reply.error["code"]) == (1, "APPROVAL_UNAVAILABLE")
        assert reply.error["path"] == "--yes"
    assert sparknb("show", "weather", "--json").document["published"] is None


def test_a_tool_goes_through_its_life(program: Run, write: Write) -> None:
    def step(*words: str) -> Any:
        reply = program(*words, "--json")
        assert reply.exit == 0, reply.out
        return reply.document

    step("draft", write())
    assert step("publish", "weather", "--expect", "1", "--yes")["tool"]["enabled"]
    assert step("disable", "weather")["tool"]["enabled"] is False
    assert step("enable", "weather", "--yes")["tool"]["enabled"] is True
    step("draft", write(title="Second"))
    assert step("diff", "weather")["equal"] is False
    step("discard", "weather", "--yes")
    step("draft", write(title="Third"))
    third = step("publish", "weather", "--yes")["tool"]["publishedVersion"]
    back = step("rollback", "weather", "1", "--yes")
    assert back["tool"]["publishedVersion"] == third + 1
    versions = step("show", "weather")["versions"]
    assert [v["sourceVersion"] for v in versions] == [1, None, None]
    assert step("show", "weather", "--version", "1")["shown"]["version"] == 1
    deleted = {"id": "weather", "deleted": True, "warnings": []}
    assert step("delete", "weather", "--yes") == deleted
    assert step("list")["total"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ["publish", "absent", "--yes"],
        ["enable", "absent", "--yes"],
        ["disable", "absent"],
        ["rollback", "absent", "1", "--yes"],
        ["discard", "absent", "--yes"],
        ["delete", "absent", "--yes"],
        ["show", "absent"],
        ["diff", "absent"],
        ["test", "absent"],
        ["secret", "set", "absent", "key"],
        ["secret", "status", "absent"],
        ["secret", "delete", "absent", "key"],
        ["publish", "--yes", "--", "-dash"],
        ["show", "--", "--yes"],
        ["show", "\x1b[31m"],
        ["show", "x" * 10_000],
    ],
    ids=lambda w: " ".join(w)[:40],
)
def test_an_unknown_tool_is_not_found(sparknb: Run, words: list[str]) -> None:
    reply = sparknb(words[0], *words[1:2], "--json", *words[2:], stdin="value")
    if "--" not in words[1:2]:
        assert (reply.exit, reply.error["code"]) == (1, "NOT_FOUND")
    assert len(reply.out) < 1000
    person = sparknb(*words, stdin="value")
    assert (person.exit, person.out) == (1, "")
    assert "\x1b" not in person.err


def test_a_version_that_is_not_there_is_not_found(sparknb: Run, write: Write) -> None:
    sparknb("draft", write())
    for words in (["show", "weather", "--version", "9"], ["diff", "weather", "1", "9"]):
        assert sparknb(*words, "--json").error["code"] == "NOT_FOUND"


def test_a_comparison_without_a_second_version_says_what_there_is(
    sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    error = sparknb("diff", "weather", "--json").error
    assert error["message"].startswith("weather is only a draft: ")
    assert error["hint"] == "sparknb show weather shows it"
    sparknb("publish", "weather", "--yes")
    error = sparknb("diff", "weather", "--json").error
    assert error["message"] == (
        "version 1 of weather is published and there is no draft"
    )
    assert error["hint"] == "name two versions to compare them"


def test_a_stale_publish_is_a_conflict(sparknb: Run, write: Write) -> None:
    sparknb("draft", write())
    reply = sparknb("publish", "weather", "--expect", "2", "--yes", "--json")
    assert (reply.exit, reply.error["code"]) == (1, "CONFLICT")


def test_a_tool_that_is_enabled_is_not_enabled_again(
    sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    sparknb("publish", "weather", "--yes")
    for words in (["enable", "weather"], ["enable", "weather", "--yes"]):
        reply = sparknb(*words)
        assert (reply.exit, reply.err) == (0, "")
        assert "weather is already enabled" in reply.out
    assert sparknb("enable", "weather", "--json").document["tool"]["enabled"] is True


def test_what_is_refused_is_told_at_the_option_that_was_given(
    sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    stale = sparknb("draft", write(title="Mine"), "--revision", "9", "--json")
    assert stale.error["path"] == "--revision"
    kept = sparknb("traces", "--retention", "31", "--json")
    assert (kept.exit, kept.error["path"]) == (1, "--retention")


def test_publishing_shows_how_the_tool_is_called(sparknb: Run, write: Write) -> None:
    sparknb("draft", write())
    published = sparknb("publish", "weather", "--yes").out
    assert "sparknb call weather --input JSON" in published
    none = {"type": "object", "properties": {}}
    alone = spec("http://127.0.0.1:9/")
    sparknb("draft", write(id="alone", inputSchema=none, spec=alone))
    assert "--input" not in sparknb("publish", "alone", "--yes").out


def test_where_variables_hold_secrets_they_are_named(
    sparknb: Run, write: Write
) -> None:
    env = {"SPARKNB_KEYCHAIN": "env"}
    variable = "set the variable SPARKNB_SECRET__WEATHER__KEY"
    drafted = sparknb("draft", write(**SECRET), env=env)
    status = sparknb("secret", "status", "weather", env=env)
    for reply in (drafted, status):
        assert variable in reply.out
        assert "sparknb secret set" not in reply.out
    refused = sparknb(
        "secret", "set", "weather", "key", "--json", stdin="hunter2-abc", env=env
    )
    assert (refused.exit, refused.error["code"]) == (1, "KEYCHAIN_UNAVAILABLE")
    assert variable in refused.error["hint"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("wether", "did you mean weather?"),
        ("custom_wether", "did you mean custom_weather?"),
        ("zzz", "`sparknb list`"),
        ("", "`sparknb list`"),
        ("\x1b" * 9_000, "`sparknb list`"),
    ],
    ids=lambda v: ascii(v)[:20],
)
def test_a_call_of_an_unknown_tool_points_to_the_list(
    sparknb: Run, write: Write, name: str, hint: str
) -> None:
    sparknb("draft", write())
    sparknb("publish", "weather", "--yes")
    reply = sparknb("call", name, "--json")
    assert (reply.exit, reply.document["errorCode"]) == (1, "NOT_FOUND")
    assert hint in reply.document["hint"]
    assert hint in sparknb("call", name).out


# -------------------------------------------------------------------- look
def test_what_is_shown_looks_as_before(
    sparknb: Run, write: Write, snapshot: SnapshotAssertion
) -> None:
    shown = [sparknb("list").out]
    sparknb("draft", write(**SECRET))
    order = "http://127.0.0.1:9/orders/{{city}}"
    sparknb("draft", write(id="cancel_order", spec=spec(order, "DELETE")))
    sparknb("publish", "cancel_order", "--yes")
    sparknb("draft", write(id="cancel_order", title="Two", spec=spec(order, "DELETE")))
    shown += [sparknb("list").out, sparknb("list", "--query", "nothing").out]
    shown += [sparknb("show", "cancel_order").out, sparknb("show", "weather").out]
    shown += [sparknb("diff", "cancel_order").out]
    shown += [sparknb("diff", "cancel_order", "1", "1").out]
    shown += [sparknb("secret", "status", "weather").out]
    shown += [sparknb("secret", "status", "cancel_order").out]
    shown += [sparknb("traces").out]
    shown += [sparknb("disable", "cancel_order").out]
    shown += [sparknb("enable", "cancel_order", "--yes").out]
    shown += [sparknb("publish", "cancel_order", "--yes").out]
    assert "\n=====\n".join(shown) == snapshot


def test_a_list_is_narrowed_and_says_what_it_hides(sparknb: Run, write: Write) -> None:
    for name in ("one", "two", "two_more"):
        sparknb("draft", write(id=f"tool_{name}"))
    assert sparknb("list", "--query", "TWO", "--json").document["total"] == 2
    assert sparknb("list", "--query", "%", "--json").document["total"] == 0
    assert "2 more tools" in sparknb("list", "--limit", "1").out


def test_traces_stand_in_rows_in_a_terminal_of_80_columns(
    sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    sparknb("publish", "weather", "--yes")
    sparknb("call", "weather")
    wide = sparknb("traces").out.splitlines()[0]
    head, row, *_ = sparknb("traces", env={"COLUMNS": "80"}).out.splitlines()
    assert head.split() == wide.split()
    assert "weather" in row
    assert "INVALID_INPUT" in row
    assert row.endswith(" 0")


def test_long_and_foreign_text_breaks_no_table(sparknb: Run, write: Write) -> None:
    title = "見出し \x1b[1m[red]" + "x" * 140
    sparknb("draft", write(id="a" * 64, title=title))
    shown = sparknb("list", env={"COLUMNS": "60"}).out
    assert "\x1b" not in shown
    assert "[red]xxx" in "".join(shown.split())
    assert "a" * 40 in shown
    assert "draft only" in shown
    assert max(map(len, shown.splitlines())) <= 60


# -------------------------------------------------------------------- rest
def test_a_project_home_is_made_and_used(sparknb: Run, tmp_path: Path) -> None:
    made = sparknb("init", "project", "--json", env={"SPARKNB_HOME": ""})
    assert made.exit == 0
    home = Path(made.document["home"])
    assert home == tmp_path / "project" / ".sparknb"
    assert home.is_dir()
    again = sparknb("init", "project", "--json", env={"SPARKNB_HOME": ""})
    assert again.document == {"home": str(home), "created": False}


def test_the_configuration_of_a_client_is_json(sparknb: Run) -> None:
    for client, key in [("claude", "mcpServers"), ("vscode", "servers")]:
        reply = sparknb("mcp", "--print-config", client)
        assert key in json.loads(reply.out)
    assert sparknb("mcp", "--json").error["code"] == "USAGE"
