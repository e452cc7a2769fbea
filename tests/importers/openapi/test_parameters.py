"""Which parameters a tool gets, how they are named, typed and described."""

from typing import Any

import pytest

from sparknb.importers.openapi import import_operations
from tests.costs import cpu_seconds
from tests.importers.openapi.documents import (
    described,
    draft_of,
    imported,
    messages,
    parameter,
    skip_of,
)

STRINGS = {"type": "array", "items": {"type": "string"}}
DEEP = {"type": "array", "items": STRINGS}
FLAT = {"type": "object", "properties": {"k": {"type": "string"}}}
KEY = "sk-proj-" + "FAKEfake" * 5


def schema_of(schema: Any, **more: Any) -> dict[str, Any]:
    """Give what an optional query parameter of a schema is declared as."""
    made = draft_of({"parameters": [parameter("p", schema=schema)]}, **more)
    properties = made.definition["inputSchema"]["properties"]
    return dict(properties["p"])


def wire_of(*parameters: dict[str, Any], path: str = "/things") -> dict[str, Any]:
    return dict(draft_of({"parameters": list(parameters)}, path).definition)


# -------------------------------------------------------------------------- names
def test_operation_parameters_override_those_of_the_path() -> None:
    item = {
        "parameters": [
            parameter("q", required=True, description="of the path"),
            parameter("q", "header"),
            parameter("id", "path"),
        ],
        "get": {"parameters": [parameter("q", schema={"type": "integer"})]},
    }
    [made] = imported({"/things/{id}": item}).drafts
    schema = made.definition["inputSchema"]
    assert schema["properties"] == {
        "q": {"type": "integer"},
        "q_header": {"type": "string"},
        "id": {"type": "string"},
    }
    assert schema["required"] == ["id"]


def test_names_are_made_fit_and_wire_names_stay() -> None:
    made = wire_of(
        parameter("page[size]"),
        parameter("2nd"),
        parameter("X-Thing", "header"),
        parameter("ä", "query"),
        parameter("a b&c=d"),
    )
    names = list(made["inputSchema"]["properties"])
    assert names == ["page_size_", "_2nd", "X_Thing", "_", "a_b_c_d"]
    request = made["spec"]["request"]
    assert request["urlTemplate"].endswith(
        "?page%5Bsize%5D={{page_size_}}&2nd={{_2nd}}&%C3%A4={{_}}"
        "&a%20b%26c%3Dd={{a_b_c_d}}"
    )
    assert request["headers"] == [{"name": "X-Thing", "valueTemplate": "{{X_Thing}}"}]


def test_a_clash_of_names_is_solved_by_the_place_then_by_a_number() -> None:
    given = [
        parameter("a-b", "header"),
        parameter("a_b"),
        parameter("a.b"),
        parameter("a b"),
        parameter("a_b", "path"),
    ]
    made = wire_of(*given, path="/x/{a_b}")
    names = list(made["inputSchema"]["properties"])
    assert names == ["a_b_header", "a_b_query", "a_b_query_2", "a_b_query_3", "a_b"]
    assert "/x/{{a_b}}?a_b={{a_b_query}}" in made["spec"]["request"]["urlTemplate"]


def test_names_have_at_most_64_characters() -> None:
    long = "n" * 90
    made = wire_of(parameter(long), parameter(long + "x"), parameter(long, "header"))
    names = list(made["inputSchema"]["properties"])
    assert [len(name) for name in names] == [64, 64, 64]
    assert len(set(names)) == 3


# -------------------------------------------------------------------------- types
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, {"type": "string"}),
        ({"type": "integer", "format": "int64"}, {"type": "integer"}),
        ({"type": "boolean"}, {"type": "boolean"}),
        ({}, {"type": "string"}),
        (None, {"type": "string"}),
        (True, {"type": "string"}),
        ({"type": "date"}, {"type": "string"}),
        ({"type": ["string", "integer"]}, {"type": "string"}),
        ({"type": ["integer", "number"]}, {"type": "number"}),
        (
            {"oneOf": [{"type": "integer"}, {"type": "boolean"}]},
            {"type": "string"},
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "integer"}]}, {"type": "integer"}),
        (
            {"anyOf": [{"enum": ["a"]}, {"const": "b"}]},
            {"type": "string", "enum": ["a", "b"]},
        ),
        (
            {"type": "string", "oneOf": [{"const": "a"}, {"const": "b"}]},
            {"type": "string", "enum": ["a", "b"]},
        ),
        ({"type": "integer", "anyOf": [{"minimum": 3}]}, {"type": "integer"}),
        ({"enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
        ({"const": "only"}, {"type": "string", "enum": ["only"]}),
        ({"type": "number", "enum": [1, 2.5]}, {"type": "number", "enum": [1, 2.5]}),
        (
            {"type": "string", "enum": ["a", "a", "b"]},
            {"type": "string", "enum": ["a", "b"]},
        ),
        (
            {"allOf": [{"type": "number"}, {"type": "integer"}]},
            {"type": "integer"},
        ),
        (
            {"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
            {"type": "string", "enum": ["b"]},
        ),
        (
            {"items": {"type": "integer"}},
            {"type": "array", "items": {"type": "integer"}},
        ),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        (
            {"type": "array", "items": {"oneOf": [{"type": "integer"}]}},
            {"type": "array", "items": {"type": "integer"}},
        ),
    ],
)
def test_types_are_those_of_the_schema(schema: Any, expected: dict[str, Any]) -> None:
    assert schema_of(schema, version="3.1.0") == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"type": "integer"}]},
        {"type": "integer", "nullable": True},
        {"anyOf": [{"type": "integer", "nullable": True}]},
        {"anyOf": [{"type": "integer"}, {"const": None}]},
    ],
)
def test_null_cannot_be_sent_and_that_is_said(schema: dict[str, Any]) -> None:
    given = schema | {"description": "How many."}
    assert schema_of(given, version="3.1.0") == {
        "type": "integer",
        "description": "How many. (null cannot be sent)",
    }


@pytest.mark.parametrize(
    ("schema", "type_", "said"),
    [
        ({"type": "integer", "default": 20}, "integer", "Default: 20."),
        ({"default": "x\u202ey"}, "string", 'Default: "xy".'),
        ({"type": "string", "format": "date"}, "string", "Format: date."),
        (
            {"type": "integer", "minimum": 1, "maximum": 100},
            "integer",
            "At least 1. At most 100.",
        ),
        ({"enum": ["a", 1, True]}, "string", 'One of: "a", 1, true.'),
        ({"type": "boolean", "enum": [True]}, "boolean", "One of: true."),
        ({"type": "string", "enum": [1, 2]}, "string", "One of: 1, 2."),
        (
            {"type": "array", "items": {"enum": ["a", "b"]}},
            "array",
            'Each one of: "a", "b".',
        ),
        ({"enum": ["a", None]}, "string", "(null cannot be sent)"),
    ],
)
def test_what_cannot_be_declared_is_said(
    schema: dict[str, Any], type_: str, said: str
) -> None:
    made = schema_of(schema)
    assert made["type"] == type_
    assert made["description"] == said
    assert "default" not in made


def test_a_long_enum_is_listed_in_the_description() -> None:
    fifty, more = ([f"v{n}" for n in range(count)] for count in (50, 51))
    assert schema_of({"enum": fifty})["enum"] == fifty
    made = schema_of({"enum": more})
    assert "enum" not in made
    assert made["description"].startswith('One of: "v0", "v1"')
    long = schema_of({"enum": ["x" * 201]})
    assert "enum" not in long
    assert len(schema_of({"enum": ["y" * 900] * 3})["description"]) <= 1000


def test_secrets_in_defaults_enums_and_texts_are_not_kept() -> None:
    made = draft_of(
        {
            "description": f"Send {KEY}",
            "parameters": [
                parameter("a", schema={"default": KEY, "enum": [KEY, "b"]}),
                parameter("b", description=f"like {KEY}", example=KEY),
            ],
        }
    )
    assert KEY not in str(made.to_wire())


def test_the_description_of_the_parameter_goes_before_that_of_its_schema() -> None:
    schema = {"type": "string", "description": "of the schema"}
    given = [
        parameter("a", schema=schema, description="of the parameter"),
        parameter("b", schema=schema, deprecated=True),
    ]
    properties = wire_of(*given)["inputSchema"]["properties"]
    assert properties["a"]["description"] == "of the parameter"
    assert properties["b"]["description"] == "Deprecated. of the schema"


def test_a_parameter_of_a_media_type_is_one_text() -> None:
    content = {"application/json": {"schema": FLAT}}
    made = wire_of(parameter("filter", content=content))
    assert made["inputSchema"]["properties"]["filter"] == {
        "type": "string",
        "description": "Text of the type application/json.",
    }
    assert made["spec"]["request"]["urlTemplate"].endswith("?filter={{filter}}")


# ------------------------------------------------------------------- objects
def test_properties_of_a_deep_object_are_parameters() -> None:
    schema = {
        "type": "object",
        "required": ["k"],
        "properties": {"k": {"type": "string"}, "n": {"type": "integer"}},
    }
    given = parameter("f", schema=schema, style="deepObject", required=True)
    made = wire_of(given)
    assert list(made["inputSchema"]["properties"]) == ["f_k", "f_n"]
    assert made["inputSchema"]["required"] == ["f_k"]
    url = made["spec"]["request"]["urlTemplate"]
    assert url.endswith("?f%5Bk%5D={{f_k}}&f%5Bn%5D={{f_n}}")


def test_properties_of_an_optional_object_are_optional() -> None:
    schema = FLAT | {"required": ["k"]}
    made = wire_of(parameter("f", schema=schema))
    assert "required" not in made["inputSchema"]
    assert made["spec"]["request"]["urlTemplate"].endswith("?k={{k}}")


# ---------------------------------------------------------------- what is left out
UNFIT = [
    ("query", {"schema": FLAT, "style": "form", "explode": False}),
    ("query", {"schema": FLAT, "style": "spaceDelimited"}),
    ("query", {"schema": FLAT, "style": "pipeDelimited", "explode": True}),
    ("query", {"schema": STRINGS, "style": "deepObject"}),
    ("query", {"schema": {"type": "string"}, "style": "deepObject"}),
    ("query", {"schema": {"type": "object"}, "style": "deepObject"}),
    ("query", {"schema": {"type": "object"}}),
    ("query", {"schema": DEEP}),
    ("query", {"schema": {"type": "array", "items": FLAT}}),
    ("query", {"schema": {"type": "array", "prefixItems": [{}]}}),
    ("query", {"schema": {"anyOf": [{"type": "string"}, STRINGS]}}),
    ("query", {"schema": {"type": ["string", "array"]}}),
    ("query", {"schema": {"type": "null"}}),
    ("query", {"schema": False}),
    ("query", {"schema": {"allOf": [{"type": "string"}, {"type": "integer"}]}}),
    ("query", {"schema": FLAT | {"additionalProperties": {"type": "string"}}}),
    ("query", {"schema": FLAT | {"anyOf": [{"required": ["k"]}]}}),
    ("query", {"schema": {"type": "object", "properties": {"k": STRINGS}}}),
    ("query", {"style": "tabDelimited"}),
    ("query", {"style": "simple"}),
    ("header", {"schema": FLAT}),
    ("header", {"style": "form"}),
    ("header", {"schema": DEEP}),
    ("header", {"name": "has blank"}),
    ("header", {"name": "Host"}),
    ("header", {"name": "Transfer-Encoding"}),
    ("body", {}),
    ("formData", {}),
    ("elsewhere", {}),
]


@pytest.mark.parametrize(("where", "more"), UNFIT)
def test_what_cannot_be_sent_is_left_out_or_a_reason_to_skip(
    where: str, more: dict[str, Any]
) -> None:
    given = parameter("p", where) | more
    made = draft_of({"parameters": [given, parameter("other")]}, version="3.1.0")
    assert list(made.definition["inputSchema"]["properties"]) == ["other"]
    [told] = messages(made)
    assert f"'{given['name']}'" in told
    assert "left out" in told
    skip = skip_of({"parameters": [given | {"required": True}]}, version="3.1.0")
    assert skip.reason == "UNSUPPORTED_PARAMETER"
    assert f"'{given['name']}'" in skip.message


@pytest.mark.parametrize(
    "more",
    [
        {"schema": FLAT},
        {"schema": FLAT, "explode": True},
        {"schema": STRINGS, "style": "label"},
        {"schema": STRINGS, "style": "matrix", "explode": True},
        {"schema": FLAT, "style": "label"},
        {"schema": FLAT, "style": "matrix"},
        {"style": "form"},
    ],
)
def test_a_path_parameter_is_always_required(more: dict[str, Any]) -> None:
    given = parameter("p", "path") | more | {"required": False}
    skip = skip_of({"parameters": [given]}, "/a/{p}")
    assert skip.reason == "UNSUPPORTED_PARAMETER"


def test_cookies_have_a_reason_of_their_own() -> None:
    given = parameter("session", "cookie")
    assert "the Cookie header" in messages(draft_of({"parameters": [given]}))[0]
    text = given | {"content": {"text/plain": {}}, "required": True}
    for node in (given | {"required": True}, text):
        assert skip_of({"parameters": [node]}).reason == "COOKIE_PARAMETER"


def test_a_query_parameter_named_like_a_secret_is_never_sent() -> None:
    for given in (
        parameter("api_key"),
        parameter("o", schema={"type": "object", "properties": {"token": {}}}),
    ):
        made = draft_of({"parameters": [given]})
        assert "?" not in made.definition["spec"]["request"]["urlTemplate"]
        assert "named like a secret" in messages(made)[0]
    required = parameter("access_token", required=True)
    assert skip_of({"parameters": [required]}).reason == "SENSITIVE_QUERY"
    assert draft_of({"parameters": [parameter("page_token")]}).notices == ()


def test_headers_that_other_parts_speak_of_are_no_parameters() -> None:
    names = ("Accept", "content-type", "AUTHORIZATION")
    given = [parameter(name, "header", required=True) for name in names]
    made = draft_of({"parameters": given})
    assert made.definition["inputSchema"]["properties"] == {}
    assert "headers" not in made.definition["spec"]["request"]


def test_reserved_letters_are_encoded_anyway_and_that_is_said() -> None:
    made = draft_of({"parameters": [parameter("p", allowReserved=True)]})
    assert "percent-encoded" in messages(made)[0]


def test_a_name_in_the_path_needs_its_parameter() -> None:
    for given in ([], [parameter("id")], [parameter("Id", "path")]):
        skip = skip_of({"parameters": given}, "/a/{id}")
        assert skip.reason == "UNDECLARED_PATH_PARAMETER"
        assert "'id'" in skip.message


def test_a_path_parameter_without_a_place_is_told() -> None:
    made = draft_of({"parameters": [parameter("id", "path")]}, "/a")
    assert made.definition["inputSchema"]["properties"] == {}
    assert "the path has no place for it" in messages(made)[0]


def test_several_parameters_may_stand_in_one_segment() -> None:
    given = [parameter(name, "path") for name in ("a", "b", "c-d")]
    made = wire_of(*given, path="/x/{a}{b}.{c-d}/{a}:go('{b}')")
    url = made["spec"]["request"]["urlTemplate"]
    assert url.endswith("/x/{{a}}{{b}}.{{c_d}}/{{a}}:go('{{b}}')")


# ------------------------------------------------------------------------ the limit
def test_thirty_two_parameters_are_kept_and_the_rest_is_named() -> None:
    given = [
        *(parameter(f"o{n}") for n in range(31)),
        *(parameter(f"r{n}", required=True) for n in range(3)),
    ]
    made = draft_of({"parameters": given})
    names = list(made.definition["inputSchema"]["properties"])
    assert names == [*(f"o{n}" for n in range(29)), "r0", "r1", "r2"]
    [told] = messages(made)
    start = "a tool has at most 32 parameters; 2 optional ones are left out: "
    assert told == f"{start}query parameter 'o29', query parameter 'o30'"
    assert "o29" not in made.definition["spec"]["request"]["urlTemplate"]


def test_more_than_32_that_are_required_are_skipped() -> None:
    given = [parameter(f"r{n}", required=True) for n in range(33)]
    assert skip_of({"parameters": given}).reason == "TOO_MANY_PARAMETERS"
    made = draft_of({"parameters": given[1:]})
    assert len(made.definition["inputSchema"]["required"]) == 32


def test_parameters_that_many_operations_share_are_looked_at_once() -> None:
    shared = {
        f"p{n}": parameter(f"p{n}", schema={"type": "string"}, description="d" * 8000)
        for n in range(200)
    }
    given = [{"$ref": f"#/components/parameters/{name}"} for name in shared]
    paths = {f"/p{n}": {"get": {"parameters": given}} for n in range(100)}
    description = described(paths, components={"parameters": shared})
    assert cpu_seconds(lambda: import_operations(description), runs=1) < 3


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/a?", "/a?p={{p}}"),
        ("/a?b=1&", "/a?b=1&p={{p}}"),
        ("/a?b=1", "/a?b=1&p={{p}}"),
        ("/caf\u00e9/\u202ex\u200b", "/caf\u00e9/%E2%80%AEx%E2%80%8B?p={{p}}"),
    ],
)
def test_odd_paths_are_written_so_that_they_can_be_read(path: str, sent: str) -> None:
    given = [parameter("p", schema={"type": "string"})]
    url = draft_of({"parameters": given}, path).definition["spec"]["request"]
    assert url["urlTemplate"] == f"https://api.test/v1{sent}"
