"""The operations of a description, its servers and schemes, and what is left out."""

import json
from collections.abc import Mapping
from typing import Any

from sparknb.core.errors import NotFoundError
from sparknb.importers.openapi.document import read_description
from sparknb.importers.openapi.model import Description, Operation

OK = {"responses": {"200": {"description": "ok"}}}


def described(
    paths: Mapping[str, Any], files: Mapping[str, str] | None = None, **more: Any
) -> Description:
    def load(path: str) -> bytes:
        if files is None or path not in files:
            raise NotFoundError(f"there is no file {path}")
        return files[path].encode()

    url = more.pop("url", None)
    root = {"openapi": "3.1.0", "info": {"title": "T"}, "paths": paths} | more
    return read_description(json.dumps(root), url=url, load=load if files else None)


def names(description: Description) -> list[str]:
    return [operation.name for operation in description.operations()]


def only(description: Description) -> Operation:
    (operation,) = description.operations()
    return operation


def test_operations_come_in_the_order_of_the_document() -> None:
    methods = ["trace", "get", "put", "post", "delete", "options", "head", "patch"]
    paths = {"/b": dict.fromkeys(methods, OK), "/a": {"get": OK}}
    expected = [f"{method.upper()} /b" for method in methods]
    assert names(described(paths)) == [*expected, "GET /a"]


def test_what_is_no_operation_is_passed_over() -> None:
    paths = {
        "x-internal": {"get": OK},
        "/null": None,
        "/null-operation": {"get": None},
        "/ok": {"get": OK, "parameters": [], "summary": "s", "x-a": {"responses": {}}},
        "/empty": {},
    }
    description = described(paths)
    assert names(description) == ["GET /ok"]
    assert description.notices == []


def test_what_was_meant_as_an_operation_and_is_none_is_told() -> None:
    paths = {
        "/text": "get",
        "/list": {"get": [OK]},
        "/query": {"query": OK, "get": OK},
    }
    description = described(paths)
    assert names(description) == ["GET /query"]
    assert [(n.level, n.path) for n in description.notices] == [
        ("notice", "paths./text"),
        ("notice", "paths./list.get"),
        ("notice", "paths./query.query"),
    ]


def test_callbacks_and_webhooks_are_counted_and_not_imported() -> None:
    callback = {"{$request.query.url}": {"post": OK}}
    paths = {"/a": {"post": OK | {"callbacks": {"one": callback, "two": callback}}}}
    description = described(paths, webhooks={"w": {"post": OK}})
    assert names(description) == ["POST /a"]
    said = [notice.message for notice in description.notices]
    assert said[0].startswith("1 webhook is not imported")
    assert said[1].startswith("2 callbacks are not imported")


def test_a_path_item_may_stand_elsewhere_in_the_document() -> None:
    item = {"get": OK | {"operationId": "x"}, "parameters": [{"name": "a"}]}
    description = described(
        {"/a": {"$ref": "#/components/pathItems/A"}},
        components={"pathItems": {"A": item}},
    )
    operation = only(description)
    assert operation.name == "GET /a"
    assert operation.node["operationId"] == "x"
    assert operation.item["parameters"] == [{"name": "a"}]


def test_what_stands_beside_the_reference_of_a_path_item_is_kept() -> None:
    item = {"get": OK, "parameters": [{"name": "a"}]}
    beside = {
        "$ref": "#/components/pathItems/A",
        "put": OK,
        "parameters": [{"name": "b"}],
    }
    description = described({"/a": beside}, components={"pathItems": {"A": item}})
    assert names(description) == ["GET /a", "PUT /a"]
    for operation in description.operations():
        assert operation.item["parameters"] == [{"name": "a"}, {"name": "b"}]


def test_references_of_a_path_item_in_another_file_count_from_there() -> None:
    text = """
        get: {parameters: [{$ref: '#/x-shared'}], responses: {}}
        x-shared: {name: a, in: query}
    """
    operation = only(
        described({"/a": {"$ref": "paths/a.yaml"}}, {"paths/a.yaml": text})
    )
    assert operation.place == "paths/a.yaml"
    assert operation.item_place == "paths/a.yaml"


def test_operations_may_be_references_too() -> None:
    paths = {"/a": {"get": {"$ref": "#/paths/~1b/get"}}, "/b": {"get": OK}}
    first, second = described(paths).operations()
    assert (first.name, first.node) == ("GET /a", second.node)


def test_all_paths_may_stand_in_another_file() -> None:
    description = described({"$ref": "paths.yaml"}, {"paths.yaml": "/a: {get: {}}"})
    assert names(description) == ["GET /a"]
    assert only(description).place == "paths.yaml"


def test_a_broken_reference_of_a_path_item_spoils_this_path_only() -> None:
    paths = {
        "/out": {"$ref": "https://api.test/paths.yaml"},
        "/none": {"$ref": "#/components/pathItems/None"},
        "/self": {"$ref": "#/paths/~1self"},
        "/odd": {"$ref": "#/info/title"},
        "/beside": {"$ref": "#/none", "get": OK},
        "/operation": {"get": {"$ref": "#/none"}},
        "/fine": {"get": OK},
    }
    found = [(o.name, o.flaw and o.flaw.reason) for o in described(paths).operations()]
    assert found == [
        ("* /out", "EXTERNAL_REF"),
        ("* /none", "UNRESOLVED_REF"),
        ("* /self", "CIRCULAR_REF"),
        ("* /odd", "UNRESOLVED_REF"),
        ("GET /beside", "UNRESOLVED_REF"),
        ("GET /operation", "UNRESOLVED_REF"),
        ("GET /fine", None),
    ]


def test_servers_security_and_schemes_are_those_of_the_root() -> None:
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    description = described(
        {},
        servers=[{"url": "https://api.test"}],
        security=[{"key": []}],
        components={"securitySchemes": schemes},
    )
    assert description.title == "T"
    assert description.servers == [{"url": "https://api.test"}]
    assert description.security == [{"key": []}]
    assert description.schemes == schemes


def test_without_servers_the_host_of_the_document_is_meant() -> None:
    assert described({}).servers == []
    address = "http://127.0.0.1:8700/openapi.json"
    assert described({}, url=address).servers == [{"url": "/"}]
    assert described({}, url=address, servers=[]).servers == [{"url": "/"}]


def test_schemes_of_another_file_keep_their_place() -> None:
    text = "key: {$ref: '#/shared'}\nshared: {type: http, scheme: bearer}"
    schemes = {"securitySchemes": {"$ref": "auth.yaml"}}
    description = described({}, {"auth.yaml": text}, components=schemes)
    found = description.resolve(description.schemes["key"], description.place)
    assert found.node == {"type": "http", "scheme": "bearer"}


def test_the_same_mapping_under_an_alias_is_an_operation_of_each_path() -> None:
    text = "openapi: 3.0.0\npaths:\n  /a: &a {get: {}}\n  /b: *a\n"
    assert names(read_description(text)) == ["GET /a", "GET /b"]


def test_a_method_in_two_spellings_is_one_operation() -> None:
    item = {"get": {"operationId": "first"}, "GET": {"operationId": "second"}}
    description = described({"/a": item, "/b": {"GET": {}}})
    assert names(description) == ["GET /a", "GET /b"]
    assert description.operations()[0].node == {"operationId": "first"}
    [told] = description.notices
    assert told.path == "paths./a.GET"
