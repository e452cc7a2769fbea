"""A definition written as a cell makes just this definition."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparknb.core.validation import validate
from sparknb.importers.cell import read_cell, write_cell

Definition = dict[str, Any]

ODD = st.sampled_from([
    "no", "on", "1e3", "null", "a: b", "a #b", "- a", "${x}", "$${x}", "'", '"', "\\",
    "x\n  y\n", "\n", " a", "a ", "\u2028", "\x85", "\ufeff", "secret:x", "&a", "*a",
    "!b", "%", "@", "`", "? a", "{a}", "[a]", "a,b", "a:", ":", "~", "0x1F", ".inf",
    "2024-01-01", "tab\there", "é", "\U0001f600",
])  # fmt: skip
TEXTS = ODD | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def http(**changes: Any) -> Definition:
    definition: Definition = {
        "id": "weather",
        "title": "Weather",
        "description": "Gives the weather of a city.",
        "type": "http",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
        "spec": {
            "request": {"method": "GET", "urlTemplate": "https://a.test/w?c={{city}}"},
            "response": {"format": "json"},
        },
    }
    return definition | changes


def normal(definition: Definition) -> Definition:
    report = validate(definition)
    assert report.normalized is not None, report.problems
    return dict(report.normalized)


def made_by(cell: str, variables: dict[str, str] | None = None) -> Definition:
    first, _, body = cell.partition("\n")
    assert first.startswith("%%spark_tool weather")
    read = read_cell(body, variables or {}, tool_id="weather")
    assert read.check() == () or all(p.level != "error" for p in read.check())
    assert read.document is not None
    return normal(read.document)


def request(**changes: Any) -> Definition:
    spec = http()["spec"]
    return http(spec=spec | {"request": spec["request"] | changes})


def test_the_short_form_is_written_as_a_person_would() -> None:
    tool = request(headers=[{"name": "X-Api-Key", "secretRef": "key"}])
    tool["secretRefs"] = {"key": "custom-tool:weather:key"}
    assert write_cell(normal(tool)) == (
        "%%spark_tool weather\n"
        "title: Weather\n"
        "description: Gives the weather of a city.\n"
        "params:\n"
        "  city?: {type: string}\n"
        "request: GET https://a.test/w?c={{city}}\n"
        "headers:\n"
        "  X-Api-Key: secret:key\n"
        "response: {format: json}\n"
    )


@pytest.mark.parametrize(
    "tool",
    [
        request(
            method="POST",
            body={"mode": "form", "fields": [{"name": "a b", "valueTemplate": "x"}]},
        ),
        request(
            method="POST",
            body={"mode": "text", "contentType": "text/csv", "template": "a,b\n1,2\n"},
        ),
        request(method="PUT", body={"mode": "json", "jsonTemplate": "5"}),
        request(method="PUT", body={"mode": "json", "jsonTemplate": '{"a": {{city}}}'}),
        request(headers=[{"name": "X-Note", "valueTemplate": "secret:not one"}]),
        http(risk="destructive", effect="read", idempotency="unsafe"),
        http(timeoutMs=1000),
        http(spec=http()["spec"] | {"allowPrivateNetwork": False}),
    ],
    ids=["form", "text", "number", "json", "word", "risk", "timeout", "private"],
)
def test_what_the_short_form_cannot_say_is_said_in_the_long_one(
    tool: Definition,
) -> None:
    cell = write_cell(normal(tool))

    assert cell is not None
    assert made_by(cell) == normal(tool)


@settings(max_examples=50)
@given(title=TEXTS, description=TEXTS, default=TEXTS, value=TEXTS, label=TEXTS)
def test_any_text_survives(
    title: str, description: str, default: str, value: str, label: str
) -> None:
    tool = request(
        method="POST",
        body={"mode": "text", "contentType": "text/plain", "template": value or "x"},
    )
    schema = {
        "city": {"type": "string", "description": description, "default": default}
    }
    tool["inputSchema"] = {"type": "object", "properties": schema}
    tool["title"], tool["description"] = title or "t", f"0123456789{description}"
    extract = [{"label": label or "l", "jsonPath": "$.a"}]
    tool["spec"]["response"]["extract"] = extract
    report = validate(tool)
    if report.normalized is None:
        return
    cell = write_cell(report.normalized)
    assert cell is not None
    assert made_by(cell) == report.normalized


def posted(template: str) -> str:
    tool = request(method="POST", body={"mode": "json", "jsonTemplate": template})
    cell = write_cell(normal(tool))
    assert cell is not None
    assert made_by(cell) == normal(tool)
    return cell


def test_a_json_body_is_a_mapping_where_that_sends_the_same() -> None:
    template = '{\n  "city": {{city}},\n  "note": "to {{city}}",\n  "n": 1.50\n}'
    assert 'body: {city: "{{city}}", note: "to {{city}}", n: 1' not in posted(template)
    cell = posted(template.replace("1.50", "1.5"))
    assert '\nbody: {city: "{{city}}", note: "to {{city}}", n: 1.5}\n' in cell


@pytest.mark.parametrize(
    "template",
    [
        '{"city": {{city}}, "note": "a \\"b\\""}',
        '{\n  "city": "{{city}}"\n}',
        '[1, [2, "{{city}}"]]',
    ],
    ids=["one line", "always text", "list"],
)
def test_any_other_json_body_stands_as_it_is_without_escapes(template: str) -> None:
    block = "".join(f"  {line}\n" for line in template.split("\n"))
    assert f"\nbody: |-\n{block}" in posted(template)


def test_a_body_that_is_deeper_than_a_cell_is_not_written() -> None:
    template = "[" * 120 + '"x"' + "]" * 120
    tool = request(method="POST", body={"mode": "json", "jsonTemplate": template})
    assert write_cell(normal(tool)) is None


def test_the_long_form_leaves_out_what_holds_anyway() -> None:
    body = {"mode": "form", "fields": [{"name": "a", "valueTemplate": "x"}]}
    cell = write_cell(normal(request(method="POST", body=body)))
    assert cell is not None
    assert "\nspec:\n" in cell
    assert "timeoutMs" not in cell
    assert "maxSizeBytes" not in cell
    assert "\n  response: {format: json}\n" in cell


def test_a_variable_stands_by_its_name() -> None:
    tool = request(urlTemplate="http://127.0.0.1:8701/w?x=${base}&c={{city}}")
    variables = {"base": "http://127.0.0.1:8701", "unused": "zzz", "empty": ""}
    cell = write_cell(normal(tool), variables)

    assert cell is not None
    assert cell.startswith("%%spark_tool weather --var base\n")
    assert "request: GET ${base}/w?x=$${base}&c={{city}}\n" in cell
    assert made_by(cell, variables) == normal(tool)


def test_what_no_cell_can_hold_is_not_written() -> None:
    template = '{"a": "' + "\u2028" * 60_000 + '"}'
    tool = request(method="POST", body={"mode": "json", "jsonTemplate": template})
    assert write_cell(normal(tool)) is None
