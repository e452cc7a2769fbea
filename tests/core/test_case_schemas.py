"""Schemas of cases: nothing outside is read, and every check ends."""

from typing import Any

import pytest

from sparknb.core.case_schemas import flaw_of, mismatch
from tests.costs import cpu_seconds


def chain(length: int) -> dict[str, Any]:
    """Give a schema that checks one value 2 ** length times."""
    parts: dict[str, Any] = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(length)
    }
    return {"$defs": parts | {f"d{length}": {"type": "integer"}}, "$ref": "#/$defs/d0"}


TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "left": {"$ref": "#/$defs/node"},
                "right": {"$ref": "#/$defs/node"},
                "name": {"type": "string"},
            },
        }
    },
    "$ref": "#/$defs/node",
}
TWICE = {"allOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]}


def tree(depth: int) -> dict[str, Any]:
    if not depth:
        return {"name": "leaf"}
    return {"left": tree(depth - 1), "right": tree(depth - 1)}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "http://127.0.0.1:9/schema"}, "begin with #"),
        ({"$ref": "file:///etc/passwd"}, "begin with #"),
        ({"$ref": "other.json"}, "begin with #"),
        ({"items": {"properties": {"a": {"$ref": "x.json#/a"}}}}, "begin with #"),
        ({"$id": "http://a.test/", "$ref": "#"}, "$id"),
        ({"$dynamicRef": "#a"}, "$dynamicRef"),
        ({"$schema": "http://a.test/schema"}, "2020-12"),
        ({"$ref": "#/$defs/absent"}, "absent"),
        ({"$ref": "#"}, "leads back"),
        ({"anyOf": [{"$ref": "#"}, {"type": "integer"}]}, "leads back"),
        ({"type": "text"}, "text"),
        ({"pattern": "(?=a)b"}, "regex"),
        ({"pattern": "["}, "regex"),
        ({"minLength": -1}, "-1"),
    ],
    ids=str,
)
def test_a_schema_that_cannot_be_used_is_refused(schema: Any, said: str) -> None:
    flaw = flaw_of(schema)
    assert flaw is not None
    assert said in flaw


def test_a_reference_from_an_unknown_place_is_not_followed_either() -> None:
    hidden = {"$ref": "#/odd/place", "odd": {"place": {"$ref": "http://a.test/"}}}
    assert flaw_of(hidden) is not None


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (True, {"a": 1}),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, 1),
        (
            {"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}},
            [1, 2.0],
        ),
        ({"definitions": {"n": True}, "$ref": "#/definitions/n"}, 1),
        ({"prefixItems": [{"const": 1}, {"const": "a"}]}, [1.0, "a"]),
        ({"pattern": "^[a-zé]+$"}, "café"),
        ({"uniqueItems": True}, [1, "1", True]),
    ],
    ids=str,
)
def test_a_fitting_value_fits(schema: Any, value: Any) -> None:
    assert flaw_of(schema) is None
    assert mismatch(schema, value) is None


def test_a_schema_may_refer_to_itself_further_down() -> None:
    assert flaw_of(TREE) is None
    assert mismatch(TREE, tree(8)) is None
    assert mismatch(TREE, {"left": {"right": {"name": 5}}}) is not None


def test_a_large_answer_is_checked() -> None:
    columns = {f"c{n}": {"type": "integer"} for n in range(20)}
    rows = [{f"c{n}": n for n in range(20)} for _ in range(2000)]
    schema = {"items": {"properties": columns, "required": ["c1"]}}
    assert mismatch(schema, rows) is None
    assert mismatch(schema, [*rows, {"c1": "x"}]) is not None


@pytest.mark.parametrize(
    ("schema", "value"),
    [(chain(40), 1), (TWICE, nested(100))],
    ids=["in place", "downwards"],
)
def test_a_schema_that_would_take_for_ever_is_told_at_once(
    schema: Any, value: Any
) -> None:
    assert flaw_of(schema) is None
    said: list[str | None] = []
    seconds = cpu_seconds(lambda: said.append(mismatch(schema, value)), runs=1)
    assert said == [
        "the schema refers to itself in too many ways for so deep an answer"
    ]
    assert seconds < 1


def test_a_pattern_cannot_take_for_ever() -> None:
    schema = {"pattern": "^(a+)+$"}
    assert mismatch(schema, "a" * 5000 + "!") is not None


def test_a_schema_of_many_levels_is_refused_or_read() -> None:
    schema: Any = {"type": "integer"}
    for _ in range(2000):
        schema = {"allOf": [schema]}
    assert flaw_of(schema) is not None
