"""export and import export at the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import SECRET, Run, definition

OTHER = definition(
    id="other",
    inputSchema={"type": "object", "properties": {"city": {"type": "string"}}},
)


def file_of(*specs: Any, **more: Any) -> str:
    tools = [{"spec": spec} for spec in specs]
    return json.dumps({"formatVersion": 1, "tools": tools, **more}, indent=1)


@pytest.fixture
def tools(sparknb: Run) -> None:
    for tool in (definition(**SECRET), OTHER):
        assert sparknb("draft", "-", stdin=json.dumps(tool)).exit == 0


@pytest.mark.usefixtures("tools")
def test_what_export_prints_is_the_file_itself(sparknb: Run, tmp_path: Path) -> None:
    plain = sparknb("export", "weather", "other")
    assert plain.exit == 0
    sparknb("export", "weather", "other", "--out", "tools.json")
    assert (tmp_path / "tools.json").read_text() == plain.out
    as_json = sparknb("export", "weather", "other", "--json")
    assert as_json.document == json.loads(plain.out)
    assert [t["spec"]["id"] for t in as_json.document["tools"]] == ["weather", "other"]
    assert "1 thing here is not alike in Spark Work's Tool Studio" in plain.err
    assert sparknb("export", "weather", "other", "--out", "-").out == plain.out


@pytest.mark.usefixtures("tools")
def test_a_file_says_what_is_in_it_and_how_it_differs(
    sparknb: Run, snapshot: SnapshotAssertion
) -> None:
    reply = sparknb("export", "--out", "all.json", "--json")
    assert reply.document == snapshot
    assert sparknb("export", "--out", "all.json").out == snapshot


def test_differences_are_listed_for_the_original_only(sparknb: Run) -> None:
    names = ("city", "town", "land")
    properties = {name: {"type": "string"} for name in names}
    schema = {"type": "object", "properties": properties}
    wide = definition(id="wide", inputSchema=schema)
    wide["spec"]["request"]["urlTemplate"] += "&t={{town}}&l={{land}}"
    sparknb("draft", "-", stdin=json.dumps(wide))
    plain = sparknb("export", "--out", "all.json")
    assert "3 things here are not alike" in plain.out
    assert plain.out.count("!") == 0
    listed = sparknb("export", "--out", "all.json", "--for", "original")
    assert listed.out.count("NOT_IN_ORIGINAL") == len(names)
    as_json = sparknb("export", "--out", "all.json", "--json").document
    assert len(as_json["tools"][0]["notes"]) == len(names)


def test_for_the_original_leaves_out_what_it_cannot_load(
    sparknb: Run, snapshot: SnapshotAssertion
) -> None:
    spec = {
        "request": {
            "method": "POST",
            "urlTemplate": "http://127.0.0.1:9/",
            "body": {"mode": "text", "contentType": "a/b", "template": "{{city}}"},
        },
        "response": {"format": "text"},
    }
    for tool in (definition(), definition(id="texts", spec=spec)):
        sparknb("draft", "-", stdin=json.dumps(tool))
    reply = sparknb("export", "--for", "original", "--out", "all.json", "--json")
    assert reply.document == snapshot
    assert sparknb("export", "--for", "original", "--out", "all.json").out == snapshot


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("export", "nope", "--out", "out.json"), "NOT_FOUND", 1),
        (("export", "--out", "gone/out.json"), "NOT_FOUND", 1),
        (("export", "--out", "."), "INVALID_INPUT", 1),
        (("export", "--for", "original", "--with-cases"), "USAGE", 2),
        (("export", "--for", "another"), "USAGE", 2),
        (("import", "export", "gone.json"), "NOT_FOUND", 1),
        (("import", "export", "."), "INVALID_INPUT", 1),
        (("import", "export"), "USAGE", 2),
    ],
)
def test_what_cannot_be_done_is_refused_and_writes_nothing(
    sparknb: Run, tmp_path: Path, words: tuple[str, ...], code: str, exit_code: int
) -> None:
    reply = sparknb(*words, "--json")
    assert (reply.exit, reply.error["code"]) == (exit_code, code)
    assert list(tmp_path.iterdir()) == []


def test_an_import_lists_drafts_skips_and_warnings(
    sparknb: Run, snapshot: SnapshotAssertion
) -> None:
    url = {"method": "GET", "urlTemplate": "http://{{city}}.test/"}
    hostile = definition(
        id="host", spec={"request": url, "response": {"format": "json"}}
    )
    text = file_of(
        definition(**SECRET),
        {"id": "db", "type": "sql"},
        hostile,
        definition(id="Bad", title=""),
    )
    reply = sparknb("import", "export", "-", "--json", stdin=text)
    assert reply.exit == 0
    assert reply.document == snapshot
    again = sparknb("import", "export", "-", stdin=text.replace("host", "hoster"))
    assert again.out == snapshot
    listed = sparknb("list", "--drafts", "--json").document
    assert {t["origin"] for t in listed["tools"]} == {"imported"}
    assert (listed["total"], listed["totalTools"]) == (3, 3)


def test_an_import_of_nothing_new_ends_with_one(sparknb: Run) -> None:
    text = file_of(definition())
    assert sparknb("import", "export", "-", stdin=text).exit == 0
    reply = sparknb("import", "export", "-", "--json", stdin=text)
    assert reply.exit == 1
    assert reply.document["imported"] == []
    assert reply.document["skipped"][0]["reason"] == "ALREADY_EXISTS"
    assert sparknb("import", "export", "-", stdin=file_of()).exit == 0


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"<html><body>404</body></html>",
        b"\xff\xfe\x00",
        b"[" * 5000,
        b'{"formatVersion": 2, "tools": []}',
        b'{"formatVersion": 1, "tools": [],' + b" " * 5_000_000 + b"}",
        b'{"formatVersion": 1, "tools": []}' + b" " * (32 * 1024 * 1024),
    ],
    ids=lambda d: repr(d[:12]),
)
def test_what_is_no_file_is_refused_in_one_sentence(sparknb: Run, data: bytes) -> None:
    reply = sparknb("import", "export", "-", "--json", stdin=data)
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")
    assert sparknb("list", "--json").document["total"] == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("null", "it must be an object, not null"),
        ("[]", "it must be an object, not an array"),
        ("<html>", "the text is not JSON"),
    ],
)
def test_what_is_no_file_is_told_what_one_is(
    sparknb: Run, data: str, said: str
) -> None:
    error = sparknb("import", "export", "-", "--json", stdin=data).error
    assert said in error["message"]
    assert "definition" not in error["message"]
    assert "formatVersion" in error["hint"]


def test_each_problem_of_a_file_is_shown_at_its_line(
    sparknb: Run, tmp_path: Path
) -> None:
    text = file_of(
        definition(title=""),
        definition(id="checked"),
        5,
        **{"x-sparknb": {"cases": {"checked": [{"name": "a", "expect": {}}]}}},
    )
    (tmp_path / "mixed.json").write_text(text)
    lines = text.splitlines()
    title, case = (
        next(n for n, line in enumerate(lines, 1) if mark in line)
        for mark in ('"title": ""', '"expect": {}')
    )
    out = " ".join(sparknb("import", "export", "mixed.json").out.split())
    assert f"tools.0.spec.title FIELD_VALUE mixed.json:{title}" in out
    assert f"x-sparknb.cases.checked.0.expect CASE_INVALID mixed.json:{case}" in out
    assert "x-sparknb.cases.checked.0.input CASE_INVALID" in out
    assert "tools.2.spec FIELD_TYPE" in out
    assert "the list of its cases has 2 problems" in out


def test_hostile_texts_of_a_file_do_not_reach_the_terminal(sparknb: Run) -> None:
    title = "\x1b[2J[bold red]gone[/]\u202e"
    text = file_of(definition(title=title), {"id": title, "type": title})
    reply = sparknb("import", "export", "-", stdin=text)
    assert reply.exit == 0
    assert "\x1b" not in reply.out + reply.err
    assert "\u202e" not in reply.out + reply.err
    exported = sparknb("export", "weather")
    assert "\u202e" not in exported.out
    assert json.loads(exported.out)["tools"][0]["spec"]["title"] == title


def test_the_drafts_of_a_list_are_counted(sparknb: Run) -> None:
    assert "No draft waits" in sparknb("list", "--drafts").out
    for tool_id in ("one", "two"):
        sparknb("draft", "-", stdin=json.dumps(definition(id=tool_id)))
    sparknb("publish", "one", "--yes")
    reply = sparknb("list", "--drafts")
    assert "1 tool in development, of 2 in all." in reply.out
    assert "two" in reply.out
    assert "one " not in reply.out
    listed = sparknb("list", "--drafts", "--query", "one", "--json").document
    assert (listed["total"], listed["totalTools"]) == (0, 1)
