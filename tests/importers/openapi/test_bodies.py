"""Bodies: by media type, member by member or as one text."""

import json
from typing import Any

import pytest

from sparknb.importers.openapi import Draft, import_operations
from tests.costs import cpu_seconds
from tests.importers.openapi.documents import (
    described,
    draft_of,
    messages,
    parameter,
    skip_of,
)

XML = "application/soap+xml; charset=utf-8"
FORM = "application/x-www-form-urlencoded"
FLAT = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "description": "Its name."},
        "tags": {"type": "array", "items": {"type": "integer"}},
    },
}
NESTED = {"type": "object", "properties": {"a": {"type": "object"}}}


def made_of(schema: Any, media_type: str = "application/json", **body: Any) -> Draft:
    """Give the tool of a POST whose body has this schema."""
    return draft_of(post(schema, media_type, **body), method="post", version="3.1.0")


def post(schema: Any, media_type: str = "application/json", **body: Any) -> Any:
    media = {"schema": schema} | body.pop("media", {})
    return {"requestBody": {"content": {media_type: media}} | body}


def properties_of(made: Draft) -> dict[str, Any]:
    return dict(made.definition["inputSchema"]["properties"])


def required_of(made: Draft) -> list[str]:
    return list(made.definition["inputSchema"].get("required", []))


def body_of(made: Draft) -> dict[str, Any]:
    return dict(made.definition["spec"]["request"]["body"])


# ------------------------------------------------------------------------ flat JSON
def test_members_of_a_flat_object_are_parameters() -> None:
    made = made_of(FLAT)
    assert properties_of(made) == {
        "name": {"type": "string", "description": "Its name."},
        "tags": {"type": "array", "items": {"type": "integer"}},
    }
    template = '{"name": {{name}}, "tags": {{tags}} }'
    assert body_of(made) == {"mode": "json", "jsonTemplate": template}
    assert "headers" not in made.definition["spec"]["request"]


def test_what_the_schema_requires_is_required_whatever_the_body_is() -> None:
    assert required_of(made_of(FLAT, required=False)) == ["name"]
    optional = {k: v for k, v in FLAT.items() if k != "required"}
    assert required_of(made_of(optional, required=True)) == []


def test_a_member_that_clashes_with_a_parameter_gets_its_place() -> None:
    node = post(FLAT) | {"parameters": [parameter("name")]}
    made = draft_of(node, method="post")
    assert list(properties_of(made)) == ["name", "name_body", "tags"]
    assert '"name": {{name_body}}' in body_of(made)["jsonTemplate"]


def test_read_only_members_are_not_sent() -> None:
    schema = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "name": {"type": "string"},
            "word": {"type": "string", "writeOnly": True},
            "old": {"allOf": [{"type": "string"}, {"readOnly": True}]},
        },
    }
    made = made_of(schema)
    assert list(properties_of(made)) == ["name", "word"]
    assert required_of(made) == ["name"]


def test_a_required_member_that_is_not_described_can_be_given() -> None:
    schema = {"required": ["b"], "properties": {"a": {"type": "boolean"}}}
    made = made_of(schema)
    assert properties_of(made) == {"a": {"type": "boolean"}, "b": {"type": "string"}}
    assert required_of(made) == ["b"]


def test_odd_member_names_stay_as_they_are() -> None:
    names = ['quo"te', "{{x}}", "back\\slash", "line\nend", "ü", "", "}}"]
    schema = {"type": "object", "properties": {name: {} for name in names}}
    made = made_of(schema)
    template = body_of(made)["jsonTemplate"]
    for name in properties_of(made):
        template = template.replace(f"{{{{{name}}}}}", "1")
    assert json.loads(template) == dict.fromkeys(names, 1)


def test_all_of_is_merged() -> None:
    schemas = {
        "Named": {"type": "object", "properties": {"name": {"type": "string"}}},
        "Sized": {"required": ["name"], "properties": {"size": {"type": "number"}}},
    }
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/Named"},
            {"$ref": "#/components/schemas/Sized"},
            {"properties": {"name": {"description": "Its name.", "enum": ["a", "b"]}}},
        ]
    }
    made = draft_of(post(schema), method="post", components={"schemas": schemas})
    assert properties_of(made) == {
        "name": {"type": "string", "enum": ["a", "b"], "description": "Its name."},
        "size": {"type": "number"},
    }
    assert required_of(made) == ["name"]


def test_members_that_all_of_contradicts_make_it_one_text() -> None:
    schema = {
        "allOf": [
            {"properties": {"a": {"type": "string"}}},
            {"properties": {"a": {"type": "integer"}}},
        ]
    }
    assert list(properties_of(made_of(schema))) == ["body"]


# ------------------------------------------------------------------------ one text
@pytest.mark.parametrize(
    ("schema", "summary"),
    [
        (NESTED, "{a?: {…: any}}"),
        ({"type": "array", "items": {"type": "string"}}, "[string]"),
        ({"type": "string"}, "string"),
        ({}, "any"),
        (None, "any"),
        ({"type": "object"}, "{…: any}"),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            "{…: integer}",
        ),
        (
            FLAT | {"additionalProperties": {"type": "string"}},
            "{name: string, tags?: [integer], …}",
        ),
        (
            {"oneOf": [FLAT, {"type": "integer"}, {"type": "null"}]},
            "{name: string, tags?: [integer]} | integer | null",
        ),
        (
            FLAT | {"anyOf": [{"required": ["tags"]}]},
            "{name: string, tags?: [integer]}",
        ),
        (
            {"properties": {"a": {"anyOf": [{"type": "string"}, FLAT]}, "b": {}}},
            "{a?: string | {name: string, tags?: [integer]}, b?: any}",
        ),
        (
            {"properties": {"a": {"type": "array", "items": FLAT}}},
            "{a?: [{name: string, tags?: [integer]}]}",
        ),
        (
            {"properties": {"o": NESTED, "e": {"enum": ["x", "y"]}}},
            '{o?: {a?: {…: any}}, e?: "x" | "y"}',
        ),
        ({"properties": {"id": {"readOnly": True}}}, "{…: any}"),
        (
            {"properties": {"kids": {"items": {"$dynamicRef": "#node"}}}},
            "{kids?: [any]}",
        ),
        (FLAT | {"patternProperties": {"^x-": {}}}, "{name: string, tags?: [integer]}"),
    ],
)
def test_anything_else_is_one_json_text_with_a_summary(
    schema: Any, summary: str
) -> None:
    made = made_of(schema, required=True)
    assert properties_of(made) == {
        "body": {"type": "string", "description": f"JSON text of the form {summary}"}
    }
    assert body_of(made) == {"mode": "json", "jsonTemplate": "{{body | json}}"}
    assert required_of(made) == ["body"]
    assert required_of(made_of(schema)) == []


def test_the_description_of_the_body_stands_in_front() -> None:
    made = made_of(NESTED, description="All about it")
    said = properties_of(made)["body"]["description"]
    assert said == "All about it. JSON text of the form {a?: {…: any}}"
    long = made_of(NESTED | {"description": "word " * 500})
    said = properties_of(long)["body"]["description"]
    assert "word… JSON text of the form {a?" in said
    assert len(said) <= 1000


def test_a_recursive_schema_is_one_text() -> None:
    schemas = {
        "Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Node"},
                },
            },
        }
    }
    node = post({"$ref": "#/components/schemas/Node"})
    made = draft_of(node, method="post", components={"schemas": schemas})
    said = properties_of(made)["body"]["description"]
    assert said == "JSON text of the form {name?: string, children?: [Node]}"


@pytest.mark.parametrize(
    "loop",
    [
        {"allOf": [{"$ref": "#/components/schemas/Loop"}]},
        {"anyOf": [{"$ref": "#/components/schemas/Loop"}, {"type": "null"}]},
        {"oneOf": [{"$ref": "#/components/schemas/Loop"}] * 30},
        {"type": "array", "items": {"$ref": "#/components/schemas/Loop"}},
        {"properties": {"a": {"$ref": "#/components/schemas/Loop"}}},
        {"additionalProperties": {"$ref": "#/components/schemas/Loop"}},
    ],
)
def test_schemas_that_name_themselves_end(loop: Any) -> None:
    node = post({"$ref": "#/components/schemas/Loop"})
    made = draft_of(node, method="post", components={"schemas": {"Loop": loop}})
    assert list(properties_of(made)) == ["body"]


def test_a_web_of_schemas_costs_what_is_shown() -> None:
    ref = "#/components/schemas/S"
    schemas = {
        f"S{n}": {
            "oneOf": [{"$ref": f"{ref}{(n * 7 + k) % 200}"} for k in range(40)],
            "properties": {
                f"p{k}": {"$ref": f"{ref}{(n + k) % 200}"} for k in range(40)
            },
        }
        for n in range(200)
    }
    node = post({"$ref": f"{ref}0"})
    made = draft_of(node, method="post", components={"schemas": schemas})
    assert len(properties_of(made)["body"]["description"]) <= 1000


def test_a_huge_schema_that_many_operations_share_is_looked_at_once() -> None:
    ref = "#/components/schemas"
    schemas: dict[str, Any] = {
        "Values": {"enum": [f"value {n}" for n in range(20_000)]},
        "Choice": {"oneOf": [{"const": n} for n in range(5_000)]},
        "Wide": {"properties": {f"p{n}": {} for n in range(5_000)}},
    }
    schemas["All"] = {
        "properties": {name: {"$ref": f"{ref}/{name}"} for name in list(schemas)}
    }
    given = [parameter("q", schema={"$ref": f"{ref}/Values"})]
    node = post({"$ref": f"{ref}/All"}) | {"parameters": given}
    paths = {f"/p{n}": {"post": node} for n in range(100)}
    description = described(paths, components={"schemas": schemas})
    assert cpu_seconds(lambda: import_operations(description), runs=1) < 2


def test_a_chain_of_references_is_followed_however_long() -> None:
    ref = "#/components/schemas/S"
    schemas: dict[str, Any] = {
        f"S{n}": {"allOf": [{"$ref": f"{ref}{n + 1}"}]} for n in range(400)
    }
    schemas["S400"] = FLAT
    node = post({"$ref": f"{ref}0"})
    made = draft_of(node, method="post", components={"schemas": schemas})
    assert list(properties_of(made)) == ["name", "tags"]
    schemas |= {
        f"S{n}": {"allOf": [{"$ref": f"{ref}{n + 1}"}]} for n in range(400, 900)
    }
    far = draft_of(node, method="post", components={"schemas": schemas})
    assert list(properties_of(far)) == ["body"]


@pytest.mark.parametrize(
    ("ref", "reason"),
    [
        ("other.yaml", "EXTERNAL_REF"),
        ("#/components/schemas/None", "UNRESOLVED_REF"),
        ("#/components/schemas/Self", "CIRCULAR_REF"),
    ],
)
def test_a_reference_that_leads_nowhere_is_a_skip(ref: str, reason: str) -> None:
    schemas = {"Self": {"$ref": "#/components/schemas/Self"}}
    broken = {"$ref": ref}
    for schema in (broken, {"properties": {"a": broken}}, {"items": broken}):
        skip = skip_of(post(schema), method="post", components={"schemas": schemas})
        assert skip.reason == reason


# --------------------------------------------------------------------- media types
@pytest.mark.parametrize(
    ("types", "mode", "sent"),
    [
        (["text/plain", FORM, "application/json"], "json", None),
        (["application/xml", "text/vnd.a+json"], "json", "text/vnd.a+json"),
        (["application/json; charset=utf-8"], "json", None),
        (["APPLICATION/JSON"], "json", "APPLICATION/JSON"),
        (["multipart/form-data", FORM], "form", None),
        (["image/png", "text/csv"], "text", "text/csv"),
        ([XML], "text", XML),
        (["text/*"], "text", "text/plain"),
        (["multipart/form-data", "*/*"], "json", None),
    ],
)
def test_the_best_media_type_is_taken(
    types: list[str], mode: str, sent: str | None
) -> None:
    content = {media_type: {"schema": FLAT} for media_type in types}
    made = draft_of({"requestBody": {"content": content}}, method="post")
    body = body_of(made)
    assert body["mode"] == mode
    headers = made.definition["spec"]["request"].get("headers", [])
    if mode == "text":
        assert body["contentType"] == sent
        assert body["template"] == "{{body}}"
        assert headers == []
    elif sent is not None:
        assert headers == [{"name": "Content-Type", "valueTemplate": sent}]
    else:
        assert headers == []


@pytest.mark.parametrize(
    "media_type",
    ["multipart/form-data", "application/octet-stream", "image/*", "", "json"],
)
def test_other_media_types_are_left_out_or_a_skip(media_type: str) -> None:
    made = made_of(FLAT, media_type)
    assert "body" not in made.definition["spec"]["request"]
    assert "the optional body is left out" in messages(made)[0]
    skip = skip_of(post(FLAT, media_type, required=True), method="post")
    assert skip.reason == "UNSUPPORTED_BODY"
    assert media_type in skip.message


@pytest.mark.parametrize("method", ["get", "delete"])
def test_get_and_delete_send_no_body(method: str) -> None:
    made = draft_of(post(FLAT), method=method)
    assert "body" not in made.definition["spec"]["request"]
    assert "are sent without one" in messages(made)[0]
    skip = skip_of(post(FLAT, required=True), method=method)
    assert skip.reason == "UNSUPPORTED_BODY"


# -------------------------------------------------------------------------- forms
def test_fields_of_a_form_are_parameters() -> None:
    made = made_of(FLAT, FORM)
    assert body_of(made) == {
        "mode": "form",
        "fields": [
            {"name": "name", "valueTemplate": "{{name}}"},
            {"name": "tags", "valueTemplate": "{{tags | repeat}}"},
        ],
    }
    assert required_of(made) == ["name"]


def test_a_field_named_like_a_secret_is_a_parameter() -> None:
    made = made_of({"properties": {"password": {"type": "string"}}}, FORM)
    assert list(properties_of(made)) == ["password"]


def test_fields_that_cannot_be_sent_are_left_out_or_a_skip() -> None:
    properties = {
        "ok": {"type": "string"},
        "deep": NESTED,
        "piped": {"type": "array", "items": {"type": "string"}},
        "n" * 129: {"type": "string"},
        "{{x}}": {"type": "string"},
    }
    media = {"encoding": {"piped": {"style": "pipeDelimited"}}}
    made = made_of({"properties": properties}, FORM, media=media)
    assert list(properties_of(made)) == ["ok"]
    assert len(messages(made)) == 4
    for name in list(properties)[1:]:
        schema = {"properties": properties, "required": [name]}
        node = post(schema, FORM, media=media, required=True)
        assert skip_of(node, method="post").reason == "UNSUPPORTED_BODY"


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"type": "object"}, NESTED])
def test_a_form_that_names_no_fields_cannot_be_sent(schema: Any) -> None:
    assert "left out" in messages(made_of(schema, FORM))[-1]
    node = post(schema, FORM, required=True)
    assert skip_of(node, method="post").reason == "UNSUPPORTED_BODY"


def test_an_open_form_sends_what_it_lists_and_says_so() -> None:
    made = made_of(FLAT | {"additionalProperties": {"type": "string"}}, FORM)
    assert list(properties_of(made)) == ["name", "tags"]
    assert "more fields than it lists" in messages(made)[0]


# ------------------------------------------------------------------------- limits
def test_a_body_of_many_members_becomes_one_text_before_others_are_dropped() -> None:
    schema = {"properties": {f"m{n}": {"type": "string"} for n in range(31)}}
    given = [parameter("a", required=True), parameter("b")]
    node = post(schema, required=True) | {"parameters": given}
    made = draft_of(node, method="post")
    assert list(properties_of(made)) == ["a", "b", "body"]
    assert required_of(made) == ["a", "body"]
    assert "too many members" in messages(made)[0]
    node["parameters"] = given[:1]
    assert len(properties_of(draft_of(node, method="post"))) == 32


def test_fields_of_a_form_count_like_parameters() -> None:
    schema = {"properties": {f"f{n}": {"type": "string"} for n in range(40)}}
    made = made_of(schema, FORM)
    assert list(properties_of(made)) == [f"f{n}" for n in range(32)]
    assert "body member 'f39'" in messages(made)[0]
    required = schema | {"required": [f"f{n}" for n in range(33)]}
    assert skip_of(post(required, FORM), method="post").reason == "TOO_MANY_PARAMETERS"


def test_a_template_that_is_too_long_is_skipped() -> None:
    schema: dict[str, Any] = {"properties": {"n" * 60_000: {}, "m" * 60_000: {}}}
    assert skip_of(post(schema), method="post").reason == "TOO_LONG"
