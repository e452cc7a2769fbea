"""The restricted input schema."""

from typing import Any

import pytest

from sparknb.core.input_schema import fits_type, read_input_schema
from sparknb.core.validation import validate
from tests.core.validation.samples import GONE, HTTP, changed, errors, warnings

S = "inputSchema"
P = f"{S}.properties"
KEY = "inputSchema__properties"


def with_parameter(**parameter: Any) -> dict[str, Any]:
    """Give the HTTP sample whose only parameter `q` is this one."""
    return changed(HTTP, inputSchema__properties__q=parameter)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("type", "array", [("FIELD_VALUE", f"{S}.type")]),
        ("type", ["object"], [("FIELD_TYPE", f"{S}.type")]),
        ("type", GONE, [("FIELD_MISSING", f"{S}.type")]),
        ("properties", [], [("FIELD_TYPE", P)]),
        ("properties", GONE, [("FIELD_MISSING", P)]),
        ("required", "q", [("FIELD_TYPE", f"{S}.required")]),
        ("required", ["q", 5], [("FIELD_TYPE", f"{S}.required.1")]),
        ("required", ["q", "w"], [("FIELD_VALUE", f"{S}.required.1")]),
        ("required", ["q"] * 33, [("FIELD_VALUE", f"{S}.required")]),
        (
            "additionalProperties",
            False,
            [("FIELD_UNKNOWN", f"{S}.additionalProperties")],
        ),
    ],
)
def test_the_schema_is_a_closed_object(
    path: str, value: Any, expected: list[tuple[str, str]]
) -> None:
    document = changed(HTTP)
    document["inputSchema"][path] = value
    if value is GONE:
        del document["inputSchema"][path]
    assert errors(validate(document)) == expected


def test_a_tool_may_take_nothing() -> None:
    document = changed(
        HTTP,
        inputSchema={"type": "object", "properties": {}},
        spec__request__urlTemplate="https://api.test/",
    )
    definition = validate(document).definition
    assert definition is not None
    assert definition.wire["inputSchema"] == {"type": "object", "properties": {}}


def test_a_name_required_twice_warns_and_is_kept_once() -> None:
    report = validate(changed(HTTP, inputSchema__required=["q", "q"]))
    assert warnings(report) == [("FIELD_VALUE", f"{S}.required.1")]
    assert report.definition is not None
    assert report.definition.wire["inputSchema"]["required"] == ["q"]


def test_required_names_are_not_judged_without_properties() -> None:
    document = changed(HTTP, inputSchema={"type": "object", "required": ["a"]})
    assert errors(validate(document)) == [("FIELD_MISSING", P)]


@pytest.mark.parametrize("name", ["1a", "a-b", "", "é", "a\n", "a b"])
def test_a_parameter_name_is_an_identifier(name: str) -> None:
    document = changed(HTTP)
    document["inputSchema"]["properties"][name] = {"type": "string"}
    assert [code for code, _ in errors(validate(document))] == ["FIELD_VALUE"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("naïve", "write naive"), ("ｑ１", "write q1"), ("名", None), ("q\u0301", None)],
)
def test_the_letters_of_a_parameter_name_are_told(name: str, hint: str | None) -> None:
    document = changed(HTTP)
    document["inputSchema"]["properties"][name] = {"type": "string"}
    (problem,) = validate(document).problems
    assert problem.message == (
        f"{name} must be a name of a-z, A-Z, 0-9 and _ that starts with no digit"
    )
    assert problem.hint == hint  # `q` is taken


def test_a_parameter_name_has_at_most_64_characters() -> None:
    url = "https://api.test/{{%s}}"
    for length, count in ((64, 0), (65, 1)):
        name = "n" * length
        document = changed(
            HTTP,
            inputSchema={"type": "object", "properties": {name: {"type": "string"}}},
            spec__request__urlTemplate=url % name,
        )
        report = validate(document)
        assert errors(report) == [("FIELD_VALUE", f"{P}.{name}")] * count
        assert validate(document, imported=True).valid


def test_names_that_python_brings_are_refused() -> None:
    document = changed(HTTP)
    document["inputSchema"]["properties"][5] = {"type": "string"}
    assert errors(validate(document)) == [("FIELD_VALUE", f"{P}.<int>")]


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        (5, [("FIELD_TYPE", "")]),
        ({}, [("FIELD_MISSING", ".type")]),
        ({"type": "object"}, [("FIELD_VALUE", ".type")]),
        ({"type": ["string"]}, [("FIELD_TYPE", ".type")]),
        ({"type": "string", "title": "t" * 121}, [("FIELD_VALUE", ".title")]),
        ({"type": "string", "description": 5}, [("FIELD_TYPE", ".description")]),
        (
            {"type": "string", "description": "d" * 1001},
            [("FIELD_VALUE", ".description")],
        ),
        ({"type": "string", "format": "date"}, [("FIELD_UNKNOWN", ".format")]),
        (
            {"type": "string", "items": {"type": "string"}},
            [("FIELD_VALUE", ".items")],
        ),
        ({"type": "array", "items": {}}, [("FIELD_MISSING", ".items.type")]),
        (
            {"type": "array", "items": {"type": "array"}},
            [("FIELD_VALUE", ".items.type")],
        ),
        (
            {"type": "array", "items": {"type": "string", "enum": ["a"]}},
            [("FIELD_UNKNOWN", ".items.enum")],
        ),
        ({"type": "boolean", "enum": [1]}, [("FIELD_VALUE", ".enum")]),
        (
            {"type": "array", "items": {"type": "string"}, "enum": ["a"]},
            [("FIELD_VALUE", ".enum")],
        ),
        ({"type": "string", "enum": []}, [("FIELD_VALUE", ".enum")]),
        ({"type": "string", "enum": "a"}, [("FIELD_TYPE", ".enum")]),
        (
            {"type": "string", "enum": [f"{n}" for n in range(51)]},
            [("FIELD_VALUE", ".enum")],
        ),
        (
            {"type": "string", "enum": ["a", None, "b" * 201, 1, "a"]},
            [
                ("FIELD_VALUE", ".enum.1"),
                ("FIELD_VALUE", ".enum.2"),
                ("FIELD_VALUE", ".enum.3"),
                ("FIELD_VALUE", ".enum.4"),
            ],
        ),
        ({"type": "integer", "enum": [1, 1.5]}, [("FIELD_VALUE", ".enum.1")]),
        ({"type": "integer", "enum": [1, 1.0]}, [("FIELD_VALUE", ".enum.1")]),
        ({"type": "number", "enum": [1, True]}, [("FIELD_VALUE", ".enum.1")]),
        ({"type": "number", "enum": [float("nan")]}, [("FIELD_VALUE", ".enum.0")]),
        ({"type": "number", "enum": [10**400]}, [("FIELD_VALUE", ".enum.0")]),
        ({"type": "string", "default": None}, [("FIELD_TYPE", ".default")]),
        ({"type": "string", "default": {}}, [("FIELD_TYPE", ".default")]),
        ({"type": "string", "default": 5}, [("FIELD_VALUE", ".default")]),
        ({"type": "string", "default": "d" * 2001}, [("FIELD_VALUE", ".default")]),
        ({"type": "integer", "default": True}, [("FIELD_VALUE", ".default")]),
        ({"type": "integer", "default": 1.5}, [("FIELD_VALUE", ".default")]),
        ({"type": "number", "default": -(10**400)}, [("FIELD_VALUE", ".default")]),
        ({"type": "boolean", "default": "true"}, [("FIELD_VALUE", ".default")]),
        (
            {"type": "string", "enum": ["a", "b"], "default": "c"},
            [("FIELD_VALUE", ".default")],
        ),
        (
            {"type": "string", "enum": [None], "default": "c"},
            [("FIELD_VALUE", ".enum.0")],
        ),
        (
            {"type": "array", "items": {"type": "integer"}, "default": [1, "b", [2]]},
            [("FIELD_TYPE", ".default.2")],
        ),
        (
            {"type": "array", "items": {"type": "integer"}, "default": [1, "b"]},
            [("FIELD_VALUE", ".default.1")],
        ),
        (
            {"type": "array", "items": {"type": "integer"}, "default": [1] * 51},
            [("FIELD_VALUE", ".default")],
        ),
        ({"type": "array", "default": [1]}, [("FIELD_MISSING", ".items")]),
        (
            {"type": "array", "items": 5, "default": [1]},
            [("FIELD_TYPE", ".items")],
        ),
    ],
)
def test_a_parameter_obeys_the_table(
    parameter: Any, expected: list[tuple[str, str]]
) -> None:
    document = changed(
        HTTP, inputSchema__properties__p=parameter, inputSchema__required=GONE
    )
    want = [(code, f"{P}.p{path}") for code, path in expected]
    assert errors(validate(document)) == want


@pytest.mark.parametrize(
    "parameter",
    [
        {"type": "string", "title": "", "description": "", "default": ""},
        {"type": "string", "enum": ["a", "1"], "default": "1"},
        {"type": "number", "enum": [1, 1.5], "default": 1.0},
        {"type": "integer", "default": -5},
        {"type": "boolean", "default": False},
    ],
)
def test_what_fits_is_valid(parameter: dict[str, Any]) -> None:
    assert validate(with_parameter(**parameter)).problems == ()


def test_whole_numbers_are_written_without_a_point_where_integers_are_declared() -> (
    None
):
    properties = {
        "q": {"type": "integer", "enum": [1.0, 2], "default": 2.0},
        "r": {"type": "array", "items": {"type": "integer"}, "default": [3.0]},
        "s": {"type": "number", "default": 4.0},
    }
    document = changed(
        HTTP,
        inputSchema__properties=properties,
        spec__request__urlTemplate="https://api.test/?q={{q}}&r={{r | csv}}&s={{s}}",
    )
    definition = validate(document).definition
    assert definition is not None
    wire = definition.wire["inputSchema"]["properties"]
    assert str(wire["q"]) == "{'type': 'integer', 'enum': [1, 2], 'default': 2}"
    assert str(wire["r"]["default"]) == "[3]"
    assert str(wire["s"]["default"]) == "4.0"


def test_strict_rules_only_warn_about_an_import_and_its_misfit_default_is_unused() -> (
    None
):
    document = with_parameter(type="string", enum=["a", "a"], default="b")
    report = validate(document, imported=True)
    assert warnings(report) == [
        ("FIELD_VALUE", f"{P}.q.enum.1"),
        ("FIELD_VALUE", f"{P}.q.default"),
    ]
    assert report.definition is not None
    assert report.definition.wire["inputSchema"]["properties"]["q"]["default"] == "b"
    assert not report.definition.input_schema.parameters["q"].has_default


def test_a_broken_parameter_leaves_templates_unjudged() -> None:
    url = "https://api.test/{{undeclared}}"
    for broken in ({"type": "x"}, 5, {"type": "array"}):
        document = changed(
            HTTP, inputSchema__properties__p=broken, spec__request__urlTemplate=url
        )
        assert all(path.startswith(S) for _, path in errors(validate(document)))


def test_a_schema_is_read_back_from_its_normal_form() -> None:
    wire = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "number"}, "default": [1]},
            "b": {"type": "string", "title": "B", "enum": ["x"], "default": "y"},
        },
        "required": ["b"],
    }
    schema = read_input_schema(wire)
    a, b = schema.parameters.values()
    assert (a.name, a.item_type, a.has_default, a.default, a.required) == (
        "a",
        "number",
        True,
        [1],
        False,
    )
    assert (b.title, b.enum, b.has_default, b.required) == ("B", ("x",), False, True)
    assert schema.to_model() == wire | {"additionalProperties": False}


@pytest.mark.parametrize(
    ("value", "types"),
    [
        ("", ["string"]),
        (True, ["boolean"]),
        (5, ["number", "integer"]),
        (5.0, ["number", "integer"]),
        (5.5, ["number"]),
        (float("inf"), []),
        (float("nan"), []),
        (10**400, []),
        (None, []),
        ([], ["array"]),
        ((), []),
        ({}, []),
    ],
)
def test_a_value_fits_its_types(value: Any, types: list[str]) -> None:
    every: tuple[Any, ...] = ("string", "boolean", "number", "integer", "array")
    assert [t for t in every if fits_type(value, t)] == sorted(types, key=every.index)
