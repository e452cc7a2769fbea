"""The fields that every tool has, and the report as a whole."""

import json
from typing import Any

import pytest

from sparknb.core.validation import read_definition, validate, validate_text
from tests.core.validation.samples import (
    CODE,
    GONE,
    HTTP,
    POST,
    VISION,
    changed,
    errors,
    found,
    warnings,
)

ALL = [HTTP, POST, CODE, VISION]


@pytest.mark.parametrize("document", ALL)
def test_a_valid_definition_has_no_errors_and_a_normal_form(
    document: dict[str, Any],
) -> None:
    report = validate(document)
    assert report.valid
    assert report.definition is not None
    assert report.to_wire()["normalized"] == report.definition.wire


@pytest.mark.parametrize("document", ALL)
def test_the_normal_form_is_its_own_normal_form(document: dict[str, Any]) -> None:
    first = validate(document).definition
    assert first is not None
    second = validate_text(json.dumps(first.wire)).definition
    assert second is not None
    assert list(map(str, _paths(second.wire))) == list(map(str, _paths(first.wire)))
    assert second.digest == first.digest
    assert read_definition(first.wire) == first
    assert read_definition(first.wire, digest="known").digest == "known"


def _paths(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [p for k, v in value.items() for p in _paths(v, f"{path}.{k}")]
    if isinstance(value, list):
        return [p for n, v in enumerate(value) for p in _paths(v, f"{path}.{n}")]
    return [(path, value)]


def test_the_normal_form_has_the_keys_in_the_order_of_the_document() -> None:
    shuffled = dict(reversed(POST.items())) | {
        "spec": dict(reversed(POST["spec"].items()))
    }
    definition = validate(shuffled).definition
    assert definition is not None
    assert " ".join(definition.wire) == (
        "id title description type inputSchema risk effect idempotency timeoutMs "
        "secretRefs spec"
    )
    assert list(definition.wire["spec"]) == [
        "request",
        "response",
        "allowPrivateNetwork",
    ]
    request = definition.wire["spec"]["request"]
    assert list(request) == ["method", "urlTemplate", "headers", "body"]
    plain = validate(POST).definition
    assert plain is not None
    assert definition.digest == plain.digest


def test_the_order_of_parameters_is_kept() -> None:
    properties = {name: {"type": "string"} for name in ("q", "b", "a")}
    url = "https://api.test/{{a}}/{{b}}?q={{q}}"
    document = changed(
        HTTP, inputSchema__properties=properties, spec__request__urlTemplate=url
    )
    definition = validate(document).definition
    assert definition is not None
    assert list(definition.wire["inputSchema"]["properties"]) == ["q", "b", "a"]


def test_the_report_does_not_share_the_document() -> None:
    document = changed(
        HTTP,
        inputSchema__properties__q__enum=["a"],
        inputSchema__properties__q__title="t",
    )
    before = json.dumps(document)
    definition = validate(document).definition
    assert definition is not None
    document["inputSchema"]["properties"]["q"]["enum"].append("b")
    document["spec"]["request"]["method"] = "DELETE"
    assert definition.input_schema.parameters["q"].enum == ("a",)
    assert json.dumps(
        validate(json.loads(before)).to_wire()["normalized"]
    ) == json.dumps(definition.wire)


@pytest.mark.parametrize(
    "value", [None, True, 5, 1.5, "text", [], [HTTP], float("nan"), object()]
)
def test_what_is_no_object_is_refused_as_a_whole(value: Any) -> None:
    report = validate(value)
    assert errors(report) == [("FIELD_TYPE", "")]
    assert "the definition must be an object" in report.problems[0].message


def test_an_empty_object_misses_every_required_field() -> None:
    assert errors(validate({})) == [
        ("FIELD_MISSING", path)
        for path in ("id", "title", "description", "type", "inputSchema", "spec")
    ]


def test_a_triple_left_out_in_part_is_missing() -> None:
    assert errors(validate(changed(HTTP, risk=GONE, effect=GONE))) == [
        ("FIELD_MISSING", "risk"),
        ("FIELD_MISSING", "effect"),
    ]


def test_only_http_derives_the_triple() -> None:
    document = changed(CODE, risk=GONE, effect=GONE, idempotency=GONE)
    assert errors(validate(document)) == [
        ("FIELD_MISSING", "risk"),
        ("FIELD_MISSING", "effect"),
        ("FIELD_MISSING", "idempotency"),
    ]


@pytest.mark.parametrize("method", ["HEAD", 5, GONE, ["GET"]])
def test_a_triple_that_cannot_be_derived_is_not_guessed(method: Any) -> None:
    document = changed(
        HTTP, risk=GONE, effect=GONE, idempotency=GONE, spec__request__method=method
    )
    assert [path for _, path in errors(validate(document))] == ["spec.request.method"]


@pytest.mark.parametrize("spec", [5, {}, {"request": 5}])
def test_a_broken_spec_derives_nothing(spec: Any) -> None:
    document = changed(HTTP, risk=GONE, effect=GONE, idempotency=GONE, spec=spec)
    assert all(path.startswith("spec") for _, path in errors(validate(document)))


@pytest.mark.parametrize(
    ("kind", "code"),
    [("ftp", "FIELD_VALUE"), (5, "FIELD_TYPE"), (["sql"], "FIELD_TYPE")],
)
def test_an_unknown_type_leaves_the_spec_unread(kind: Any, code: str) -> None:
    document = changed(HTTP, type=kind, spec={"anything": set()}, title="")
    assert errors(validate(document)) == [("FIELD_VALUE", "title"), (code, "type")]


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("id", "ab", "FIELD_VALUE"),
        ("id", "a" * 65, "FIELD_VALUE"),
        ("id", "1ab", "FIELD_VALUE"),
        ("id", "abc\n", "FIELD_VALUE"),
        ("id", "ábc", "FIELD_VALUE"),
        ("id", 5, "FIELD_TYPE"),
        ("id", "tools_guide", "FIELD_VALUE"),
        ("id", "tools_delete", "FIELD_VALUE"),
        ("title", "", "FIELD_VALUE"),
        ("title", "t" * 161, "FIELD_VALUE"),
        ("title", None, "FIELD_TYPE"),
        ("description", "d" * 4001, "FIELD_VALUE"),
        ("description", "  short   ", "FIELD_VALUE"),
        ("description", [], "FIELD_TYPE"),
        ("inputSchema", [], "FIELD_TYPE"),
        ("risk", "huge", "FIELD_VALUE"),
        ("risk", 1, "FIELD_TYPE"),
        ("effect", "Read", "FIELD_VALUE"),
        ("idempotency", "no", "FIELD_VALUE"),
        ("timeoutMs", 300_001, "FIELD_VALUE"),
        ("timeoutMs", 10**400, "FIELD_VALUE"),
        pytest.param("timeoutMs", 10**6000, "FIELD_VALUE", id="6001 digits"),
        ("timeoutMs", "30000", "FIELD_TYPE"),
        ("timeoutMs", True, "FIELD_TYPE"),
        ("timeoutMs", 1000.5, "FIELD_TYPE"),
        ("timeoutMs", float("nan"), "FIELD_TYPE"),
        ("timeoutMs", float("inf"), "FIELD_TYPE"),
        ("secretRefs", [], "FIELD_TYPE"),
        ("spec", "x", "FIELD_TYPE"),
        ("riks", "read", "FIELD_UNKNOWN"),
    ],
)
def test_each_field_has_its_rule(key: str, value: Any, code: str) -> None:
    report = validate(changed(HTTP, **{key: value}))
    assert errors(report) == [(code, key)]
    assert report.definition is None


def test_a_whole_float_is_an_integer_and_is_written_as_one() -> None:
    definition = validate(changed(HTTP, timeoutMs=5000.0)).definition
    assert definition is not None
    assert json.dumps(definition.wire["timeoutMs"]) == "5000"


@pytest.mark.parametrize(
    ("document", "timeout_ms"), [(HTTP, 30_000), (CODE, 30_000), (VISION, 60_000)]
)
def test_an_absent_time_limit_is_filled(document: Any, timeout_ms: int) -> None:
    definition = validate(changed(document, timeoutMs=GONE)).definition
    assert definition is not None
    assert definition.timeout_ms == timeout_ms


def test_a_long_id_only_warns() -> None:
    assert warnings(validate(changed(HTTP, id="a" * 58))) == [("NAME_LONG", "id")]
    assert validate(changed(HTTP, id="a" * 57)).problems == ()


def test_problems_stand_in_the_order_of_the_document() -> None:
    header = {"name": "Host", "valueTemplate": "{{x}}", "color": 1}
    document = changed(
        POST,
        zzz=1,
        id="tools_list",
        inputSchema__properties__q__color="red",
        inputSchema__properties__unused={"type": "string"},
        secretRefs={"k": "custom-tool:tools_list:k", "u": "custom-tool:tools_list:u"},
        risk="read",
        spec__request__headers=[{"name": "X"}, header],
        spec__response__format="xml",
    )
    del document["title"]
    assert found(validate(document).problems) == [
        ("FIELD_VALUE", "id"),
        ("FIELD_MISSING", "title"),
        ("FIELD_UNKNOWN", "inputSchema.properties.q.color"),
        ("RISK_BELOW_FLOOR", "risk"),
        ("RISK_INCONSISTENT", "effect"),
        ("SECRET_UNUSED", "secretRefs.k"),
        ("SECRET_UNUSED", "secretRefs.u"),
        ("FIELD_VALUE", "spec.request.headers.0"),
        ("HEADER_NOT_ALLOWED", "spec.request.headers.1.name"),
        ("INVALID_TEMPLATE", "spec.request.headers.1.valueTemplate"),
        ("FIELD_UNKNOWN", "spec.request.headers.1.color"),
        ("FIELD_VALUE", "spec.response.format"),
        ("FIELD_UNKNOWN", "zzz"),
    ]


def test_unknown_keys_are_told_with_the_known_ones() -> None:
    problem = validate(changed(HTTP, Timeout=1)).problems[0]
    assert problem.hint is not None
    assert "timeoutMs" in problem.hint


def test_keys_that_are_no_text_are_unknown_keys() -> None:
    document: dict[Any, Any] = {**HTTP, 5: 1, None: 2, (1, 2): 3}
    assert errors(validate(document)) == [
        ("FIELD_UNKNOWN", "<int>"),
        ("FIELD_UNKNOWN", "<NoneType>"),
        ("FIELD_UNKNOWN", "<tuple>"),
    ]


def test_messages_and_paths_show_neither_secrets_nor_control_characters() -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3
    hostile = "\x1b[31m\u202e\n"
    document = changed(HTTP, id=key, title=5, effect=hostile, **{key: 1, hostile: 2})
    text = str([p.to_wire() for p in validate(document).problems])
    assert key not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[REDACTED]" in text


def test_a_long_value_is_cut_in_the_message() -> None:
    problem = validate(changed(HTTP, effect="x" * 5000)).problems[0]
    assert len(problem.message) < 200


@pytest.mark.parametrize("odd", ["\ud800", "\0"])
def test_texts_that_cannot_be_stored_are_refused_where_they_stand(odd: str) -> None:
    document = changed(
        HTTP,
        title=f"a{odd}",
        spec__request__headers=[{"name": "A", "valueTemplate": "x"}],
    )
    for report in (validate(document), validate_text(json.dumps(document))):
        assert errors(report)[0] == ("FIELD_VALUE", "title")
        assert len(report.errors) == 1
    assert not validate(document, imported=True).valid


def test_a_backslash_before_u0000_is_plain_text() -> None:
    assert validate(changed(HTTP, title=r"\u0000")).valid


def test_a_definition_above_a_mebibyte_is_refused() -> None:
    document = changed(HTTP, title="t" * (1 << 20))
    assert errors(validate(document)) == [
        ("FIELD_VALUE", ""),
        ("FIELD_VALUE", "title"),
    ]
    assert errors(validate_text(json.dumps(document))) == [("FIELD_VALUE", "")]
    large = " " * (1 << 20) + json.dumps(HTTP)
    assert errors(validate_text(large)) == [("FIELD_VALUE", "")]
    assert validate_text(large, imported=True).valid


def test_a_repeated_key_is_refused_and_only_warns_when_imported() -> None:
    text = json.dumps(HTTP).replace('"id": "items"', '"id": "other", "id": "items"')
    assert errors(validate_text(text)) == [("FIELD_VALUE", "id")]
    imported = validate_text(text, imported=True)
    assert warnings(imported) == [("FIELD_VALUE", "id")]
    assert imported.definition is not None
    assert imported.definition.id == "items"


@pytest.mark.parametrize(
    "text", ["", "{", "nope", b"\xff", "[" * 100_000, '{"a":' + "9" * 5000 + "}"]
)
def test_what_is_no_json_is_one_problem(text: str | bytes) -> None:
    report = validate_text(text)
    assert errors(report) == [("FIELD_VALUE", "")]


def test_null_is_read_and_refused() -> None:
    assert errors(validate_text("null")) == [("FIELD_TYPE", "")]


def test_an_endless_number_is_told_once() -> None:
    text = json.dumps(HTTP).replace("30000", "1e999")
    report = validate_text(text)
    assert ("FIELD_VALUE", "timeoutMs") in errors(report)


def test_python_values_that_are_no_json_do_not_crash() -> None:
    circular = changed(HTTP)
    circular["spec"]["circle"] = circular
    assert errors(validate(circular)) == [("FIELD_UNKNOWN", "spec.circle")]
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    document = changed(HTTP, inputSchema__properties__q__default=deep)
    assert errors(validate(document)) == [
        ("FIELD_TYPE", "inputSchema.properties.q.default.0")
    ]
    assert errors(validate(changed(HTTP, title={1, 2}))) == [("FIELD_TYPE", "title")]


def test_an_invalid_report_has_no_normal_form() -> None:
    wire = validate(changed(HTTP, title="")).to_wire()
    assert list(wire) == ["valid", "errors", "warnings"]
    assert wire["valid"] is False
    assert wire["errors"][0]["path"] == "title"
