"""Both forms of a cell, and what becomes of them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.compat import StringIO

from sparknb.core.templates import parse_json_body
from sparknb.core.validation import validate
from sparknb.importers.cell import Cell, read_cell
from tests.core.validation.samples import CODE, GONE, HTTP, VISION, changed
from tests.core.validation.samples import POST as POSTING
from tests.importers.cell.told import PLAIN, WEATHER, document, only, problems, told

_GAP = re.compile(r"\s+")
POST = PLAIN.replace("GET", "POST")


# ---------------------------------------------------------------- the short form
def test_the_short_form_of_the_specification_is_this_definition() -> None:
    assert document(WEATHER) == {
        "id": "weather",
        "type": "http",
        "title": "Weather lookup",
        "description": "Current weather of one city. "
        "Use only when the user asks about the weather now.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City name"},
                "units": {
                    "type": "string",
                    "enum": ["metric", "imperial"],
                    "default": "metric",
                },
            },
            "required": ["city"],
        },
        "secretRefs": {"api_key": "custom-tool:weather:api_key"},
        "spec": {
            "request": {
                "method": "GET",
                "urlTemplate": "http://127.0.0.1:8765/weather"
                "?city={{city}}&units={{units}}",
                "headers": [{"name": "X-Api-Key", "secretRef": "api_key"}],
            },
            "response": {
                "format": "json",
                "extract": [{"label": "Temperature", "jsonPath": "$.current.temp_c"}],
            },
        },
    }


def test_what_is_left_out_is_filled_in() -> None:
    made = document(PLAIN)
    assert made["inputSchema"] == {"type": "object", "properties": {}}
    assert made["spec"]["response"] == {"format": "json"}
    assert not {"risk", "secretRefs", "timeoutMs"} & made.keys()


def test_the_other_keys_keep_their_names() -> None:
    more = "timeoutMs: 2000\nallowPrivateNetwork: false\nrisk: high-write\n"
    more += "effect: send\nidempotency: keyed\nresponse: {maxSizeBytes: 10}\n"
    made = document(POST + more)
    assert made["timeoutMs"] == 2000
    assert made["spec"]["allowPrivateNetwork"] is False
    assert made["spec"]["response"] == {"format": "json", "maxSizeBytes": 10}
    assert [made[k] for k in ("risk", "effect", "idempotency")] == [
        "high-write",
        "send",
        "keyed",
    ]


def test_parameters_are_optional_with_a_question_mark() -> None:
    params = "params:\n  a: {type: string}\n  b?: {type: integer}\n"
    schema = document(PLAIN.replace("/items", "/items?a={{a}}&b={{b}}") + params)[
        "inputSchema"
    ]
    assert (list(schema["properties"]), schema["required"]) == (["a", "b"], ["a"])
    line, problem = only(PLAIN + params.replace("a:", "b:"))
    assert (line, problem.path) == (7, "params.b")


def test_one_secret_in_two_headers_is_declared_once() -> None:
    headers = "headers: {X-Api-Key: secret:k, Authorization: 'secret: k', A: b}\n"
    made = document(PLAIN + headers)
    assert made["secretRefs"] == {"k": "custom-tool:weather:k"}
    assert made["spec"]["request"]["headers"] == [
        {"name": "X-Api-Key", "secretRef": "k"},
        {"name": "Authorization", "secretRef": "k"},
        {"name": "A", "valueTemplate": "b"},
    ]


@pytest.mark.parametrize(
    ("body", "template"),
    [
        ('{n: "{{n}}"}', '{"n": {{n}}}'),
        ('{n: " {{ n | json }} "}', '{"n": {{ n | json }}}'),
        ('{n: "a {{n}}"}', '{"n": "a {{n}}"}'),
        ("[1.50, 1e3, 0x10, +5, .5, -0.0]", "[1.50, 1e3, 16, 5, 0.5, -0.0]"),
        ("[true, null, no, ~, '5']", '[true, null, "no", null, "5"]'),
        ("{}", "{}"),
        ("[[], {a: {b: {c: 1}}}]", '[[], {"a": {"b": {"c": 1}}}]'),
        ('["é\\n\\"\\\\"]', '["é\\n\\"\\\\"]'),
        ('["{a{b {{n}}}}"]', r'["{a{b {{n}}\u007d\u007d"]'),
        ('"{{n}}"', "{{n}}"),
    ],
)
def test_a_body_in_yaml_becomes_a_json_template(body: str, template: str) -> None:
    used = "params: {n?: {type: string}}\n" if "{{n" in body or "{{ n" in body else ""
    made = document(f"{POST}{used}body: {body}\n")["spec"]["request"]["body"]
    assert made["mode"] == "json"
    assert _GAP.sub("", made["jsonTemplate"]) == _GAP.sub("", template)
    found, told_of = parse_json_body(made["jsonTemplate"], None)
    assert found is not None
    assert not told_of


def test_digits_of_a_body_are_kept_as_they_are_written() -> None:
    made = document(f"{POST}body: [1.50, 100000000000000000000001]\n")
    template = made["spec"]["request"]["body"]["jsonTemplate"]
    assert template.split() == ["[", "1.50,", "100000000000000000000001", "]"]


@pytest.mark.parametrize(
    ("headers", "body", "kind"),
    [
        ("", "hello", "text/plain; charset=utf-8"),
        ("", '"{{n}} hello"', "text/plain; charset=utf-8"),
        ("headers: {content-type: text/csv}\n", '"{a}"', "text/csv"),
        ("headers: {Content-Type: secret:k}\n", "hello", "text/plain; charset=utf-8"),
        ("", "'{\"a\": {{n}}}'", None),
        ("", "|\n  [{{n}}]", None),
        ("headers: {Content-Type: application/json}\n", '"5"', None),
        ("headers: {Content-Type: application/x+json; a=b}\n", '"5"', None),
    ],
)
def test_a_body_in_text_is_sent_as_text_unless_it_is_json(
    headers: str, body: str, kind: str | None
) -> None:
    params = "params: {n: {type: integer}}\n" if "{{n" in body else ""
    made = document(f"{POST}{params}{headers}body: {body}\n")["spec"]["request"]["body"]
    assert made.get("contentType") == kind
    assert made["mode"] == ("json" if kind is None else "text")


def test_what_is_left_of_the_risk_is_derived() -> None:
    keys = ("risk", "effect", "idempotency")
    raised = document(f"{POST}risk: high-write\n")
    assert [raised[k] for k in keys] == ["high-write", "create", "unsafe"]
    worst = document(PLAIN.replace("GET", "PUT") + "risk: destructive\n")
    assert [worst[k] for k in keys] == ["destructive", "update", "unsafe"]
    other = document(f"{POST}effect: send\n")
    assert [other[k] for k in keys] == ["low-write", "send", "unsafe"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_risk_below_the_floor_is_the_one_problem(method: str) -> None:
    line, problem = only(PLAIN.replace("GET", method) + "risk: read\n")
    assert (line, problem.path, problem.code) == (5, "risk", "RISK_BELOW_FLOOR")
    floor = "destructive" if method == "DELETE" else "low-write"
    assert floor in problem.message


# ----------------------------------------------------------------- the long form
def as_yaml(value: Any) -> str:
    stream = StringIO()
    YAML(typ="safe", pure=True).dump(value, stream)
    return str(stream.getvalue())


@pytest.mark.parametrize("definition", [HTTP, POSTING, CODE, VISION])
@pytest.mark.parametrize("spell", [json.dumps, as_yaml])
def test_the_long_form_is_the_definition_itself(spell: Any, definition: Any) -> None:
    cell = read_cell(spell(definition), tool_id="items")
    assert cell.document == definition
    assert tuple(cell.check()) == validate(definition).problems


def test_the_long_form_takes_id_and_type_from_the_magic() -> None:
    rest = changed(HTTP, id=GONE, type=GONE)
    cell = read_cell(json.dumps(rest), tool_id="items", tool_type="http")
    assert cell.document == HTTP


def test_problems_of_the_long_form_are_at_its_own_paths() -> None:
    wrong = changed(HTTP, spec__request__method="FETCH", spec__respones={})
    text = json.dumps(changed(wrong, spec__response=GONE), indent=1)
    cell = read_cell(text, tool_id="items")
    found = cell.check()
    lines = cell.lines([p.path for p in found])
    for problem in found:
        key = problem.path.rpartition(".")[2]
        assert f'"{key}"' in text.splitlines()[lines[problem.path] - 2]
    assert {p.path for p in found} == {"spec.request.method", "spec.respones"}
    assert any("did you mean response?" in (p.hint or "") for p in found)


# ------------------------------------------------------------------- one or other
def test_mixed_forms_are_refused_with_the_key_and_its_line() -> None:
    line, problem = only(f"{WEATHER}spec: {{}}\n")
    assert (line, problem.path, problem.code) == (10, "spec", "FIELD_UNKNOWN")
    assert "request, headers, body and response" in (problem.hint or "")
    assert told("inputSchema: {}\nparams: {}\ntitle: x\nheaders: {}\n") == [
        (3, "params", "FIELD_UNKNOWN"),
        (5, "headers", "FIELD_UNKNOWN"),
    ]


def test_the_id_and_the_type_have_to_agree_with_the_magic() -> None:
    line, problem = only(f"{PLAIN}id: other\n")
    assert (line, problem.path) == (5, "id")
    assert "weather" in problem.message
    assert problems(f"{PLAIN}id: weather\ntype: http\n") == []
    cell = read_cell(f"{PLAIN}type: code\n", tool_id="weather", tool_type="http")
    assert [p.path for p in cell.problems] == ["type"]


def test_without_a_magic_the_body_names_the_tool() -> None:
    cell = read_cell(f"id: items\n{PLAIN}")
    assert not cell.check()
    assert cell.document is not None
    assert cell.document["id"] == "items"
    nameless = read_cell(PLAIN)
    assert [p.path for p in nameless.check()] == ["id"]
    assert read_cell("inputSchema: {}").document == {"type": "http", "inputSchema": {}}


def test_a_bad_id_stands_on_the_line_of_the_magic() -> None:
    cell = read_cell(PLAIN, tool_id="No")
    (problem,) = cell.check()
    assert cell.lines([problem.path]) == {"id": 1}


def test_the_cell_knows_what_it_says() -> None:
    cell = read_cell(WEATHER, tool_id="weather")
    assert cell.says("params")
    assert not cell.says("risk")
    assert not read_cell("[]").says("risk")
    assert not read_cell("").says("risk")


# ------------------------------------------------------------------ image tools
def image_tool(body: str) -> Cell:
    return read_cell(body, tool_id="look", tool_type="vision")


@pytest.mark.parametrize(
    ("tool_type", "word", "other"),
    [
        ("vision", "providerProfileId", "request"),
        ("http", "request", "providerProfileId"),
        (None, "request", "providerProfileId"),
    ],
)
def test_an_empty_cell_says_what_a_tool_of_its_type_is_written_with(
    tool_type: str | None, word: str, other: str
) -> None:
    for body in ("", "\n# only a comment\n", "- a\n"):
        (found,) = read_cell(body, tool_id="look", tool_type=tool_type).check()
        assert word in (found.hint or "")
        assert other not in (found.hint or "")


def test_an_image_tool_has_the_long_form_from_its_first_key_on() -> None:
    body = "title: Look\ndescription: Tells what a picture shows.\n"
    found = image_tool(body).check()
    assert [p.path for p in found] == [
        "inputSchema",
        "risk",
        "effect",
        "idempotency",
        "spec",
    ]
    (mixed,) = image_tool(f"{body}params: {{}}\n").check()
    assert (mixed.path, mixed.code) == ("params", "FIELD_UNKNOWN")
    assert "an image tool has the long form only" in (mixed.hint or "")


def test_the_page_about_providers_shows_one_tool_as_json_and_as_a_cell() -> None:
    page = (Path(__file__).parents[3] / "docs" / "providers.md").read_text("utf-8")
    shown = re.findall(r"```(?:json|yaml)\n(.*?)```", page, re.DOTALL)
    (as_json,) = [json.loads(text) for text in shown if text.startswith("{")]
    (cell,) = [text for text in shown if text.startswith("%%")]
    line, _, body = cell.partition("\n")
    assert line == "%%spark_tool look --type vision"
    assert image_tool(body).check() == []
    assert image_tool(body).document == as_json
