"""One draft or one named skip for each operation, whatever the others are."""

import gc
from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.core.validation import validate
from sparknb.importers.openapi import import_operations
from sparknb.importers.openapi.collecting import no_collections
from sparknb.importers.openapi.selection import select
from tests.costs import cpu_seconds
from tests.importers.openapi.documents import (
    described,
    draft_of,
    imported,
    messages,
    parameter,
    skip_of,
)

JSON: dict[str, Any] = {"content": {"application/json": {}}}
FORTY = [
    *(parameter(f"need{n}", required=True) for n in range(10)),
    *(parameter(f"may{n}") for n in range(30)),
]


def body(schema: Any, **more: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"content": content, **more}}


def test_39_the_acceptance_example_of_the_specification() -> None:
    nested = {"type": "object", "properties": {"a": {"type": "object"}}}
    key = {"type": "apiKey", "in": "query", "name": "api_key"}
    made = imported(
        {
            "/pets/{id}": {
                "get": {
                    "operationId": "getPetById",
                    "parameters": [parameter("id", "path")],
                }
            },
            "/pets": {"get": {"operationId": "getPetById"}},
            "/nested": {"post": body(nested, required=True)},
            "/key": {"get": {"security": [{"key": []}]}},
            "/file": {"get": {"parameters": [{"$ref": "../../etc/passwd"}]}},
            "/far": {"get": {"parameters": [{"$ref": "http://x/y"}]}},
            "/many": {"get": {"parameters": FORTY}},
        },
        components={"securitySchemes": {"key": key}},
    )
    ids = [draft.definition["id"] for draft in made.drafts]
    assert ids[:2] == ["get_pet_by_id", "get_pet_by_id_2"]
    schema = made.drafts[2].definition["inputSchema"]
    assert list(schema["properties"]) == ["body"]
    assert schema["properties"]["body"]["type"] == "string"
    assert {s.operation: s.reason for s in made.skipped} == {
        "GET /key": "UNSUPPORTED_SECURITY",
        "GET /file": "EXTERNAL_REF",
        "GET /far": "EXTERNAL_REF",
    }
    many = made.drafts[3]
    kept = many.definition["inputSchema"]["properties"]
    assert list(kept) == [p["name"] for p in FORTY][:32]
    [told] = messages(many)
    assert [n for n in range(30) if f"'may{n}'" in told] == list(range(22, 30))


@pytest.mark.parametrize(
    ("method", "triple"),
    [
        ("get", ("read", "read", "safe")),
        ("post", ("low-write", "create", "unsafe")),
        ("put", ("low-write", "update", "keyed")),
        ("patch", ("low-write", "update", "unsafe")),
        ("delete", ("destructive", "delete", "unsafe")),
    ],
)
def test_the_risk_is_that_of_the_method(
    method: str, triple: tuple[str, str, str]
) -> None:
    made = draft_of({}, method=method).definition
    assert (made["risk"], made["effect"], made["idempotency"]) == triple
    assert made["timeoutMs"] == 30_000
    assert made["spec"]["request"]["method"] == method.upper()


@pytest.mark.parametrize("method", ["head", "options", "trace"])
def test_other_methods_are_skipped_by_name(method: str) -> None:
    skip = skip_of({}, method=method)
    assert (skip.operation, skip.reason) == (
        f"{method.upper()} /things",
        "UNSUPPORTED_METHOD",
    )


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        ({"200": JSON}, "json"),
        ({"404": JSON, "204": {}}, "text"),
        ({"201": {"content": {"application/problem+json; charset=utf-8": {}}}}, "json"),
        ({"2XX": JSON}, "json"),
        ({"200": {"content": {"text/csv": {}}}}, "text"),
        ({"200": {"$ref": "http://elsewhere.test/r.yaml"}}, "text"),
        ({"200": {"$ref": "#/components/responses/Ok"}}, "json"),
        ([], "text"),
        (None, "text"),
        ({"200": None}, "text"),
    ],
)
def test_answers_of_json_are_read_as_json(responses: Any, expected: str) -> None:
    made = draft_of({"responses": responses}, components={"responses": {"Ok": JSON}})
    assert made.definition["spec"]["response"]["format"] == expected
    assert "headers" not in made.definition["spec"]["request"]


def test_a_server_that_can_answer_in_other_ways_is_asked_for_json() -> None:
    content: dict[str, Any] = {"application/xml": {}, "application/json": {}}
    made = draft_of({"responses": {"200": {"content": content}}})
    [header] = made.definition["spec"]["request"]["headers"]
    assert header == {"name": "Accept", "valueTemplate": "application/json"}


def test_one_bad_operation_never_stops_the_others() -> None:
    paths = {
        f"/bad{n}": {"post": node}
        for n, node in enumerate(
            [
                {"parameters": {"a": 1}},
                {"parameters": [None]},
                {"parameters": [{"name": 5, "in": "query"}]},
                {"requestBody": 7},
                {"requestBody": {"content": []}},
                {"security": "key"},
                {"security": [5]},
                {"parameters": [{"$ref": "#/nowhere"}]},
            ]
        )
    }
    made = imported({**paths, "/good": {"get": {}}})
    assert [draft.operation for draft in made.drafts] == ["GET /good"]
    assert [skip.operation for skip in made.skipped] == [f"POST {p}" for p in paths]
    assert all(skip.message for skip in made.skipped)
    assert made.operations == len(paths) + 1


def test_odd_things_that_do_not_matter_are_passed_over() -> None:
    node = {
        "operationId": 7,
        "summary": ["x"],
        "description": None,
        "tags": "x",
        "servers": {},
        "deprecated": "yes",
        "parameters": None,
        "responses": "none",
    }
    made = draft_of(node)
    assert made.definition["id"] == "op_7"
    assert made.definition["description"] == "Calls GET /things."
    assert messages(made) == []


def test_a_draft_that_the_validator_refuses_is_a_skip_with_its_problems() -> None:
    made = imported({"/a/../b": {"get": {}}, "/a": {"get": {}}})
    [skip] = made.skipped
    assert (skip.operation, skip.reason) == ("GET /a/../b", "INVALID_DEFINITION")
    assert [p.path for p in skip.issues] == ["spec.request.urlTemplate"]
    wire = skip.to_wire()
    assert wire["issues"][0]["code"] == "INVALID_TEMPLATE"
    assert wire["message"].endswith("segment of the URL is '.' or '..'")
    assert len(made.drafts) == 1


def test_a_skipped_operation_takes_no_id() -> None:
    bad = {"operationId": "same", "parameters": [{"$ref": "#/nowhere"}]}
    made = imported({"/a": {"get": bad}, "/b": {"get": {"operationId": "same"}}})
    assert [draft.definition["id"] for draft in made.drafts] == ["same"]


def test_a_deprecated_operation_says_so() -> None:
    made = draft_of({"deprecated": True, "summary": "Reads the old list."})
    assert made.definition["description"] == "Deprecated. Reads the old list."
    assert messages(made) == ["the document calls this operation deprecated"]


def test_warnings_of_the_validator_are_notices() -> None:
    made = draft_of({"operationId": "long" * 16, "parameters": [parameter("key")]})
    assert [n.code for n in made.notices] == ["NAME_LONG", "SENSITIVE_PARAMETER"]


def test_every_draft_is_a_normal_form() -> None:
    made = draft_of(body({"type": "object", "properties": {"a": {}}}), method="post")
    report = validate(made.definition)
    assert report.normalized == made.definition
    assert made.to_wire()["tokens"] == made.tokens > 20


def test_a_path_that_holds_a_secret_is_not_repeated() -> None:
    key = "sk-" + "a" * 30
    made = imported({f"/{key}": {"get": {}}})
    [skip] = made.skipped
    assert key not in str(skip.to_wire())
    assert skip.reason == "INVALID_DEFINITION"


def test_the_document_speaks_through_its_notices() -> None:
    callbacks: dict[str, Any] = {"done": {"{$request.body}": {"post": {}}}}
    made = imported({"/a": {"post": {"callbacks": callbacks}}})
    assert made.operations == 1
    assert "1 callback is not imported" in made.to_wire()["notices"][0]["message"]


def test_only_what_is_selected_is_imported() -> None:
    description = described({"/a": {"get": {}, "post": {}}, "/b": {"get": {}}})
    selected = select(description, ["POST /a", "GET /b"])
    made = import_operations(description, selected=selected)
    assert [draft.operation for draft in made.drafts] == ["POST /a", "GET /b"]
    assert import_operations(description, selected=[]).operations == 0


def test_a_base_url_nobody_can_call_is_refused() -> None:
    for text in ("", "ftp://x/", "https://u:pw@x/", "https://x/?k=1", "x", "http://"):
        with pytest.raises(InvalidInputError, match="the base URL") as caught:
            import_operations(described({"/a": {"get": {}}}), base_url=text)
        assert "pw" not in str(caught.value.to_wire())


def test_many_operations_cost_little() -> None:
    item = {"$ref": "#/components/schemas/Item"}
    node = {
        "summary": "Changes one item of the list",
        "description": "Long words about it. " * 40,
        "parameters": [parameter("id", "path"), parameter("limit"), parameter("q")],
        **body(item, required=True),
        "responses": {"200": {"content": {"application/json": {"schema": item}}}},
    }
    fields = {f"field{n}": {"type": "string", "description": "One."} for n in range(12)}
    schemas = {"Item": {"type": "object", "properties": fields}}
    paths = {f"/list{n}/{{id}}": {"put": node} for n in range(100)}
    description = described(paths, components={"schemas": schemas})
    cost = cpu_seconds(lambda: import_operations(description), runs=2)
    assert cost < 0.5
    assert len(import_operations(description).drafts) == 100


def test_the_garbage_collector_runs_as_before_afterwards() -> None:
    seen = []

    def fail() -> None:
        seen.append(gc.isenabled())
        raise RuntimeError

    with pytest.raises(RuntimeError), no_collections():
        fail()
    assert [*seen, gc.isenabled()] == [False, True]
