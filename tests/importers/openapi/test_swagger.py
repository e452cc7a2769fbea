"""Swagger 2.0 in the words of OpenAPI 3 (ST-103, ST-105, ST-106, ST-108, ST-111)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from sparknb.importers.openapi.document import read_description
from sparknb.importers.openapi.model import Description, Operation

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def described(
    operation: Mapping[str, Any] | None = None,
    *,
    shared: Sequence[Any] = (),
    url: str | None = None,
    files: Mapping[str, str] | None = None,
    **more: Any,
) -> Description:
    item = {"post": operation or {}, "parameters": list(shared)}
    root = {"swagger": "2.0", "paths": {"/a": item}} | more
    load = (lambda path: files[path].encode()) if files else None
    return read_description(json.dumps(root), url=url, load=load)


def converted(*parameters: Any, **more: Any) -> Operation:
    operation = {"parameters": list(parameters)} | more.pop("operation", {})
    return described(operation, **more).operations()[0]


@pytest.mark.parametrize(
    ("root", "url", "server"),
    [
        ({"host": "api.test", "schemes": ["http", "https"]}, None, "https://api.test/"),
        ({"host": "api.test", "schemes": ["http"]}, None, "http://api.test/"),
        ({"host": "api.test", "basePath": "/v1"}, None, "https://api.test/v1"),
        ({"host": "api.test", "basePath": "v1"}, None, "https://api.test/v1"),
        (
            {"host": "api.test:8443", "basePath": "/v1/"},
            None,
            "https://api.test:8443/v1/",
        ),
        ({"host": "api.test"}, "http://docs.test/x.json", "http://api.test/"),
        ({"basePath": "/v1"}, "http://docs.test/x.json", "/v1"),
        ({"schemes": ["https"]}, "http://docs.test/x.json", "https://docs.test/"),
        ({"basePath": "/v1"}, None, "/v1"),
        ({}, None, "/"),
        ({"host": 5, "basePath": [], "schemes": "https"}, None, "/"),
        ({"host": "api.test", "schemes": [5, "wss"]}, None, "wss://api.test/"),
    ],
)
def test_the_server_is_put_together(
    root: dict[str, Any], url: str | None, server: str
) -> None:
    assert described(url=url, **root).servers == [{"url": server}]


def test_schemes_of_an_operation_replace_those_of_the_root() -> None:
    operation = converted(
        operation={"schemes": ["http"]}, host="api.test", schemes=["https"]
    )
    assert operation.node["servers"] == [{"url": "http://api.test/"}]
    assert "schemes" not in operation.node


def test_security_definitions_become_schemes() -> None:
    description = described(
        securityDefinitions={
            "basic": {"type": "basic", "description": "Log in"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "flow": {"type": "oauth2", "flow": "implicit", "authorizationUrl": "x"},
            "odd": 5,
        },
        security=[{"basic": []}],
    )
    basic = {"type": "http", "scheme": "basic", "description": "Log in"}
    assert description.schemes["basic"] == basic
    assert description.schemes["key"]["type"] == "apiKey"
    assert description.schemes["flow"]["type"] == "oauth2"
    assert description.security == [{"basic": []}]
    assert described(securityDefinitions=[]).schemes == {}


def test_what_is_said_of_a_value_moves_into_its_schema() -> None:
    operation = converted(
        {
            "name": "n",
            "in": "query",
            "type": "integer",
            "format": "int64",
            "maximum": 5,
            "default": 1,
            "enum": [1, 2],
            "required": True,
            "description": "d",
            "x-own": 1,
        }
    )
    schema = {"type": "integer", "format": "int64", "maximum": 5} | {
        "default": 1,
        "enum": [1, 2],
    }
    assert operation.node["parameters"] == [
        {
            "name": "n",
            "in": "query",
            "required": True,
            "description": "d",
            "x-own": 1,
            "schema": schema,
        }
    ]


@pytest.mark.parametrize(
    ("where", "written", "style", "explode"),
    [
        ("query", None, "form", False),
        ("query", "csv", "form", False),
        ("query", "ssv", "spaceDelimited", False),
        ("query", "tsv", "tabDelimited", False),
        ("query", "pipes", "pipeDelimited", False),
        ("query", "multi", "form", True),
        ("query", "other", "other", False),
        ("query", 5, "5", False),
        ("path", None, "simple", False),
        ("path", "csv", "simple", False),
        ("path", "pipes", "pipeDelimited", False),
        ("header", "multi", "simple", False),
        ("header", "tsv", "tabDelimited", False),
    ],
)
def test_collection_formats_become_styles(
    where: str, written: Any, style: str, explode: bool
) -> None:
    node = {"name": "n", "in": where, "type": "array", "items": {"type": "string"}}
    if written is not None:
        node["collectionFormat"] = written
    (made,) = converted(node).node["parameters"]
    assert (made["style"], made["explode"]) == (style, explode)
    assert made["schema"] == {"type": "array", "items": {"type": "string"}}


def test_an_operation_replaces_parameters_of_its_path() -> None:
    def query(name: str, kind: str) -> dict[str, Any]:
        return {"name": name, "in": "query", "type": kind}

    operation = converted(
        query("a", "integer"), shared=[query("a", "string"), query("b", "string")]
    )
    made = [(p["name"], p["schema"]["type"]) for p in operation.node["parameters"]]
    assert made == [("b", "string"), ("a", "integer")]
    assert "parameters" not in operation.item


def test_a_body_parameter_becomes_the_body() -> None:
    schema = {"$ref": "#/definitions/Thing"}
    body = {"in": "body", "name": "n", "required": True, "schema": schema}
    shared = [{"in": "body", "name": "other", "schema": {"type": "string"}}]
    operation = converted(
        body | {"description": "The thing"}, shared=shared, consumes=["*/*", "text/xml"]
    )
    assert operation.node["requestBody"] == {
        "content": {
            "application/json": {"schema": schema},
            "text/xml": {"schema": schema},
        },
        "required": True,
        "description": "The thing",
    }
    assert operation.node["parameters"] == []


@pytest.mark.parametrize(
    ("consumes", "own", "types"),
    [
        (None, None, ["application/json"]),
        ([], None, ["application/json"]),
        (["text/plain"], None, ["text/plain"]),
        (["text/plain"], ["application/xml"], ["application/xml"]),
        (["text/plain"], [], ["application/json"]),
        ("text/plain", None, ["application/json"]),
    ],
)
def test_media_types_of_the_operation_replace_those_of_the_root(
    consumes: Any, own: Any, types: list[str]
) -> None:
    operation: dict[str, Any] = {} if own is None else {"consumes": own}
    root = {} if consumes is None else {"consumes": consumes}
    made = converted({"in": "body", "name": "b"}, operation=operation, **root)
    assert list(made.node["requestBody"]["content"]) == types
    assert made.node["requestBody"]["required"] is False


def test_form_fields_become_one_body() -> None:
    operation = converted(
        {"in": "formData", "name": "a", "type": "string", "required": True},
        {
            "in": "formData",
            "name": "b",
            "type": "array",
            "items": {"type": "string"},
            "collectionFormat": "multi",
            "description": "Many",
        },
        consumes=["application/json", FORM],
    )
    body = operation.node["requestBody"]
    assert list(body["content"]) == [FORM]
    media = body["content"][FORM]
    assert media["schema"] == {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "string"},
            "b": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Many",
            },
        },
    }
    assert media["encoding"] == {"b": {"style": "form", "explode": True}}
    assert body["required"] is True


@pytest.mark.parametrize(
    ("kind", "consumes", "types"),
    [
        ("string", [], [FORM]),
        ("string", [MULTIPART], [MULTIPART]),
        ("string", [f"{FORM}; charset=utf-8"], [f"{FORM}; charset=utf-8"]),
        ("file", [], [MULTIPART]),
        ("file", [FORM], [MULTIPART]),
    ],
)
def test_a_file_makes_a_form_one_of_parts(
    kind: str, consumes: list[str], types: list[str]
) -> None:
    field = {"in": "formData", "name": "f", "type": kind}
    operation = converted(field, consumes=consumes)
    assert list(operation.node["requestBody"]["content"]) == types


def test_answers_have_the_media_types_that_are_produced() -> None:
    answers = {
        "200": {"description": "ok", "schema": {"type": "object"}, "examples": {}},
        "204": {"description": "nothing"},
        "400": {"$ref": "#/responses/Bad"},
        "404": {"$ref": "#/responses/None"},
        "default": None,
    }
    operation = converted(
        operation={"responses": answers, "produces": ["application/json"]},
        responses={"Bad": {"description": "bad", "schema": {"type": "string"}}},
    )
    made = operation.node["responses"]
    content = {"application/json": {"schema": {"type": "object"}}}
    assert made["200"] == {"description": "ok", "content": content}
    assert "content" not in made["204"]
    assert made["400"]["content"]["application/json"]["schema"] == {"type": "string"}
    assert made["404"] == {"$ref": "#/responses/None"}
    assert made["default"] is None


def test_an_answer_with_a_schema_and_no_type_is_json() -> None:
    answers = {"200": {"schema": {"type": "string"}}}
    made = converted(operation={"responses": answers}).node["responses"]
    assert list(made["200"]["content"]) == ["application/json"]


def test_references_to_shared_parameters_are_followed() -> None:
    operation = converted(
        {"$ref": "#/parameters/limit"},
        {"$ref": "#/parameters/body"},
        parameters={
            "limit": {"name": "limit", "in": "query", "type": "integer"},
            "body": {"name": "b", "in": "body", "schema": {"type": "object"}},
        },
    )
    (limit,) = operation.node["parameters"]
    assert limit["schema"] == {"type": "integer"}
    assert "requestBody" in operation.node


def test_a_broken_reference_to_a_parameter_stays_for_the_skip() -> None:
    broken = {"$ref": "https://api.test/x"}
    assert converted(broken).node["parameters"] == [broken]


def test_parameters_of_another_file_count_from_there() -> None:
    text = json.dumps(
        {
            "q": {"name": "q", "in": "query", "type": "string"},
            "b": {"name": "b", "in": "body", "schema": {"$ref": "#/thing"}},
            "thing": {"title": "there", "x-nullable": True},
        }
    )
    refs = [{"$ref": "parts.json#/q"}, {"$ref": "parts.json#/b"}]
    description = described({"parameters": refs}, files={"parts.json": text})
    (operation,) = description.operations()
    (query,) = operation.node["parameters"]
    assert description.resolve(query, operation.place).place == "parts.json"
    schema = operation.node["requestBody"]["content"]["application/json"]["schema"]
    found = description.resolve(schema, operation.place).node
    assert found == {"title": "there", "x-nullable": True, "nullable": True}


def test_x_nullable_is_nullable_wherever_it_stands() -> None:
    thing = {"properties": {"a": {"type": "string", "x-nullable": True}}}
    description = described(definitions={"Thing": thing})
    found = description.resolve({"$ref": "#/definitions/Thing"}, description.place)
    assert found.node["properties"]["a"]["nullable"] is True


@pytest.mark.parametrize(
    "parameters",
    [
        None,
        5,
        [5],
        [None],
        [{}],
        [{"in": 5, "name": []}],
        [{"in": "body", "schema": 5}],
    ],
)
def test_odd_parameters_do_not_end_in_a_crash(parameters: Any) -> None:
    operation = {"parameters": parameters, "responses": parameters}
    assert len(described(operation, shared=[5, {}]).operations()) == 1
