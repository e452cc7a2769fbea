"""Where references lead, and where they must not (ST-112)."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sparknb.core.errors import DeniedError, InvalidInputError, NotFoundError
from sparknb.importers.openapi.document import read_description
from sparknb.importers.openapi.model import Description, RefError

OUTSIDE = "EXTERNAL_REF"
NOWHERE = "UNRESOLVED_REF"
CIRCLE = "CIRCULAR_REF"


def described(
    schemas: Mapping[str, Any],
    *,
    version: str = "3.0.3",
    files: Mapping[str, str] | None = None,
    **more: Any,
) -> Description:
    root = {"openapi": version, "paths": {}, "components": {"schemas": schemas}}
    load = None if files is None else reader(files)
    return read_description(json.dumps(root), load=load, **more)


def reader(files: Mapping[str, str]) -> Callable[[str], bytes]:
    def load(path: str) -> bytes:
        if path not in files:
            raise NotFoundError(f"there is no file {path}")
        return files[path].encode()

    return load


def behind(description: Description, ref: str) -> Any:
    return description.resolve({"$ref": ref}, description.place).node


def flaw(description: Description, ref: str) -> str:
    with pytest.raises(RefError) as caught:
        behind(description, ref)
    assert "\n" not in caught.value.message
    return caught.value.reason


@pytest.mark.parametrize(
    ("key", "pointer"),
    [
        ("plain", "plain"),
        ("a/b", "a~1b"),
        ("a~b", "a~0b"),
        ("~1", "~01"),
        ("{id}", "%7Bid%7D"),
        ("{id}", "{id}"),
        ("a b", "a%20b"),
        ("a b", "a b"),
        ("a%b", "a%25b"),
        ("100%", "100%"),
        ("List«T»", "List%C2%ABT%C2%BB"),
        ("", ""),
        ("0", "0"),
        ("$ref", "$ref"),
    ],
)
def test_pointers_are_unescaped(key: str, pointer: str) -> None:
    description = described({key: {"type": "integer"}})
    found = behind(description, f"#/components/schemas/{pointer}")
    assert found == {"type": "integer"}


def test_pointers_lead_into_lists_and_through_other_references() -> None:
    schemas = {
        "list": {"allOf": [{"title": "first"}, {"$ref": "#/components/schemas/more"}]},
        "more": {"properties": {"x": {"title": "inner"}}},
    }
    description = described(schemas)
    at = "#/components/schemas/list/allOf"
    assert behind(description, f"{at}/0") == {"title": "first"}
    assert behind(description, f"{at}/1/properties/x") == {"title": "inner"}
    for wrong in ("2", "-1", "-", "01x", "١", "9" * 5_000):
        assert flaw(description, f"{at}/{wrong}") == NOWHERE


def test_what_is_no_reference_comes_back_as_it_is() -> None:
    description = described({})
    node: Any
    for node in (None, "x", 5, [], {}, {"$ref": {"type": "string"}}, {"$ref": None}):
        assert description.resolve(node, description.place).node is node


@pytest.mark.parametrize("ref", ["#/nothing", "#/components/schemas/none", "#anchor"])
def test_references_to_nothing(ref: str) -> None:
    assert flaw(described({}), ref) == NOWHERE


def test_references_in_a_circle() -> None:
    at = "#/components/schemas"
    schemas = {
        "self": {"$ref": f"{at}/self"},
        "a": {"$ref": f"{at}/b"},
        "b": {"$ref": f"{at}/a"},
        "through": {"$ref": f"{at}/through/x"},
    }
    description = described(schemas)
    for name in ("self", "a", "b", "through", "through/x"):
        assert flaw(description, f"{at}/{name}") == CIRCLE


def test_long_chains_of_references_are_followed_and_endless_ones_left() -> None:
    at = "#/components/schemas"
    chain: dict[str, Any] = {f"n{n}": {"$ref": f"{at}/n{n + 1}"} for n in range(900)}
    chain["n900"] = {"title": "end"}
    through = {f"t{n}": {"$ref": f"{at}/t{n + 1}/x"} for n in range(900)}
    description = described(chain | through)
    assert behind(description, f"{at}/n0") == {"title": "end"}
    assert flaw(description, f"{at}/t0/x") in (CIRCLE, NOWHERE)


def test_a_recursive_schema_is_no_circle() -> None:
    at = "#/components/schemas/node"
    description = described({"node": {"properties": {"next": {"$ref": at}}}})
    node = behind(description, at)
    again = description.resolve(node["properties"]["next"], description.place).node
    assert again is node


@pytest.mark.parametrize(
    "ref",
    [
        "http://api.test/x.yaml#/a",
        "https://user:hunter2@api.test/x?token=hunter2#/a",
        "//api.test/x.yaml",
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "/etc/passwd",
        "//etc/passwd",
        "../../etc/passwd",
        "%2e%2e/secret.yaml",
        "a/../../secret.yaml",
        "..",
        "..\\secret.yaml",
        "C:\\secret.yaml",
        "C:/secret.yaml",
        "~/secret.yaml",
        "a.yaml?x=1",
        "a\0.yaml",
        "http://[::1/x",
        "data:application/json,{}",
    ],
)
def test_nothing_outside_of_the_folder_is_asked_for(ref: str) -> None:
    def load(path: str) -> bytes:
        raise AssertionError(path)

    root = {"openapi": "3.0.0", "paths": {}}
    description = read_description(json.dumps(root), load=load)
    with pytest.raises(RefError) as caught:
        behind(description, ref)
    assert caught.value.reason == OUTSIDE
    assert "hunter2" not in caught.value.message


def test_text_and_addresses_have_no_other_files() -> None:
    assert flaw(described({}), "a.yaml") == OUTSIDE
    described_there = described({}, url="https://api.test/v1/openapi.json")
    assert flaw(described_there, "a.yaml") == OUTSIDE


def test_a_document_may_call_itself_by_its_name_or_address() -> None:
    schemas = {"a": {"title": "a"}}
    pointer = "#/components/schemas/a"
    by_name = described(schemas, files={}, name="/some/where/api.yaml")
    assert behind(by_name, f"api.yaml{pointer}") == {"title": "a"}
    assert behind(by_name, f"./api.yaml{pointer}") == {"title": "a"}
    url = "https://api.test/v1/openapi.json"
    by_address = described(schemas, url=url)
    assert behind(by_address, f"{url}{pointer}") == {"title": "a"}
    assert behind(by_address, f"openapi.json{pointer}") == {"title": "a"}


def test_files_of_the_folder_refer_to_each_other_from_where_they_are() -> None:
    files = {
        "parts/pet.yaml": "Pet: {$ref: '../common/name.json#/Name'}\n"
        "Own: {$ref: '#/X'}\nX: {title: x}\n"
        "Back: {$ref: '../api.yaml#/components/schemas/a'}",
        "common/name.json": '{"Name": {"title": "name"}}',
        "whole.yaml": "title: whole",
        "with space.yaml": "title: space",
        "empty.yaml": "",
    }
    description = described({"a": {"title": "a"}}, files=files, name="api.yaml")
    assert behind(description, "parts/pet.yaml#/Pet") == {"title": "name"}
    assert behind(description, "parts/pet.yaml#/Own") == {"title": "x"}
    assert behind(description, "parts/pet.yaml#/Back") == {"title": "a"}
    assert behind(description, "./parts/../whole.yaml") == {"title": "whole"}
    assert behind(description, "whole.yaml#") == {"title": "whole"}
    assert behind(description, "with%20space.yaml") == {"title": "space"}
    assert behind(description, "empty.yaml") is None
    assert flaw(description, "empty.yaml#/x") == NOWHERE
    assert flaw(description, "none.yaml#/x") == NOWHERE


def test_a_node_of_another_file_says_what_its_references_count_from() -> None:
    files = {"parts/pet.yaml": "Pet: {items: {$ref: '#/X'}}\nX: {title: x}"}
    description = described({}, files=files)
    found = description.resolve({"$ref": "parts/pet.yaml#/Pet"}, description.place)
    inner = description.resolve(found.node["items"], found.place)
    assert inner.node == {"title": "x"}


def test_what_the_reader_of_files_refuses_is_told() -> None:
    def load(path: str) -> bytes:
        if path == "link.yaml":
            raise DeniedError("it leads out of the folder")
        raise PermissionError

    root = {"openapi": "3.0.0", "paths": {}}
    description = read_description(json.dumps(root), load=load)
    assert flaw(description, "link.yaml") == OUTSIDE
    assert flaw(description, "closed.yaml") == NOWHERE


def test_a_broken_file_spoils_only_what_refers_to_it() -> None:
    files = {
        "broken.yaml": "a: [",
        "python.yaml": "!!python/name:os.system",
        "x": "a: 1",
    }
    description = described({}, files=files)
    assert flaw(description, "broken.yaml") == NOWHERE
    assert flaw(description, "python.yaml") == NOWHERE
    assert behind(description, "x#/a") == 1


def test_at_most_two_hundred_files_are_read_and_each_once() -> None:
    asked: list[str] = []

    def load(path: str) -> bytes:
        asked.append(path)
        return b"title: x"

    root = {"openapi": "3.0.0", "paths": {}}
    description = read_description(json.dumps(root), load=load)
    for _ in range(2):
        for number in range(200):
            assert behind(description, f"f{number}.yaml") == {"title": "x"}
        assert flaw(description, "f200.yaml") == OUTSIDE
    assert len(asked) == 200


def test_all_files_share_one_limit_of_values() -> None:
    text = "[" + "1," * 200_000 + "1]"
    description = described({}, files=dict.fromkeys("abc", text))
    assert len(behind(description, "a")) == 200_001
    assert len(behind(description, "b")) == 200_001
    assert flaw(description, "c") == NOWHERE


# OpenAPI 3.1: what stands beside $ref counts, and schemas have names of their own.
def test_what_stands_beside_a_reference_counts_from_3_1_on() -> None:
    schemas = {"a": {"type": "string", "description": "of a", "maxLength": 5}}
    node = {"$ref": "#/components/schemas/a", "description": "own", "default": "x"}
    old = described(schemas)
    assert old.resolve(node, old.place).node == schemas["a"]
    new = described(schemas, version="3.1.0")
    found = new.resolve(node, new.place).node
    expected = schemas["a"] | {"description": "own", "default": "x"}
    assert found == expected
    assert new.resolve(node, new.place).node is found


def test_rules_beside_a_reference_are_joined_with_it() -> None:
    description = described({"a": {"type": "string"}}, version="3.1.0")
    node = {"$ref": "#/components/schemas/a", "maxLength": 3}
    found = description.resolve(node, description.place)
    assert found.node == {
        "allOf": [{"$ref": "#/components/schemas/a"}, {"maxLength": 3}]
    }
    assert found.place == description.place


def test_beside_a_reference_to_a_parameter_only_its_texts_count() -> None:
    parameter = {"name": "q", "in": "query", "description": "of q"}
    description = described({"q": parameter}, version="3.1.0")
    node = {"$ref": "#/components/schemas/q", "description": "own", "required": True}
    found = description.resolve(node, description.place).node
    assert found == parameter | {"description": "own"}


def test_a_circle_is_a_circle_whatever_stands_beside_it() -> None:
    node = {"$ref": "#/components/schemas/a", "type": "object"}
    assert flaw(described({"a": node}, version="3.1.0"), node["$ref"]) == CIRCLE


def test_anchors_and_ids_of_schemas_are_found() -> None:
    schemas = {
        "a": {"$anchor": "named", "title": "a", "$defs": {"x": {"title": "x"}}},
        "b": {
            "$id": "https://schemas.test/b",
            "title": "b",
            "$defs": {"y": {"$anchor": "inner", "title": "y"}},
            "allOf": [{"$ref": "#/$defs/y"}, {"$ref": "#inner"}],
        },
    }
    description = described(schemas, version="3.1.0")
    assert behind(description, "#named")["title"] == "a"
    assert behind(description, "#/components/schemas/a/$defs/x") == {"title": "x"}
    assert behind(description, "https://schemas.test/b")["title"] == "b"
    assert behind(description, "https://schemas.test/b#/$defs/y")["title"] == "y"
    found = description.resolve({"$ref": "#/components/schemas/b"}, description.place)
    for node in found.node["allOf"]:
        assert description.resolve(node, found.place).node["title"] == "y"
    at_root = {"$ref": "#/components/schemas/a"}
    assert description.resolve(at_root, found.place).node["title"] == "a"
    assert flaw(description, "https://schemas.test/other") == OUTSIDE


def test_paths_that_are_a_broken_reference_are_refused() -> None:
    text = '{"openapi": "3.0.0", "paths": {"$ref": "https://api.test/paths.yaml"}}'
    with pytest.raises(InvalidInputError) as caught:
        read_description(text)
    assert caught.value.path == "paths"


def test_a_file_that_is_refused_takes_nothing_from_those_after_it() -> None:
    bomb = "".join(
        f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 10)}]\n" for n in range(1, 8)
    )
    files = {"bomb.yaml": f"k0: &k0 x\n{bomb}", "good.yaml": "type: string\n"}
    description = described({}, files=files)
    assert flaw(description, "bomb.yaml") == NOWHERE
    assert behind(description, "good.yaml") == {"type": "string"}
