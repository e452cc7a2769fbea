"""The acceptance examples of the Studio document that validation decides."""

import json

import pytest

from sparknb.core.validation import validate, validate_text
from tests.core.validation.samples import (
    CODE,
    GONE,
    HTTP,
    POST,
    changed,
    errors,
    found,
    warnings,
)

URL = "spec.request.urlTemplate"


@pytest.mark.parametrize("kind", ["sql", "command", "prompt"])
def test_a_reserved_type_is_the_only_problem_told(kind: str) -> None:
    report = validate({"type": kind, "id": 5, "unknown": 1, "spec": {"x": set()}})
    assert found(report.problems) == [("NOT_IMPLEMENTED", "type")]
    message = report.problems[0].message
    assert all(t in message for t in (kind, "http", "code", "provider-vision"))
    assert not report.valid
    assert report.definition is None


def test_a_reserved_type_hides_repeated_keys_too() -> None:
    report = validate_text('{"type": "sql", "id": "a", "id": "b"}')
    assert found(report.problems) == [("NOT_IMPLEMENTED", "type")]


def test_all_problems_come_in_one_report() -> None:
    document = changed(HTTP, id="Ab", description="d" * 9, timeoutMs=999)
    assert errors(validate(document)) == [
        ("FIELD_VALUE", "id"),
        ("FIELD_VALUE", "description"),
        ("FIELD_VALUE", "timeoutMs"),
    ]


def test_a_post_of_risk_read_is_below_its_floor_and_inconsistent() -> None:
    document = changed(POST, risk="read", effect="create")
    assert errors(validate(document)) == [
        ("RISK_BELOW_FLOOR", "risk"),
        ("RISK_INCONSISTENT", "effect"),
    ]


def test_a_delete_without_risk_is_destructive() -> None:
    document = changed(
        HTTP, risk=GONE, effect=GONE, idempotency=GONE, spec__request__method="DELETE"
    )
    definition = validate(document).definition
    assert definition is not None
    triple = (definition.risk, definition.effect, definition.idempotency)
    assert triple == ("destructive", "delete", "unsafe")


def test_an_array_needs_items() -> None:
    document = changed(HTTP, inputSchema__properties__x={"type": "array"})
    assert errors(validate(document)) == [
        ("FIELD_MISSING", "inputSchema.properties.x.items")
    ]


def test_an_enum_value_of_another_type_is_told_at_its_place() -> None:
    document = changed(HTTP, inputSchema__properties__q__enum=["a", 1])
    assert errors(validate(document)) == [
        ("FIELD_VALUE", "inputSchema.properties.q.enum.1")
    ]


def test_33_parameters_are_too_many() -> None:
    properties = {f"p{n}": {"type": "string"} for n in range(32)} | {
        "q": {"type": "string"}
    }
    document = changed(HTTP, inputSchema__properties=properties)
    assert errors(validate(document)) == [("FIELD_VALUE", "inputSchema.properties")]
    del properties["p0"]
    assert validate(changed(HTTP, inputSchema__properties=properties)).valid


@pytest.mark.parametrize(
    "url",
    ["https://{{q}}.api.test/", "https://api.test:{{q}}/", "https://u:p@api.test"],
)
def test_a_url_whose_host_is_not_literal_is_refused(url: str) -> None:
    document = changed(HTTP, spec__request__urlTemplate=url)
    assert errors(validate(document)) == [("INVALID_TEMPLATE", URL)]
    imported = validate(document, imported=True)
    assert imported.definition is not None
    assert ("INVALID_TEMPLATE", URL) in warnings(imported)


def test_a_sensitive_header_takes_no_template() -> None:
    header = {"name": "Authorization", "valueTemplate": "Basic {{q}}"}
    document = changed(HTTP, spec__request__headers=[header])
    assert errors(validate(document)) == [
        ("SENSITIVE_NAME", "spec.request.headers.0.valueTemplate"),
        ("SENSITIVE_NAME", "spec.request.headers.0.secretRef"),
    ]


def test_a_sensitive_query_name_is_refused_and_a_page_token_is_not() -> None:
    sensitive = "https://api.test/?api_key={{q}}"
    document = changed(HTTP, spec__request__urlTemplate=sensitive)
    assert errors(validate(document)) == [("SENSITIVE_NAME", URL)]
    paging = "https://api.test/?page_token={{q}}"
    assert validate(changed(HTTP, spec__request__urlTemplate=paging)).problems == ()


def test_a_foreign_reference_is_refused() -> None:
    document = changed(POST, secretRefs={"k": "custom-tool:other:k"})
    for imported in (False, True):
        report = validate(document, imported=imported)
        assert errors(report) == [("SECRET_REFERENCE", "secretRefs.k")]


def test_an_unused_secret_is_refused() -> None:
    document = changed(HTTP, secretRefs={"k": "custom-tool:items:k"})
    assert errors(validate(document)) == [("SECRET_UNUSED", "secretRefs.k")]


def test_code_declares_no_secrets() -> None:
    document = changed(CODE, secretRefs={"k": "custom-tool:items:k"})
    assert errors(validate(document)) == [("SECRET_NOT_ALLOWED", "secretRefs")]
    assert validate(changed(CODE, secretRefs={})).valid


def test_a_key_in_the_source_is_refused_and_not_repeated() -> None:
    key = "sk-" + "aB3_" * 5
    document = changed(
        CODE, spec__runtime__source=f'KEY = "{key}"\ndef run(q): return q'
    )
    report = validate(document)
    assert errors(report) == [("LITERAL_SECRET", "spec.runtime.source")]
    assert key not in json.dumps(report.to_wire())
    assert key not in str(report.problems)
