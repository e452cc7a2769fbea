"""What bytes become: encodings, JSON, limits, and pastes of the wrong kind."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError, SparknbError, UnsupportedError
from sparknb.importers.openapi.document import read_description
from sparknb.importers.openapi.loading import load_tree
from sparknb.importers.openapi.loading_limits import MAX_BYTES, MAX_VALUES, Allowance
from tests.costs import cpu_seconds

DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Ünïcode 日本 😀", "version": "1"},
    "paths": {"/a": {"get": {"responses": {}}}},
}
AS_JSON = json.dumps(DOCUMENT, ensure_ascii=False)
AS_YAML = """openapi: 3.0.3
info: {title: Ünïcode 日本 😀, version: '1'}
paths: {/a: {get: {responses: {}}}}
"""


def refusal(data: bytes | str) -> SparknbError:
    with pytest.raises(SparknbError) as caught:
        read_description(data)
    return caught.value


@pytest.mark.parametrize("text", [AS_JSON, AS_YAML])
@pytest.mark.parametrize(
    "encoding",
    [
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-32-le",
        "utf-32-be",
    ],
)
def test_every_encoding_of_unicode_is_read_with_and_without_its_mark(
    text: str, encoding: str
) -> None:
    read = read_description(text.encode(encoding))
    assert read.title == "Ünïcode 日本 😀"
    assert [operation.name for operation in read.operations()] == ["GET /a"]


@pytest.mark.parametrize("text", [AS_JSON, AS_YAML])
def test_text_is_read_like_bytes(text: str) -> None:
    assert read_description(f"\ufeff{text}").title == "Ünïcode 日本 😀"


def test_lines_may_end_in_any_way() -> None:
    for end in ("\r\n", "\r"):
        text = AS_YAML.replace("\n", end)
        assert len(read_description(text.encode()).operations()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "{openapi: 3.0.3, paths: {}}",
        '{"openapi": "3.0.3", "paths": {},}',
        "{'openapi': '3.0.3', # a comment\n 'paths': {}}",
    ],
)
def test_yaml_with_brackets_is_not_taken_for_broken_json(text: str) -> None:
    assert read_description(text).version == "3.0.3"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"openapi": "3.0.3", "paths": {"/a', "the JSON ends too early, at line 1"),
        ('{"openapi": "3.0.3",\n "paths": {', "the JSON ends too early, at line 2"),
        ('{"openapi": "3.0.3",\n "paths": }}', "line 2"),
        ('{"openapi": "3.0.3"} x', "line 1"),
        ('{"openapi": "3.0.3", "x": NaN}', "no number NaN"),
        ('{"openapi": "3.0.3", "x": ' + "9" * 5_000 + "}", "too many digits"),
        ('{"a":' * 300 + "1" + "}" * 300, "deeper than 200"),
        ("[" * 100_000 + "]" * 100_000, "deeper than 200"),
        ("[" + "[]," * 600_000 + "[]]", f"more than {MAX_VALUES:,} values"),
    ],
)
def test_json_that_cannot_be_read_is_refused_with_its_place(
    text: str, words: str
) -> None:
    error = refusal(text)
    assert type(error) is InvalidInputError
    assert words in error.message


def test_commas_in_texts_are_no_values() -> None:
    text = json.dumps({"a": "," * (MAX_VALUES + 1), "b": '\\",'})
    assert load_tree(text, Allowance())[0]["b"] == '\\",'


def test_as_many_values_as_are_allowed_are_read_in_json_and_yaml() -> None:
    for written in ("[" + "1," * (MAX_VALUES - 2) + "1]", "[[]" + ",[]" * 99 + "]"):
        assert load_tree(written, Allowance())[0]


def test_repeated_keys_of_json_are_told_with_their_places() -> None:
    text = '{"paths": {"/a": 1, "/a": 2, "/b": [{"x": 1, "x": 2, "x": 3}]}}'
    found, repeated = load_tree(text, Allowance())
    assert found == {"paths": {"/a": 2, "/b": [{"x": 3}]}}
    assert {p.path for p in repeated} == {"paths./a", "paths./b.0.x"}
    assert {p.level for p in repeated} == {"warning"}


def test_half_characters_become_a_mark_that_texts_can_carry() -> None:
    text = r'{"a\ud800": "\udc00 \ud83d\ude00", "b": ["\ud83d"]}'
    found, _ = load_tree(text, Allowance())
    assert found == {"a\ufffd": "\ufffd 😀", "b": ["\ufffd"]}
    assert load_tree("a: '\ud800'", Allowance())[0] == {"a": "\ufffd"}


def test_numbers_that_json_lacks_stay_as_written() -> None:
    assert load_tree('{"a": 1e999, "b": 1e3}', Allowance())[0] == {
        "a": "1e999",
        "b": 1000.0,
    }


@pytest.mark.parametrize("data", [b" " * (MAX_BYTES + 1), "é" * (MAX_BYTES // 2 + 1)])
def test_more_than_32_mebibytes_are_not_read(data: bytes | str) -> None:
    assert refusal(data).message == "the API description is larger than 32 MiB"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        ("\ufeff".encode(), "empty"),
        (b"<!DOCTYPE html><html></html>", "an HTML page"),
        (b"\n <html lang=en>", "an HTML page"),
        (b"<?xml version='1.0'?><application/>", "XML"),
        (b"curl https://api.test/x", "a cURL command"),
        (b"$ curl https://api.test/x", "a cURL command"),
        (b"https://api.test/openapi.json\n", "an address"),
        (b"#%RAML 1.0\ntitle: x", "RAML"),
        (b"FORMAT: 1A\n# API", "API Blueprint"),
        (b'syntax = "proto3";', "a Protocol Buffers file"),
        (b"type Query {\n a: Int }", "GraphQL"),
        (b"PK\x03\x04rest", "a ZIP archive"),
        (b"\x1f\x8b\x08", "compressed with gzip"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x89PNG\r\n", "a picture"),
        (b"abc\0\x01\x02def", "binary"),
        (b"\xff\xfe\xff", "not UTF-16"),
        (b"openapi: \xff\xfe", "not UTF-8, at byte 9"),
        (b"just some words", "a string"),
        (b"[1, 2]", "an array"),
        (b"- a\n- b", "an array"),
        (b"42", "a number"),
        (b"null", "null"),
        (b"asyncapi: 3.0.0", "an AsyncAPI document"),
        (b'{"info": {}, "item": []}', "a Postman collection"),
        (b'{"_type": "export"}', "an Insomnia export"),
        (b'{"log": {"entries": []}}', "an HAR file"),
        (b'{"$schema": "x", "type": "object"}', "a JSON Schema"),
        (b'{"data": {"__schema": {}}}', "a GraphQL schema"),
        (b'{"formatVersion": 1, "tools": []}', "a Spark Work file"),
        (b'{"nbformat": 4}', "a notebook"),
        (b"paths: {}", "an API description without its version"),
        (b"{}", "neither openapi nor swagger"),
        (b"openapi: [3]", "the version must be a string, not an array"),
        (b"swagger: true", "the version must be a string, not a boolean"),
        (b"openapi: ''", "the version is empty"),
        (b"openapi: null", "the version must be a string, not null"),
        (b"openapi: 3.0.0\npaths: []", "paths must be an object, not an array"),
    ],
)
def test_a_paste_of_the_wrong_kind_is_told_what_it_is(data: bytes, words: str) -> None:
    error = refusal(data)
    assert type(error) is InvalidInputError
    assert words in error.message
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("openapi: 4.0.0", "OpenAPI 4.0.0 is not supported"),
        ("openapi: 3.2.0", "OpenAPI 3.2.0 is not supported"),
        ("openapi: 3.10.0", "OpenAPI 3.10.0 is not supported"),
        ("openapi: '2.0'", "OpenAPI 2.0 is not supported"),
        ("swagger: '1.2'", "Swagger 1.2 is not supported"),
        ("swagger: '3.0.0'", "Swagger 3.0.0 is not supported"),
        ('{"swaggerVersion": "1.2", "apis": []}', "Swagger 1.2 is not supported"),
    ],
)
def test_other_versions_are_named(text: str, words: str) -> None:
    error = refusal(text)
    assert type(error) is UnsupportedError
    assert words in error.message


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("openapi: 3.0.0", "3.0.0"),
        ("openapi: 3.1", "3.1"),
        ("openapi: '3.1.1'", "3.1.1"),
        ("openapi: 3.0.0-rc2", "3.0.0-rc2"),
        ("swagger: 2.0", "2.0"),
        ("swagger: '2.0'", "2.0"),
    ],
)
def test_versions_that_are_read(written: str, version: str) -> None:
    assert read_description(written).version == version


# ------------------------------------------------------------- acceptance example 40
def test_40_bombs_tags_and_33_mebibytes_are_refused_at_once(tmp_path: Path) -> None:
    trap = tmp_path / "executed"
    levels = "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]\n" for n in range(1, 9))
    documents: list[str | bytes] = [
        f"openapi: 3.0.3\na0: &a0 [x, x, x]\n{levels}paths: {{}}\n",
        f"openapi: 3.0.3\nx: !!python/object/apply:os.system ['touch {trap}']\n",
        b'{"openapi": "3.0.3", "x": "' + b"x" * (33 * 1024 * 1024) + b'"}',
    ]
    for document in documents:
        assert type(refusal(document)) is InvalidInputError
    assert not trap.exists()

    def all_of_them() -> None:
        for document in documents:
            refusal(document)

    assert cpu_seconds(all_of_them, runs=1) < 5


def parts_of_a_document() -> list[Any]:
    odd = [None, 1, "x", [], {}, [None], {"a": None}, {"$ref": 1}, {"$ref": "#/paths"}]
    places = ["info", "paths", "servers", "security", "components", "webhooks"]
    return [(place, value) for place in places for value in odd]


@pytest.mark.parametrize("form", [{"openapi": "3.1.0"}, {"swagger": "2.0"}])
@pytest.mark.parametrize(("place", "value"), parts_of_a_document())
def test_no_part_of_an_odd_kind_ends_in_a_crash(
    form: dict[str, Any], place: str, value: Any
) -> None:
    document = form | {"paths": {"/a": {"get": {}}}} | {place: value}
    try:
        read_description(json.dumps(document)).operations()
    except InvalidInputError as error:
        assert error.path == "paths"  # noqa: PT017  # most of them are read
