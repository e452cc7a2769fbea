"""Secrets in definitions: references, use, and values written out."""

import json
from typing import Any

import pytest

from sparknb.core.validation import validate
from tests.core.validation.samples import (
    CODE,
    GONE,
    HTTP,
    POST,
    changed,
    errors,
    warnings,
)

ORIGINAL = "ghp_" + "a1B2c3D4e5" * 2
ADDED = "glpat-" + "a1B2c3D4e5" * 2


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        ({"k": 5}, [("FIELD_TYPE", "secretRefs.k")]),
        ({"k": "k"}, [("SECRET_REFERENCE", "secretRefs.k")]),
        ({"k": "custom-tool:items:other"}, [("SECRET_REFERENCE", "secretRefs.k")]),
        (
            {"k": "custom-tool:items:k", "a b": "custom-tool:items:a b"},
            [("SECRET_UNUSED", "secretRefs.a b"), ("FIELD_VALUE", "secretRefs.a b")],
        ),
        (
            {f"k{n}": f"custom-tool:items:k{n}" for n in range(17)},
            [("FIELD_VALUE", "secretRefs")],
        ),
        (GONE, [("SECRET_UNDECLARED", "spec.request.headers.1.secretRef")]),
    ],
)
def test_references_obey_the_rules(
    references: Any, expected: list[tuple[str, str]]
) -> None:
    report = validate(changed(POST, secretRefs=references))
    assert sorted(errors(report)) == sorted(expected)


def test_names_that_python_brings_are_refused() -> None:
    references: dict[Any, Any] = {"k": "custom-tool:items:k", 5: 6}
    codes = errors(validate(changed(POST, secretRefs=references)))
    assert ("FIELD_TYPE", "secretRefs.<int>") in codes


def test_references_are_not_judged_beside_a_broken_id() -> None:
    document = changed(POST, id="X", secretRefs={"k": "elsewhere"})
    assert errors(validate(document)) == [("FIELD_VALUE", "id")]


def test_nothing_is_called_unused_beside_a_broken_header() -> None:
    for header in (5, {"name": "A", "secretRef": "a b"}):
        document = changed(POST, spec__request__headers=[header])
        assert "SECRET_UNUSED" not in dict(errors(validate(document)))


def test_an_older_reference_is_rewritten_at_import_only() -> None:
    document = changed(POST, secretRefs={"k": "custom-http-tool/items/k"})
    assert errors(validate(document)) == [("SECRET_REFERENCE", "secretRefs.k")]
    report = validate(document, imported=True)
    assert warnings(report) == [("SECRET_REFERENCE", "secretRefs.k")]
    assert report.definition is not None
    assert report.definition.wire["secretRefs"] == {"k": "custom-tool:items:k"}
    assert list(report.definition.wire)[-2:] == ["secretRefs", "spec"]


def test_an_imported_undeclared_secret_only_warns() -> None:
    document = changed(POST, secretRefs=GONE)
    assert validate(document, imported=True).valid


@pytest.mark.parametrize("secret", [ORIGINAL, ADDED])
@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("spec__request__urlTemplate", "https://api.test/{}/{{{{q}}}}"),
        ("spec__request__headers__0__valueTemplate", "{}"),
        ("spec__request__body__jsonTemplate", '["{}", {{{{q}}}}]'),
        ("spec__request__body__jsonTemplate", r'["a\n{}", {{{{q}}}}]'),
        ("spec__request__body__jsonTemplate", r'["\u0022{}", {{{{q}}}}]'),
        ("spec__request__body__jsonTemplate", r'["\"{}", {{{{q}}}}]'),
    ],
)
def test_a_secret_in_a_template_is_refused_and_not_repeated(
    path: str, template: str, secret: str
) -> None:
    document = changed(POST, **{path: template.format(secret)})
    report = validate(document)
    assert errors(report) == [("LITERAL_SECRET", path.replace("__", "."))]
    assert secret not in json.dumps(report.to_wire())
    # The shapes that we added only warn about a file of the original.
    assert validate(document, imported=True).valid == (secret == ADDED)


def test_secrets_in_form_and_text_bodies_are_refused() -> None:
    fields = [
        {"name": "a", "valueTemplate": "{{q}}"},
        {"name": "b", "valueTemplate": ADDED},
    ]
    form = {"mode": "form", "fields": fields}
    text = {
        "mode": "text",
        "contentType": "text/plain",
        "template": f"{{{{q}}}} {ADDED}",
    }
    assert errors(validate(changed(POST, spec__request__body=form))) == [
        ("LITERAL_SECRET", "spec.request.body.fields.1.valueTemplate")
    ]
    assert errors(validate(changed(POST, spec__request__body=text))) == [
        ("LITERAL_SECRET", "spec.request.body.template")
    ]


def test_secrets_in_defaults_and_enums_are_refused() -> None:
    properties = {
        "q": {"type": "string", "enum": ["a", ORIGINAL], "default": ORIGINAL},
        "r": {"type": "array", "items": {"type": "string"}, "default": ["x", ORIGINAL]},
        "n": {"type": "number", "default": 5},
    }
    document = changed(
        CODE,
        inputSchema__properties=properties,
        spec__runtime__source="def run(q=None, r=None, n=None): return q",
    )
    expected = [
        ("LITERAL_SECRET", "inputSchema.properties.q.enum.1"),
        ("LITERAL_SECRET", "inputSchema.properties.q.default"),
        ("LITERAL_SECRET", "inputSchema.properties.r.default.1"),
    ]
    assert errors(validate(document)) == expected
    imported = validate(document, imported=True)
    assert imported.valid
    assert [w for w in warnings(imported) if w[0] == "LITERAL_SECRET"] == expected


def test_a_broken_schema_is_not_scanned() -> None:
    for broken in (5, {"type": "object"}):
        document = changed(CODE, inputSchema=broken)
        assert "LITERAL_SECRET" not in dict(errors(validate(document)))


def test_a_bearer_placeholder_is_no_secret() -> None:
    headers = [{"name": "X-Note", "valueTemplate": "Bearer {{q}}"}]
    assert validate(changed(HTTP, spec__request__headers=headers)).problems == ()
