"""The HTTP spec: shape, headers, templates, body, extraction."""

from typing import Any

import pytest

from sparknb.core.definitions import FormBody, FormField, JsonBody, TextBody
from sparknb.core.validation import validate
from tests.core.validation.samples import (
    GONE,
    HTTP,
    POST,
    changed,
    errors,
    found,
    warnings,
)

R = "spec.request"
URL = f"{R}.urlTemplate"
BODY = f"{R}.body"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("spec__request", 5, [("FIELD_TYPE", R)]),
        ("spec__request", GONE, [("FIELD_MISSING", R)]),
        ("spec__response", GONE, [("FIELD_MISSING", "spec.response")]),
        ("spec__response", {}, [("FIELD_MISSING", "spec.response.format")]),
        ("spec__response__format", "xml", [("FIELD_VALUE", "spec.response.format")]),
        ("spec__request__method", "get", [("FIELD_VALUE", f"{R}.method")]),
        ("spec__request__method", "HEAD", [("FIELD_VALUE", f"{R}.method")]),
        ("spec__request__urlTemplate", "", [("FIELD_VALUE", URL)]),
        ("spec__request__urlTemplate", "ftp://a.test/", [("FIELD_VALUE", URL)]),
        ("spec__request__urlTemplate", "//a.test/{{q}}", [("FIELD_VALUE", URL)]),
        ("spec__request__urlTemplate", "{{q}}", [("INVALID_TEMPLATE", URL)]),
        ("spec__request__urlTemplate", "{{q}}://a.test/", [("INVALID_TEMPLATE", URL)]),
        (
            "spec__request__urlTemplate",
            "https://a/" + "x" * 1991,
            [("FIELD_VALUE", URL)],
        ),
        ("spec__request__headers", {}, [("FIELD_TYPE", f"{R}.headers")]),
        ("spec__request__headers", [5], [("FIELD_TYPE", f"{R}.headers.0")]),
        ("spec__request__verb", "GET", [("FIELD_UNKNOWN", f"{R}.verb")]),
        (
            "spec__response__maxSizeBytes",
            0,
            [("FIELD_VALUE", "spec.response.maxSizeBytes")],
        ),
        (
            "spec__response__maxSizeBytes",
            1_048_577,
            [("FIELD_VALUE", "spec.response.maxSizeBytes")],
        ),
        ("spec__response__extract", {}, [("FIELD_TYPE", "spec.response.extract")]),
        (
            "spec__allowPrivateNetwork",
            "no",
            [("FIELD_TYPE", "spec.allowPrivateNetwork")],
        ),
        (
            "spec__allowPrivateNetwork",
            None,
            [("FIELD_TYPE", "spec.allowPrivateNetwork")],
        ),
        ("spec__retries", 3, [("FIELD_UNKNOWN", "spec.retries")]),
    ],
)
def test_the_spec_obeys_its_table(
    path: str, value: Any, expected: list[tuple[str, str]]
) -> None:
    assert errors(validate(changed(HTTP, **{path: value}))) == expected


def test_a_url_may_spell_its_scheme_in_any_case() -> None:
    url = "HTTPS://api.test/{{q}}"
    assert validate(changed(HTTP, spec__request__urlTemplate=url)).problems == ()


def test_defaults_are_filled_and_private_networks_stay_unset() -> None:
    definition = validate(HTTP).definition
    assert definition is not None
    assert definition.wire["spec"]["response"]["maxSizeBytes"] == 262_144
    assert definition.spec.max_size_bytes == 262_144  # type: ignore[union-attr]  # http
    assert "allowPrivateNetwork" not in definition.wire["spec"]


# ---------------------------------------------------------------------- headers
@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "content-length",
        "CONNECTION",
        "Transfer-Encoding",
        "keep-alive",
        "Upgrade",
        "TE",
        "Trailer",
        "Expect",
        "Proxy-Connection",
        "a b",
        "a:b",
        "é",
        "a\r\n",
        "{{q}}",
    ],
)
def test_headers_that_frame_the_request_or_are_no_token_are_refused(name: str) -> None:
    headers = [{"name": name, "valueTemplate": "x"}]
    document = changed(HTTP, spec__request__headers=headers)
    expected = [("HEADER_NOT_ALLOWED", f"{R}.headers.0.name")]
    assert errors(validate(document)) == expected
    imported = validate(document, imported=True)
    assert imported.valid
    assert warnings(imported) == expected


def test_header_names_are_unique_in_any_case() -> None:
    headers = [{"name": n, "valueTemplate": "x"} for n in ("Accept", "X-A", "ACCEPT")]
    assert errors(validate(changed(HTTP, spec__request__headers=headers))) == [
        ("HEADER_NOT_ALLOWED", f"{R}.headers.2.name")
    ]


def test_a_repeated_header_name_that_looks_like_a_key_is_not_repeated() -> None:
    name = "sk-" + "a" * 20
    headers = [{"name": name, "valueTemplate": "x"}] * 2
    report = validate(changed(HTTP, spec__request__headers=headers))
    assert errors(report) == [("HEADER_NOT_ALLOWED", f"{R}.headers.1.name")]
    assert name not in str(report.to_wire()["errors"])


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({}, [("FIELD_VALUE", ""), ("FIELD_MISSING", ".name")]),
        ({"name": "A"}, [("FIELD_VALUE", "")]),
        (
            {"name": "A", "valueTemplate": "x", "secretRef": "k"},
            [("FIELD_VALUE", ""), ("SECRET_UNDECLARED", ".secretRef")],
        ),
        ({"name": "", "valueTemplate": "x"}, [("FIELD_VALUE", ".name")]),
        ({"name": "n" * 129, "valueTemplate": "x"}, [("FIELD_VALUE", ".name")]),
        (
            {"name": "A", "valueTemplate": "v" * 2001},
            [("FIELD_VALUE", ".valueTemplate")],
        ),
        ({"name": "A", "secretRef": "a b"}, [("FIELD_VALUE", ".secretRef")]),
        ({"name": "A", "secretRef": ""}, [("FIELD_VALUE", ".secretRef")]),
        ({"name": "A", "secretRef": "k"}, [("SECRET_UNDECLARED", ".secretRef")]),
        (
            {"name": "A", "value": "x"},
            [("FIELD_VALUE", ""), ("FIELD_UNKNOWN", ".value")],
        ),
        (
            {"name": "X-Token"},
            [("FIELD_VALUE", ""), ("SENSITIVE_NAME", ".secretRef")],
        ),
        (
            {"name": "A", "valueTemplate": "{{w}}"},
            [("INVALID_TEMPLATE", ".valueTemplate")],
        ),
    ],
)
def test_a_header_has_a_name_and_one_value(
    header: Any, expected: list[tuple[str, str]]
) -> None:
    document = changed(HTTP, spec__request__headers=[header])
    want = [(code, f"{R}.headers.0{path}") for code, path in expected]
    assert sorted(errors(validate(document))) == sorted(want)


def test_an_empty_header_value_is_a_value() -> None:
    headers = [{"name": "A", "valueTemplate": ""}]
    assert validate(changed(HTTP, spec__request__headers=headers)).problems == ()


def test_only_our_own_splitting_of_names_lets_imports_pass() -> None:
    def document(name: str) -> dict[str, Any]:
        headers = [{"name": name, "valueTemplate": "{{q}}"}]
        return changed(HTTP, spec__request__headers=headers)

    assert not validate(document("Ocp-Apim-Subscription-Key")).valid
    assert validate(document("Ocp-Apim-Subscription-Key"), imported=True).valid
    assert not validate(document("X-Api-Key"), imported=True).valid


def test_33_headers_are_too_many_and_do_not_make_secrets_look_unused() -> None:
    headers = [{"name": f"X-{n}", "valueTemplate": "x"} for n in range(33)]
    document = changed(POST, spec__request__headers=headers)
    assert errors(validate(document)) == [("FIELD_VALUE", f"{R}.headers")]


# ------------------------------------------------------------------- templates
def test_a_parameter_that_no_template_uses_warns() -> None:
    document = changed(HTTP, inputSchema__properties__z={"type": "string"})
    report = validate(document)
    assert report.valid
    assert warnings(report) == [("PARAMETER_UNUSED", "inputSchema.properties.z")]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec__request__urlTemplate", "https://api.test/{{typo}}"),
        ("spec__request__urlTemplate", 5),
        ("spec__request__headers", [{"name": "A", "valueTemplate": 5}]),
        ("spec__request__headers", [5]),
        ("spec__request__body", {"mode": "json"}),
        ("spec__request__body", {"mode": "xml"}),
        ("spec__request__body", {"mode": "form", "fields": [5]}),
    ],
)
def test_nothing_is_called_unused_beside_a_broken_template(
    path: str, value: Any
) -> None:
    document = changed(POST, inputSchema__properties__z={"type": "string"})
    report = validate(changed(document, **{path: value}))
    assert not report.valid
    assert "PARAMETER_UNUSED" not in dict(warnings(report))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("token", "SENSITIVE_NAME"),
        ("to%6ben", "SENSITIVE_NAME"),
        ("user_password", "SENSITIVE_NAME"),
        ("key", "SENSITIVE_PARAMETER"),
        ("JWT", "SENSITIVE_PARAMETER"),
        ("clientSecret", "SENSITIVE_PARAMETER"),
    ],
)
def test_query_names_like_those_of_secrets_are_told(name: str, code: str) -> None:
    url = f"https://api.test/?{name}={{{{q}}}}&{name}=x"
    report = validate(changed(HTTP, spec__request__urlTemplate=url))
    assert found(report.problems) == [(code, URL)]
    imported = validate(changed(HTTP, spec__request__urlTemplate=url), imported=True)
    assert imported.valid


# ------------------------------------------------------------------------ body
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ([], [("FIELD_TYPE", "")]),
        ({}, [("FIELD_MISSING", ".mode")]),
        ({"mode": 5, "x": 1}, [("FIELD_TYPE", ".mode")]),
        ({"mode": "xml", "x": 1}, [("FIELD_VALUE", ".mode")]),
        ({"mode": "json"}, [("FIELD_MISSING", ".jsonTemplate")]),
        ({"mode": "json", "jsonTemplate": ""}, [("FIELD_VALUE", ".jsonTemplate")]),
        (
            {"mode": "json", "jsonTemplate": "1", "template": "x"},
            [("FIELD_UNKNOWN", ".template")],
        ),
        (
            {"mode": "json", "jsonTemplate": "{"},
            [("INVALID_TEMPLATE", ".jsonTemplate")],
        ),
        ({"mode": "form", "fields": []}, [("FIELD_VALUE", ".fields")]),
        (
            {"mode": "form", "fields": [{"name": "a", "valueTemplate": "x"}] * 65},
            [("FIELD_VALUE", ".fields")],
        ),
        (
            {"mode": "form", "fields": [{"name": "n" * 129}]},
            [
                ("FIELD_VALUE", ".fields.0.name"),
                ("FIELD_MISSING", ".fields.0.valueTemplate"),
            ],
        ),
        (
            {"mode": "form", "fields": [{"name": "{{q}}", "valueTemplate": "{{w}}"}]},
            [
                ("INVALID_TEMPLATE", ".fields.0.name"),
                ("INVALID_TEMPLATE", ".fields.0.valueTemplate"),
            ],
        ),
        (
            {
                "mode": "form",
                "fields": [{"name": "password", "valueTemplate": "x{{q}}"}],
            },
            [("SENSITIVE_NAME", ".fields.0.valueTemplate")],
        ),
        (
            {"mode": "text", "template": "x"},
            [("FIELD_MISSING", ".contentType")],
        ),
        (
            {"mode": "text", "contentType": "plain", "template": ""},
            [("FIELD_VALUE", ".contentType"), ("FIELD_VALUE", ".template")],
        ),
        (
            {"mode": "text", "contentType": "text/plain\r\nX: y", "template": "{{"},
            [("FIELD_VALUE", ".contentType"), ("INVALID_TEMPLATE", ".template")],
        ),
    ],
)
def test_a_body_obeys_its_mode(body: Any, expected: list[tuple[str, str]]) -> None:
    want = [(code, f"{BODY}{path}") for code, path in expected]
    assert errors(validate(changed(POST, spec__request__body=body))) == want


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"mode": "json", "jsonTemplate": "[{{q}}]"}, JsonBody("[{{q}}]")),
        (
            {
                "mode": "form",
                "fields": [{"name": "password", "valueTemplate": "{{q}}"}],
            },
            FormBody((FormField("password", "{{q}}"),)),
        ),
        (
            {
                "mode": "text",
                "contentType": "text/plain; charset=utf-8",
                "template": "{{q}}",
            },
            TextBody("text/plain; charset=utf-8", "{{q}}"),
        ),
    ],
)
def test_each_mode_is_read(body: Any, expected: Any) -> None:
    report = validate(changed(POST, spec__request__body=body))
    assert report.problems == ()
    assert report.definition is not None
    assert report.definition.spec.request.body == expected  # type: ignore[union-attr]  # http


def test_a_sensitive_member_with_a_literal_text_warns() -> None:
    template = (
        '{"clientSecret": "abc", "token": "", "password": {{q}}, "a": {"pwd": "x"}}'
    )
    report = validate(changed(POST, spec__request__body__jsonTemplate=template))
    assert found(report.problems) == [("SENSITIVE_PARAMETER", f"{BODY}.jsonTemplate")]
    assert "clientSecret" in report.problems[0].message
    assert "abc" not in str(report.problems)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_body_that_is_never_sent_warns(method: str) -> None:
    document = changed(
        POST,
        risk="destructive",
        effect="delete",
        idempotency="unsafe",
        spec__request__method=method,
    )
    report = validate(document)
    assert warnings(report) == [("BODY_NOT_SENT", BODY)]
    assert report.definition is not None
    assert "body" in report.definition.wire["spec"]["request"]
    assert report.definition.spec.request.body is None  # type: ignore[union-attr]  # http


# --------------------------------------------------------------------- extract
def test_paths_that_are_no_jsonpath_are_told_at_their_place() -> None:
    extract = [
        {"label": "a", "jsonPath": "$.a["},
        {"label": "", "jsonPath": "$.b"},
        {"label": "c", "jsonPath": ""},
        {"label": "d", "jsonPath": "d"},
        5,
    ]
    document = changed(HTTP, spec__response__extract=extract)
    base = "spec.response.extract"
    assert errors(validate(document)) == [
        ("INVALID_JSONPATH", f"{base}.0.jsonPath"),
        ("FIELD_VALUE", f"{base}.1.label"),
        ("FIELD_VALUE", f"{base}.2.jsonPath"),
        ("INVALID_JSONPATH", f"{base}.3.jsonPath"),
        ("FIELD_TYPE", f"{base}.4"),
    ]


def test_an_imported_path_only_warns() -> None:
    extract = [{"label": "a", "jsonPath": "$.a["}]
    report = validate(changed(HTTP, spec__response__extract=extract), imported=True)
    assert report.valid
    assert warnings(report) == [
        ("INVALID_JSONPATH", "spec.response.extract.0.jsonPath")
    ]


def test_the_jsonpath_library_is_loaded_only_when_there_is_a_path() -> None:
    import subprocess
    import sys

    program = (
        "import sys; from sparknb.core.validation import validate; "
        "from tests.core.validation.samples import HTTP; "
        "assert validate(HTTP).valid; print('jsonpath' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


# ------------------------------------------------------------------------ risk
@pytest.mark.parametrize(
    ("method", "triple"),
    [
        ("GET", ("read", "read", "safe")),
        ("POST", ("low-write", "create", "unsafe")),
        ("PUT", ("low-write", "update", "keyed")),
        ("PATCH", ("low-write", "update", "unsafe")),
        ("DELETE", ("destructive", "delete", "unsafe")),
    ],
)
def test_each_method_derives_its_triple(
    method: str, triple: tuple[str, str, str]
) -> None:
    document = changed(
        HTTP, risk=GONE, effect=GONE, idempotency=GONE, spec__request__method=method
    )
    report = validate(document)
    assert report.valid
    assert report.definition is not None
    wire = report.definition.wire
    assert (wire["risk"], wire["effect"], wire["idempotency"]) == triple
    assert "risk" not in document


def test_an_author_may_raise_the_risk() -> None:
    document = changed(HTTP, risk="high-write", effect="send", idempotency="keyed")
    assert validate(document).valid


def test_a_destructive_tool_is_never_safe_to_repeat() -> None:
    document = changed(HTTP, risk="destructive", idempotency="keyed")
    assert errors(validate(document)) == [("RISK_INCONSISTENT", "idempotency")]
