"""The numbered acceptance examples of the Studio specification, one test each.

Seen through the host; what only a rendered request can show is read from what a
real server received.
"""

import gzip
import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import (
    ConflictError,
    InvalidInputError,
    KeychainUnavailableError,
)
from sparknb.host import FlagApprover
from tests.hosting import Definition, Session, http_tool

URL = "https://api.test/items?q={{q}}"


def problems(session: Session, tool: Definition) -> dict[str, set[str]]:
    """Give the codes of all errors by path."""
    report = session.run(session.host.studio.validate(tool))
    found: dict[str, set[str]] = {}
    for problem in report.errors:
        found.setdefault(problem.path, set()).add(problem.code)
    return found


def tool_at(
    url: str, properties: dict[str, Any] | None = None, **request: Any
) -> Definition:
    """Give tool T with another URL, and optional params unless T's own are meant."""
    tool = http_tool(url, method=request.pop("method", "GET"))
    tool["spec"]["request"] |= request
    if properties is not None:
        tool["inputSchema"] = {"type": "object", "properties": properties}
    return tool


def targets(httpserver: HTTPServer) -> list[str]:
    """Give the request targets as they arrived."""
    return [str(r.environ["REQUEST_URI"]) for r, _ in httpserver.log]


def test_01_a_reserved_type_is_one_problem(session: Session) -> None:
    tool = {**http_tool(URL), "type": "sql", "spec": {"what": "ever"}}
    report = session.run(session.host.studio.validate(tool))
    [problem] = report.errors
    assert (problem.code, problem.path) == ("NOT_IMPLEMENTED", "type")
    for kind in ("http", "code", "provider-vision"):
        assert kind in problem.message


def test_02_three_bad_values_are_three_problems_of_one_report(session: Session) -> None:
    tool = {**http_tool(URL), "id": "Ab", "description": "Nine char", "timeoutMs": 999}
    assert problems(session, tool) == {
        "id": {"FIELD_VALUE"},
        "description": {"FIELD_VALUE"},
        "timeoutMs": {"FIELD_VALUE"},
    }


def test_03_risk_has_a_floor_and_is_derived_when_left_out(session: Session) -> None:
    post = tool_at(URL, method="POST")
    post |= {"risk": "read", "effect": "create", "idempotency": "unsafe"}
    found = problems(session, post)
    assert "RISK_BELOW_FLOOR" in found["risk"]
    assert found["effect"] == {"RISK_INCONSISTENT"}
    report = session.run(session.host.studio.validate(tool_at(URL, method="DELETE")))
    assert report.definition is not None
    derived = report.definition
    assert (derived.risk, derived.effect, derived.idempotency) == (
        "destructive",
        "delete",
        "unsafe",
    )


def test_04_the_input_schema_is_checked(session: Session) -> None:
    plain = tool_at("https://api.test/", {"x": {"type": "array"}})
    assert problems(session, plain) == {
        "inputSchema.properties.x.items": {"FIELD_MISSING"}
    }
    mixed = tool_at("https://api.test/", {"x": {"type": "string", "enum": ["a", 1]}})
    assert problems(session, mixed) == {
        "inputSchema.properties.x.enum.1": {"FIELD_VALUE"}
    }
    many = {f"p{n}": {"type": "string"} for n in range(33)}
    assert problems(session, tool_at("https://api.test/", many)) == {
        "inputSchema.properties": {"FIELD_VALUE"}
    }


def test_05_a_bad_input_makes_no_request(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    session.publish(get_tool)
    result = session.call("items", {"q": "  ", "z": 1})
    assert result.error_code == "INVALID_INPUT"
    assert {p.path for p in result.problems} == {"input.q", "input.z"}
    assert httpserver.log == []


def test_06_values_are_percent_encoded(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("")
    session.publish(get_tool)
    assert session.call("items", {"q": "a b/é&x=1"}).ok
    assert targets(httpserver) == ["/items?q=a%20b%2F%C3%A9%26x%3D1"]


@pytest.mark.parametrize("url", ["https://{{q}}.api.test/", "https://api.test:{{q}}/"])
def test_07_the_model_does_not_choose_the_host(session: Session, url: str) -> None:
    tool = http_tool(url)
    path = "spec.request.urlTemplate"
    assert problems(session, tool) == {path: {"INVALID_TEMPLATE"}}
    from sparknb.core.validation import validate

    imported = validate(tool, imported=True)
    assert imported.valid
    warned = {(w.path, w.code) for w in imported.warnings}
    assert (path, "INVALID_TEMPLATE") in warned


def test_08_a_value_does_not_climb_or_drop_a_path_level(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/f/../x").respond_with_data("")
    one_string = {"p": {"type": "string"}}
    session.publish(tool_at(f"{origin}/f/{{{{p}}}}", one_string))
    climbing = session.call("items", {"p": ".."})
    assert climbing.error_code == "INVALID_INPUT"
    assert [p.path for p in climbing.problems] == ["input.p"]
    session.call("items", {"p": "../x"})
    assert targets(httpserver) == ["/f/..%2Fx"]
    session.publish(tool_at(f"{origin}/f/.{{{{p}}}}", one_string))
    assert session.call("items", {"p": "."}).error_code == "INVALID_INPUT"


def test_09_a_value_does_not_add_a_header(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    header = [{"name": "X-Mark", "valueTemplate": "{{v}}"}]
    session.publish(tool_at(f"{origin}/", {"v": {"type": "string"}}, headers=header))
    result = session.call("items", {"v": "a\r\nX: 1"})
    assert result.error_code == "INVALID_INPUT"
    assert [p.path for p in result.problems] == ["input.v"]
    assert httpserver.log == []


def json_tool(origin: str, template: str, properties: dict[str, Any]) -> Definition:
    body = {"mode": "json", "jsonTemplate": template}
    return tool_at(f"{origin}/", properties, method="POST", body=body)


def test_10_a_value_keeps_its_type_and_never_changes_the_json(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/").respond_with_data("")
    both = {"n": {"type": "integer"}, "s": {"type": "string"}}
    session.publish(json_tool(origin, '{"n": {{n}}, "s": "hi {{s}}"}', both))
    arguments = {"n": 5, "s": '"}'}
    assert session.call("items", arguments, approver=FlagApprover()).ok
    assert httpserver.log[0][0].get_data() == b'{"n":5,"s":"hi \\"}"}'
    path = "spec.request.body.jsonTemplate"
    name = {"k": {"type": "string"}}
    refused = json_tool(origin, '{"{{k}}": 1}', name)
    assert problems(session, refused) == {path: {"INVALID_TEMPLATE"}}
    nested = json_tool(origin, '{"a":{"b":{{n}}}}', {"n": {"type": "integer"}})
    assert problems(session, nested) == {}
    loose = json_tool(origin, '{"q":"a }}"}', {})
    assert problems(session, loose) == {path: {"INVALID_TEMPLATE"}}


def test_11_an_absent_optional_value_leaves_its_place_out(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("")
    httpserver.expect_request("/").respond_with_data("")
    optional = {"q": {"type": "string"}}
    session.publish(tool_at(f"{origin}/items?q={{{{q}}}}", optional))
    assert session.call("items", {}).ok
    assert targets(httpserver) == ["/items"]
    number = {"a": {"type": "integer"}}
    session.publish(json_tool(origin, '{"a":{{a}},"b":1}', number))
    assert session.call("items", {}, approver=FlagApprover()).ok
    assert httpserver.log[-1][0].get_data() == b'{"b":1}'
    session.publish(json_tool(origin, '{"c":"x {{a}}"}', number))
    refused = session.call("items", {}, approver=FlagApprover())
    assert [p.path for p in refused.problems] == ["input.a"]


def test_12_forms_spread_arrays_and_carry_json(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/").respond_with_data("")
    ids = {"ids": {"type": "array", "items": {"type": "integer"}}}
    for form, expected in (("repeat", "/?ids=1&ids=2"), ("csv", "/?ids=1,2")):
        session.publish(tool_at(f"{origin}/?ids={{{{ids | {form}}}}}", ids))
        assert session.call("items", {"ids": [1, 2]}).ok
        assert targets(httpserver)[-1] == expected
    text = {"body": {"type": "string"}}
    session.publish(json_tool(origin, "{{body | json}}", text))
    refused = session.call("items", {"body": '{"a":'}, approver=FlagApprover())
    assert refused.error_code == "INVALID_INPUT"
    assert [p.path for p in refused.problems] == ["input.body"]


def test_13_sensitive_names_take_no_template(session: Session) -> None:
    header = [{"name": "Authorization", "valueTemplate": "x"}]
    tool = tool_at(URL, headers=header)
    path = "spec.request.headers.0.valueTemplate"
    assert problems(session, tool)[path] == {"SENSITIVE_NAME"}
    url = "spec.request.urlTemplate"
    key = http_tool("https://api.test/?api_key={{q}}")
    assert problems(session, key) == {url: {"SENSITIVE_NAME"}}
    assert problems(session, http_tool("https://api.test/?page_token={{q}}")) == {}
    person = tool_at("https://u:p@api.test/", {})
    assert problems(session, person) == {url: {"INVALID_TEMPLATE"}}


def test_14_secret_references_are_the_tools_own_and_used(session: Session) -> None:
    foreign = {**http_tool(URL), "secretRefs": {"k": "custom-tool:other:k"}}
    assert "SECRET_REFERENCE" in problems(session, foreign)["secretRefs.k"]
    unused = {**http_tool(URL), "secretRefs": {"k": "custom-tool:items:k"}}
    assert problems(session, unused) == {"secretRefs.k": {"SECRET_UNUSED"}}
    code = {
        **{k: v for k, v in http_tool(URL).items() if k != "spec"},
        "type": "code",
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "secretRefs": {"k": "custom-tool:items:k"},
        "spec": {"runtime": {"language": "python", "source": "def run(q): return q"}},
    }
    assert problems(session, code) == {"secretRefs": {"SECRET_NOT_ALLOWED"}}


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "[::ffff:10.0.0.1]"])
def test_22_private_addresses_are_denied_when_not_allowed(
    session: Session, httpserver: HTTPServer, host: str
) -> None:
    tool = tool_at(f"http://{host}:{httpserver.port}/", {})
    tool["spec"]["allowPrivateNetwork"] = False
    result = session.run(session.host.studio.test(tool, {}))
    assert result.error_code == "DENIED"
    assert httpserver.log == []


def test_23_metadata_addresses_are_denied_unless_allowed(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/").respond_with_data("here")
    local = session.run(session.host.studio.test(tool_at(f"{origin}/", {}), {}))
    assert local.text == "here"
    for host in ("169.254.169.254", "metadata.google.internal"):
        tool = tool_at(f"http://{host}/", {})
        denied = session.run(session.host.studio.test(tool, {}))
        assert denied.error_code == "DENIED"
        tool["spec"]["allowPrivateNetwork"] = True
        tried = session.run(session.host.studio.test({**tool, "timeoutMs": 1000}, {}))
        assert tried.error_code in ("UNREACHABLE", "TIMEOUT")


def test_25_credentials_do_not_follow_to_another_origin(
    session: Session,
    httpserver: HTTPServer,
    post_tool: Definition,
    other_server: HTTPServer,
) -> None:
    other_server.expect_request("/landing").respond_with_data("landed")
    httpserver.expect_request("/orders").respond_with_data(
        "", status=303, headers={"Location": other_server.url_for("/landing")}
    )
    session.run(session.host.studio.draft(post_tool))
    session.run(session.host.secrets.set("place_order", "key", "s3cret-value"))
    session.run(session.host.studio.publish("place_order"))
    result = session.call("place_order", {"q": "x"}, approver=FlagApprover())
    assert result.text == "landed"
    first, second = httpserver.log[0][0], other_server.log[0][0]
    assert first.headers["X-Api-Key"] == "s3cret-value"
    assert "X-Api-Key" not in second.headers
    assert (second.method, second.get_data()) == ("GET", b"")


def test_25_the_eleventh_redirect_is_an_error(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/loop").respond_with_data(
        "", status=302, headers={"Location": "/loop"}
    )
    tool = tool_at(f"{origin}/loop", {})
    result = session.run(session.host.studio.test(tool, {}))
    assert result.error_code == "HTTP_ERROR"
    assert len(httpserver.log) == 11


def test_26_a_failing_status_shows_the_beginning_of_the_body(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/").respond_with_data("é" * 2000, status=404)
    result = session.run(session.host.studio.test(tool_at(f"{origin}/", {}), {}))
    assert result.error_code == "HTTP_ERROR"
    assert result.text.count("é") == 500
    assert "404" in result.text


def test_27_a_large_body_is_cut_and_a_bomb_is_bounded(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/large").respond_with_data(b"x" * 300_000)
    bomb = gzip.compress(b"\0" * 50_000_000, 9)

    def explode(request: Request) -> Response:
        return Response(bomb, headers={"Content-Encoding": "gzip"})

    httpserver.expect_request("/bomb").respond_with_handler(explode)
    for path in ("/large", "/bomb"):
        tool = tool_at(f"{origin}{path}", {})
        result = session.run(session.host.studio.test(tool, {}))
        assert result.ok
        assert (result.meta.bytes, result.meta.truncated) == (262_144, True)


def test_28_extracts_make_a_table(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    answer = {"a": [{"n": "x|y"}, {"n": None}], "t": 1}
    httpserver.expect_request("/").respond_with_json(answer)
    tool = tool_at(f"{origin}/", {})
    tool["spec"]["response"] = {
        "format": "markdown-table",
        "extract": [
            {"label": "n", "jsonPath": "$.a[*].n"},
            {"label": "t", "jsonPath": "$.t"},
        ],
    }
    result = session.run(session.host.studio.test(tool, {}))
    assert result.text.splitlines()[2:] == ["| x\\|y | 1 |", "|  |  |"]
    tool["spec"]["response"]["extract"][0]["jsonPath"] = "$.a["
    path = "spec.response.extract.0.jsonPath"
    assert problems(session, tool) == {path: {"INVALID_JSONPATH"}}


def test_28_a_hostile_pattern_ends_in_time(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/").respond_with_json({"a": [{"x": "a" * 28 + "!"}]})
    tool = {**tool_at(f"{origin}/", {}), "timeoutMs": 1000}
    hostile = {"label": "x", "jsonPath": "$.a[?match(@.x,'(a+)+b')]"}
    tool["spec"]["response"] = {"format": "markdown-table", "extract": [hostile]}
    result = session.run(session.host.studio.test(tool, {}))
    assert result.ok, result.text


def test_29_a_long_text_keeps_head_and_tail(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    text = "begin <|endoftext|> " + "word " * 20_000 + "<|endoftext|> end"
    httpserver.expect_request("/").respond_with_data(text)
    result = session.run(session.host.studio.test(tool_at(f"{origin}/", {}), {}))
    head, _, tail = result.text.partition("…[truncated middle]…")
    assert head.startswith("begin <|endoftext|> ")
    assert tail.endswith("<|endoftext|> end")
    assert result.meta.truncated


def test_32_publish_conflicts_and_rollback(
    session: Session, get_tool: Definition
) -> None:
    studio = session.host.studio
    session.publish(get_tool)
    session.run(studio.set_enabled("items", enabled=False))
    second = {**get_tool, "title": "Second"}
    session.run(studio.draft(second))
    with pytest.raises(ConflictError):
        session.run(studio.publish("items", expected_version=1))
    with pytest.raises(InvalidInputError):
        session.run(studio.rollback("items", 1))
    assert not session.run(studio.publish("items", expected_version=2)).tool.enabled
    rolled = session.run(studio.rollback("items", 1))
    assert rolled.tool.published_version == 3
    detail = session.run(studio.get("items"))
    assert detail.published is not None
    assert detail.published.source_version == 1


def test_33_a_delete_waits_for_the_keychain(
    session: Session, post_tool: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = session.host
    session.run(host.studio.draft(post_tool))
    session.run(host.secrets.set("place_order", "key", "s3cret-value"))
    session.run(host.studio.publish("place_order"))

    def refuse(reference: str) -> bool:
        raise KeychainUnavailableError("it is locked")

    with monkeypatch.context() as patch:
        patch.setattr(host.keychain, "remove", refuse)
        with pytest.raises(KeychainUnavailableError):
            session.run(host.studio.delete("place_order"))
    assert not session.run(host.studio.get("place_order")).tool.enabled
    session.run(host.studio.delete("place_order"))
    assert host.registry.versions("place_order") == []
    assert session.statuses() == []
    assert host.keychain.read("custom-tool:place_order:key") is None


def test_37_retention_and_input_digests(session: Session, get_tool: Definition) -> None:
    with pytest.raises(InvalidInputError):
        session.run(session.host.traces.set_retention(8))
    session.publish(get_tool)
    for arguments in ({"q": "secret words", "r": 2}, {"r": 2, "q": "secret words"}):
        session.call("items", arguments)
    first, second = session.run(session.host.traces.list())
    assert first.input_sha256 == second.input_sha256
    assert "secret words" not in json.dumps([first.to_wire(), second.to_wire()])
