"""import curl and import openapi at the command line: documents, refusals, files."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.canary import search_tree
from tests.cli.conftest import Run

CANARY = "canary-91aa-in-a-command"
KEYED = f"curl https://api.test/x -H 'X-Api-Key: {CANARY}'"


def document(**changes: Any) -> dict[str, Any]:
    """Give a description with two operations that work and one that cannot."""
    ok = {"responses": {"200": {"description": "It is there."}}}
    pets = {
        "get": {
            "operationId": "listPets",
            "summary": "All pets",
            "tags": ["pets"],
            **ok,
        },
        "post": {"operationId": "addPet", "summary": "A new pet", **ok},
        "head": {"operationId": "lookPets", **ok},
    }
    made = {
        "openapi": "3.0.3",
        "info": {"title": "Pets", "version": "1"},
        "servers": [{"url": "https://pets.test/v1"}],
        "paths": {"/pets": pets},
    }
    return made | changes


@pytest.fixture
def api(tmp_path: Path) -> str:
    (tmp_path / "api.json").write_text(json.dumps(document()), encoding="utf-8")
    return "api.json"


# ----------------------------------------------------------------------------- cURL
def test_a_command_is_shown_and_nothing_is_stored(sparknb: Run, tmp_path: Path) -> None:
    home = {"SPARKNB_HOME": str(tmp_path / "new")}
    reply = sparknb("import", "curl", "--json", stdin=KEYED, env=home)

    assert reply.exit == 0
    found = reply.document
    assert found.keys() == {"definition", "notices", "problems", "secretNames"}
    assert found["definition"]["id"] == "custom_http_tool"
    assert found["secretNames"] == ["x_api_key_secret"]
    assert CANARY not in reply.out + reply.err
    assert not (tmp_path / "new").exists()


def test_a_saved_command_is_a_draft_and_the_next_gets_another_id(
    sparknb: Run, tmp_path: Path
) -> None:
    (tmp_path / "c.sh").write_text(KEYED, encoding="utf-8")
    first = sparknb("import", "curl", "c.sh", "--save", "--json")
    second = sparknb("import", "curl", "c.sh", "--save")

    assert first.document["saved"] == [{"id": "custom_http_tool", "draftVersion": 1}]
    assert "custom_http_tool_2 is a new tool: draft version 1" in second.out
    assert "SECRET_IN_MEMORY" in second.out
    (tmp_path / "c.sh").unlink()
    assert CANARY not in second.out + second.err
    assert search_tree(tmp_path, CANARY) == []


def test_what_keeps_a_command_is_said_with_all_that_was_given(
    sparknb: Run, tmp_path: Path
) -> None:
    (tmp_path / "my c.sh").write_text("curl https://api.test/x", encoding="utf-8")
    words = ("import", "curl", "my c.sh", "--id", "mine", "--params", "auto")
    again = "import curl 'my c.sh' --id mine --params auto --save"
    assert f"sparknb {again}   " in sparknb(*words).out

    saved = sparknb(*shlex.split(again)).out
    assert "sparknb show mine --definition" in saved
    assert "agents choose by that" in saved
    assert "sparknb publish mine" in saved


def test_an_import_overwrites_no_tool(sparknb: Run) -> None:
    curl = "curl https://api.test/x"
    assert sparknb("import", "curl", "--id", "mine", "--save", stdin=curl).exit == 0
    other = f"{curl} -X DELETE"
    again = sparknb("import", "curl", "--id", "mine", "--save", "--json", stdin=other)

    assert (again.exit, again.error["code"]) == (1, "ALREADY_EXISTS")
    shown = sparknb("show", "mine", "--json").document
    assert shown["definition"]["spec"]["request"]["method"] == "GET"


def test_a_keychain_that_would_forget_the_secret_leaves_no_draft(sparknb: Run) -> None:
    env = {"SPARKNB_KEYCHAIN": "env"}
    reply = sparknb("import", "curl", "--save", "--json", stdin=KEYED, env=env)

    assert reply.error["code"] == "KEYCHAIN_UNAVAILABLE"
    assert "SPARKNB_SECRET__CUSTOM_HTTP_TOOL__X_API_KEY_SECRET" in reply.error["hint"]
    assert sparknb("list", "--json").document["total"] == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "CURL_NOT_CURL"),
        (b"\xff\xfe\x00", None),
        ("Invoke-WebRequest -Uri https://a.test", "CURL_NOT_CURL"),
        ("curl https://a.test " + "-s " * 100_000, "CURL_SYNTAX"),
        (f"curl https://{CANARY}@a.test -d @/etc/passwd", "CURL_FILE"),
    ],
)
def test_a_paste_that_is_none_is_one_refusal(
    sparknb: Run, text: str | bytes, code: str | None
) -> None:
    reply = sparknb("import", "curl", "-", "--json", stdin=text)

    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")
    assert code is None or code in {i["code"] for i in reply.error["issues"]}
    assert CANARY not in reply.out + reply.err


def test_wrong_usage_of_an_import_is_wrong_usage(sparknb: Run) -> None:
    assert sparknb("import", "curl", "-", "--params", "some").exit == 2
    assert sparknb("import", "curl", "-", "--shell", "fish").exit == 2
    assert sparknb("import", "openapi", "-", "--list", "--save").exit == 2
    assert sparknb("import", "openapi", "-", "--var", "x").exit == 2


# -------------------------------------------------------------------------- OpenAPI
def test_each_operation_is_a_draft_or_a_skip(sparknb: Run, api: str) -> None:
    found = sparknb("import", "openapi", api, "--json").document

    assert [d["definition"]["id"] for d in found["drafts"]] == ["list_pets", "add_pet"]
    (skip,) = found["skipped"]
    assert (skip["operation"], skip["reason"]) == ("HEAD /pets", "UNSUPPORTED_METHOD")
    assert all(draft["tokens"] > 0 for draft in found["drafts"])
    assert sparknb("list", "--json").document["total"] == 0


def test_what_a_person_reads_says_the_same(sparknb: Run, api: str) -> None:
    out = sparknb("import", "openapi", api).out

    assert "3 operations: 2 tools, 1 skipped; nothing was saved" in out
    for text in ("GET /pets", "list_pets", "low-write", "UNSUPPORTED_METHOD", "--save"):
        assert text in out


def test_operations_are_chosen_by_name_or_tag_and_saved(sparknb: Run, api: str) -> None:
    by_tag = sparknb("import", "openapi", api, "--tag", "pets", "--save", "--json")
    assert by_tag.document["saved"] == [{"id": "list_pets", "draftVersion": 1}]
    words = ("--operation", "addPet", "--operation", "get /pets", "--save", "--json")
    found = sparknb("import", "openapi", api, *words).document
    assert [s["id"] for s in found["saved"]] == ["list_pets_2", "add_pet"]
    assert sparknb("list", "--json").document["total"] == 3


def test_what_keeps_operations_is_said_with_all_that_was_given(
    sparknb: Run, api: str
) -> None:
    words = ("--operation", "addPet", "--operation", "GET /pets", "--tag", "pets")
    out = sparknb("import", "openapi", api, *words, env={"COLUMNS": "140"}).out
    every = "--operation addPet --operation 'GET /pets' --tag pets --save"
    assert f"sparknb import openapi {api} {every}" in out
    assert f"sparknb import openapi {api} --operation 'GET /pets' --save" in out

    one = sparknb("import", "openapi", api, "--tag", "pets").out
    assert f"sparknb import openapi {api} --tag pets --save   keep it" in one
    assert "keep all" not in one


def test_a_draft_of_an_operation_can_be_changed(sparknb: Run, api: str) -> None:
    out = sparknb("import", "openapi", api, "--save").out
    assert "sparknb show list_pets --definition" in out
    shown = sparknb("show", "list_pets", "--definition").out
    assert sparknb("draft", "-", stdin=shown).exit == 0


def test_an_operation_that_is_not_there_is_told_with_the_nearest(
    sparknb: Run, api: str
) -> None:
    reply = sparknb("import", "openapi", api, "--operation", "listPet", "--json")
    assert reply.error["code"] == "NOT_FOUND"
    assert "listPets" in json.dumps(reply.error)


def test_a_list_imports_nothing(sparknb: Run, api: str) -> None:
    found = sparknb("import", "openapi", api, "--list", "--json").document
    assert [o["operation"] for o in found["operations"]] == [
        "GET /pets",
        "POST /pets",
        "HEAD /pets",
    ]
    out = sparknb("import", "openapi", api, "--list", "--tag", "pets").out
    assert "listPets" in out
    assert "addPet" not in out


@pytest.mark.parametrize("columns", ["30", "60", "80", "100", "200"])
def test_each_operation_is_one_line_of_the_list(
    sparknb: Run, tmp_path: Path, columns: str
) -> None:
    paths = {
        f"/{'long/' * n}end": {
            "get": {
                "operationId": f"getTheThingOfNumber{n}",
                "summary": "Get ü 漢字 it " * 12,
                "tags": ["one tag", "and another"],
                "responses": {},
            }
        }
        for n in range(1, 12)
    }
    text = json.dumps(document(paths=paths))
    (tmp_path / "long.json").write_text(text, encoding="utf-8")
    words = ("import", "openapi", "long.json", "--list")
    heading, *lines = sparknb(*words, env={"COLUMNS": columns}).out.splitlines()
    assert heading.split()[0] == "OPERATION"
    assert [line.split()[1] for line in lines] == list(paths)
    assert ("getTheThingOfNumber7" in lines[6]) == (int(columns) > 90)


def test_notes_are_counted_only_where_there_are_any(sparknb: Run, api: str) -> None:
    narrow = {"COLUMNS": "40"}
    assert "NOTES" not in sparknb("import", "openapi", api, env=narrow).out


def test_a_description_comes_from_input_and_by_address(
    sparknb: Run, httpserver: HTTPServer
) -> None:
    local = document(servers=[{"url": "/v2"}])
    httpserver.expect_request("/api.json").respond_with_json(local)
    piped = sparknb("import", "openapi", "-", "--json", stdin=json.dumps(local))
    assert {s["reason"] for s in piped.document["skipped"]} >= {"NO_SERVER"}
    asked = sparknb("import", "openapi", httpserver.url_for("/api.json"), "--json")
    request = asked.document["drafts"][0]["definition"]["spec"]["request"]
    assert request["urlTemplate"] == httpserver.url_for("/v2/pets")


def test_relative_servers_count_from_where_redirects_lead(
    sparknb: Run, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/latest").respond_with_data(
        status=302, headers={"Location": "/apis/pets/api.json"}
    )
    local = document(servers=[{"url": "v2"}])
    httpserver.expect_request("/apis/pets/api.json").respond_with_json(local)
    asked = sparknb("import", "openapi", httpserver.url_for("/latest"), "--json")
    request = asked.document["drafts"][0]["definition"]["spec"]["request"]
    assert request["urlTemplate"] == httpserver.url_for("/apis/pets/v2/pets")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["none.json"], "NOT_FOUND"),
        (["."], "INVALID_INPUT"),
        (["http://127.0.0.1:1/"], "UNREACHABLE"),
        (["http://169.254.169.254/"], "DENIED"),
        (["api.json", "--base-url", "ftp://a"], "INVALID_INPUT"),
    ],
)
def test_a_source_that_cannot_be_read_is_one_refusal(
    sparknb: Run, api: str, words: list[str], code: str
) -> None:
    reply = sparknb("import", "openapi", *words, "--json")
    assert (reply.exit, reply.error["code"]) == (1, code)


@pytest.mark.parametrize(
    "text", ["", "<html>no</html>", "[]", "openapi: 3.0.0", '{"openapi": "4.0.0"}', "{"]
)
def test_a_text_that_is_no_description_is_one_refusal(sparknb: Run, text: str) -> None:
    reply = sparknb("import", "openapi", "-", "--json", stdin=text)
    if reply.exit:
        assert reply.error["code"] in ("INVALID_INPUT", "NOT_IMPLEMENTED")
        return
    assert reply.document["drafts"] == []


def test_a_document_above_the_limit_is_not_read_whole(
    sparknb: Run, tmp_path: Path
) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(33 * 1024 * 1024)
    reply = sparknb("import", "openapi", "large.json", "--json")
    assert reply.error["code"] == "INVALID_INPUT"
    assert "32 MiB" in reply.error["message"]


# ------------------------------------------------------------------ the files beside
def referring(reference: str) -> str:
    item = {"$ref": reference}
    return json.dumps(document(paths={"/pets": item}))


def imported(sparknb: Run, folder: Path, reference: str) -> tuple[int, list[str]]:
    (folder / "main.json").write_text(referring(reference), encoding="utf-8")
    name = str(folder / "main.json")
    found = sparknb("import", "openapi", name, "--json").document
    return len(found["drafts"]), [s["reason"] for s in found["skipped"]]


def test_references_lead_to_files_of_the_folder_only(
    sparknb: Run, tmp_path: Path
) -> None:
    folder, outside = tmp_path / "api", tmp_path / "outside.json"
    (folder / "sub").mkdir(parents=True)
    item = json.dumps(document()["paths"]["/pets"])
    (folder / "sub" / "pets.json").write_text(item, encoding="utf-8")
    outside.write_text(item, encoding="utf-8")
    (folder / "link.json").symlink_to(outside)
    os.mkfifo(folder / "pipe.json")

    assert imported(sparknb, folder, "sub/pets.json")[0] == 2
    for leak in ("../outside.json", "link.json", str(outside), f"file://{outside}"):
        drafts, reasons = imported(sparknb, folder, leak)
        assert drafts == 0
        assert set(reasons) == {"EXTERNAL_REF"}, leak
    for wrong in ("none.json", "sub", "pipe.json", "a%00b.json"):
        assert imported(sparknb, folder, wrong)[0] == 0


def test_a_description_from_input_reads_no_file(sparknb: Run, tmp_path: Path) -> None:
    (tmp_path / "pets.json").write_text(json.dumps(document()["paths"]["/pets"]))
    reply = sparknb("import", "openapi", "-", "--json", stdin=referring("pets.json"))
    assert {s["reason"] for s in reply.document["skipped"]} == {"EXTERNAL_REF"}
