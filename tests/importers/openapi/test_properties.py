"""Whatever a document says, each operation is one valid draft or one named skip."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparknb.core.codes import CODES
from sparknb.core.validation import validate
from sparknb.importers.openapi import import_operations, listing
from tests.importers.openapi.documents import described

# Words that make pieces meet: the same names in several places, secrets, reserved ones.
NAMES = st.sampled_from(
    ["id", "a", "a-b", "a_b", "token", "api_key", "X-Key", "Accept", "ü", "{{x}}", ""]
)
JUNK = st.sampled_from([None, True, 7, -1.5, "", "x\u202e\0", [], {}, ["x"], {"x": 1}])
TYPES = st.sampled_from(
    ["string", "integer", "number", "boolean", "array", "object", "null", "odd"]
)
REFS = st.sampled_from(
    ["#/components/schemas/A", "#/components/schemas/B", "#/nowhere", "other.yaml"]
)
VALUES = st.sampled_from(["a", "b", 1, 2.5, True, None, "sk-" + "k" * 30])


@st.composite
def sometimes(
    draw: st.DrawFn, members: dict[str, st.SearchStrategy[Any]], needs: str = ""
) -> dict[str, Any]:
    """Give objects with some of these members, a few of which are junk."""
    made = {}
    for key, value in members.items():
        turn = draw(st.integers(0, 30))
        if turn > 8 or key in needs.split():
            made[key] = draw(JUNK if turn == 30 else value)
    return made


def schemas() -> st.SearchStrategy[Any]:
    leaf = sometimes(
        {"type": TYPES, "enum": st.lists(VALUES, max_size=4), "default": VALUES}
    )

    def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.lists(inner, max_size=3)
        return sometimes(
            {
                "$ref": REFS,
                "type": st.one_of(TYPES, st.lists(TYPES, max_size=3)),
                "properties": st.dictionaries(NAMES, inner, max_size=4),
                "required": st.lists(NAMES, max_size=3),
                "items": inner,
                "allOf": several,
                "oneOf": several,
                "anyOf": several,
                "additionalProperties": inner,
                "nullable": st.booleans(),
                "readOnly": st.booleans(),
                "description": st.text(max_size=12),
            }
        )

    return st.recursive(leaf, around, max_leaves=6)


SCHEMAS = schemas()
PARAMETERS = sometimes(
    {
        "name": NAMES,
        "in": st.sampled_from(["path", "query", "header", "cookie", "odd"]),
        "required": st.booleans(),
        "style": st.sampled_from(["form", "simple", "label", "matrix", "deepObject"]),
        "explode": st.booleans(),
        "schema": SCHEMAS,
    },
    needs="name in",
)
MEDIA_TYPES = st.sampled_from(
    [
        "application/json",
        "application/x+json",
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data",
        "*/*",
    ]
)
BODIES = sometimes(
    {
        "required": st.booleans(),
        "content": st.dictionaries(
            MEDIA_TYPES, sometimes({"schema": SCHEMAS}), max_size=2
        ),
    },
    needs="content",
)
SCHEMES = st.sampled_from(["key", "bearer", "nobody"])
SERVERS = st.sampled_from(["https://a.test/v1", "http://b.test", "//c.test"])
OPERATIONS = sometimes(
    {
        "operationId": st.one_of(NAMES, st.text(max_size=80)),
        "summary": st.text(max_size=30),
        "parameters": st.lists(PARAMETERS, max_size=4),
        "requestBody": BODIES,
        "security": st.lists(st.dictionaries(SCHEMES, JUNK, max_size=2), max_size=2),
        "servers": st.lists(sometimes({"url": SERVERS}), max_size=1),
    }
)
PATHS = st.dictionaries(
    st.sampled_from(["/", "/a", "/a/{id}", "/x?y=1", "/é {", "/a/../b"]),
    sometimes(dict.fromkeys(["get", "post", "put", "delete"], OPERATIONS)),
    max_size=3,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(PATHS, SCHEMAS, SCHEMAS)
def test_each_operation_is_a_valid_draft_or_a_named_skip(
    paths: Any, one: Any, other: Any
) -> None:
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "bearer": {"type": "http", "scheme": "bearer"},
    }
    components = {"schemas": {"A": one, "B": other}, "securitySchemes": schemes}
    description = described(paths, components=components)
    made = import_operations(description)
    names = [operation.name for operation in description.operations()]
    drafted = [draft.operation for draft in made.drafts]
    skipped = [skip.operation for skip in made.skipped]
    assert sorted([*drafted, *skipped]) == sorted(names)
    for draft in made.drafts:
        report = validate(draft.definition)
        assert report.normalized == draft.definition
        # Each parameter has its place in the request.
        assert "PARAMETER_UNUSED" not in {p.code for p in report.problems}
    for skip in made.skipped:
        assert CODES[skip.reason].use == "skip"
        assert skip.message
        assert (skip.reason == "INVALID_DEFINITION") == bool(skip.issues)
    ids = [draft.definition["id"] for draft in made.drafts]
    assert len(set(ids)) == len(ids)
    assert "k" * 30 not in str(made)
    told = {row.operation: row.skip for row in listing(description)}
    for skip in made.skipped:
        assert told[skip.operation] in (skip.reason, None)
