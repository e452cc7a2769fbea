"""The authoring tools without a protocol: parameters, consent, answers."""

from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.host.agent_tools_table import AGENT_TOOLS
from tests.canary import text_forms
from tests.host.authoring import CASE, SECRET, Agent, copied, with_secret
from tests.hosting import Definition, http_tool


# --------------------------------------------------------------------- parameters
@pytest.mark.parametrize("name", AGENT_TOOLS)
def test_each_tool_refuses_parameters_that_it_does_not_know(
    name: str, agent: Agent
) -> None:
    verb = name.removeprefix("custom_tools_")
    code, paths = agent.fails(verb, surprise=1)
    assert code == "INVALID_INPUT"
    assert "surprise" in paths
    assert set(paths) - {"surprise"} <= set(
        AGENT_TOOLS[name].input_schema["properties"]
    )


@pytest.mark.parametrize("name", AGENT_TOOLS)
def test_what_the_model_sees_is_what_is_read(name: str) -> None:
    tool = AGENT_TOOLS[name]
    schema = tool.input_schema
    told: list[Any] = []
    tool.read({}, "", told.append)
    assert {p.path for p in told} == set(schema.get("required", ()))
    told.clear()
    tool.read(dict.fromkeys([*schema["properties"], "other"]), "", told.append)
    assert [p.path for p in told if p.code == "FIELD_UNKNOWN"] == ["other"]
    assert schema["additionalProperties"] is False
    if tool.flag is not None:
        assert tool.flag in schema["properties"]
    assert len(tool.description) < 600


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("list", {"limit": 101}, "limit"),
    ("list", {"limit": 0}, "limit"),
    ("list", {"limit": "5"}, "limit"),
    ("list", {"limit": True}, "limit"),
    ("list", {"limit": None}, "limit"),
    ("list", {"query": "x" * 121}, "query"),
    ("list", {"query": 5}, "query"),
    ("get", {}, "id"),
    ("get", {"id": ""}, "id"),
    ("get", {"id": 5}, "id"),
    ("validate", {"spec": "{}"}, "spec"),
    ("create_draft", {}, "spec"),
    (
        "save_draft",
        {"id": "a", "spec": {}, "expectedRevision": "1"},
        "expectedRevision",
    ),
    ("test", {}, "toolId"),
    ("test", {"toolId": "a", "draftSpec": {}}, "toolId"),
    ("test", {"toolId": "a", "input": []}, "input"),
    ("test", {"toolId": "a", "cases": "some"}, "cases"),
    ("test", {"toolId": "a", "cases": "all", "input": {}}, "input"),
    ("test", {"draftSpec": {}, "cases": "all"}, "cases"),
    ("publish", {"id": "a", "expectedDraftVersion": 0}, "expectedDraftVersion"),
    ("set_enabled", {"id": "a", "enabled": "false"}, "enabled"),
    ("set_enabled", {"id": "a", "enabled": 0}, "enabled"),
    ("set_enabled", {"id": "a"}, "enabled"),
    ("rollback", {"id": "a", "version": "1"}, "version"),
    ("rollback", {"id": "a", "version": 1.5}, "version"),
]


def test_parameters_of_the_wrong_kind_are_told_by_name(agent: Agent) -> None:
    for verb, arguments, path in WRONG:
        assert agent.fails(verb, **arguments) == ("INVALID_INPUT", [path])


def test_arguments_that_are_no_object_are_refused(agent: Agent) -> None:
    tools = agent.session.host.agent_tools
    odd: list[Any] = [None, [], "x", 5]
    for arguments in odd:
        result = agent.session.run(tools.call("custom_tools_list", arguments))
        assert result.error_code == "INVALID_INPUT"


def test_another_name_is_no_tool(agent: Agent) -> None:
    assert agent.fails("purge")[0] == "NOT_FOUND"
    assert not any("secret" in name for name in AGENT_TOOLS)


def test_a_tool_that_is_not_there_is_told_with_where_to_look(agent: Agent) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get", {}),
        ("test", {}),
        ("publish", {"confirmPublish": True}),
        ("set_enabled", {"enabled": True, "confirmEnable": True}),
        ("set_enabled", {"enabled": False}),
        ("rollback", {"version": 1, "confirmRollback": True}),
        ("delete", {"confirmDelete": True}),
    ]
    for verb, more in calls:
        for tool_id in ("nothing", "custom_items", "\ud800", "a\0b"):
            name = "toolId" if verb == "test" else "id"
            result = agent.call(verb, **{name: tool_id}, **more)
            assert result.error_code == "NOT_FOUND"
            assert "custom_tools_list" in str(result.hint)


# ------------------------------------------------------------------------ looking
def test_the_list_shows_where_each_tool_stands(
    agent: Agent, tool: Definition, post: Definition
) -> None:
    agent.session.publish(tool)
    agent.does("create_draft", spec=post | {"id": "orders"})
    found = agent.does("list")
    states = [
        (t["id"], t["enabled"], t["publishedVersion"], t["pending"])
        for t in found["tools"]
    ]
    assert states == [("orders", False, None, True), ("items", True, 1, False)]
    assert agent.does("list", limit=1)["truncated"] is True
    assert agent.does("list", query="orders", limit=5.0)["total"] == 1
    assert agent.does("list", query="%")["total"] == 0


def test_a_tool_is_shown_with_versions_cases_and_the_state_of_its_secrets(
    agent: Agent, tool: Definition
) -> None:
    with_secret(tool)
    agent.session.run(agent.session.host.studio.draft(tool, [CASE]))
    found = agent.does("get", id="items")
    assert list(found) == [
        "tool",
        "draft",
        "published",
        "versions",
        "secretStatus",
        "cases",
        "lastCaseRun",
    ]
    assert found["secretStatus"] == {"key": False}
    assert found["published"] is None
    assert found["draft"]["id"] == "items"
    assert found["cases"] == [CASE]
    assert found["lastCaseRun"] is None
    agent.session.run(agent.session.host.secrets.set("items", "key", SECRET))
    assert agent.does("get", id="items")["secretStatus"] == {"key": True}
    agent.does("test", toolId="items", cases="all", confirmExecute=True)
    assert agent.does("get", id="items")["lastCaseRun"]["results"][0]["passed"]


def test_a_report_that_says_no_is_an_answer(agent: Agent, tool: Definition) -> None:
    report = agent.does("validate", spec=tool | {"title": "", "more": 1})
    assert report["valid"] is False
    assert [e["path"] for e in report["errors"]] == ["title", "more"]
    assert agent.does("validate", spec=tool)["normalized"]["risk"] == "read"
    assert agent.does("validate", spec={})["valid"] is False
    assert agent.does("list")["total"] == 0


# ------------------------------------------------------------------------- drafts
def test_a_draft_is_created_saved_and_never_seen(
    agent: Agent, tool: Definition
) -> None:
    made = agent.does("create_draft", spec=tool, cases=[CASE])
    assert made["tool"]["enabled"] is False
    assert made["tool"]["draftRevision"] == 1
    assert agent.fails("create_draft", spec=tool)[0] == "ALREADY_EXISTS"
    saved = agent.does(
        "save_draft", id="items", spec=tool | {"title": "New"}, expectedRevision=1
    )
    assert saved["tool"]["draftRevision"] == 2
    code, paths = agent.fails("save_draft", id="items", spec=tool, expectedRevision=1)
    assert (code, paths) == ("CONFLICT", ["expectedRevision"])
    assert agent.does("get", id="items")["cases"] == [CASE]
    assert len(agent.session.run(agent.session.host.surface())) == 0
    assert agent.person is not None
    assert not agent.person.asked


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"id": "other"}, "INVALID_INPUT", "id"),
        ({"type": "sql"}, "NOT_IMPLEMENTED", "type"),
        ({"title": ""}, "INVALID_INPUT", "title"),
    ],
    ids=str,
)
def test_a_save_that_breaks_rules_stores_nothing(
    changes: dict[str, Any], code: str, path: str, agent: Agent, tool: Definition
) -> None:
    agent.does("create_draft", spec=tool)
    found = agent.fails("save_draft", id="items", spec=tool | changes)
    assert found == (code, [path])
    assert agent.does("get", id="items")["draft"]["title"] == "Items"


def test_cases_that_break_rules_are_told_at_their_place(
    agent: Agent, tool: Definition
) -> None:
    odd: list[Any] = ["all", [CASE | {"expect": {}}], {}]
    for cases in odd:
        code, paths = agent.fails("create_draft", spec=tool, cases=cases)
        assert code == "INVALID_INPUT"
        assert paths[0].startswith("cases")
    assert agent.does("list")["total"] == 0


def test_a_new_draft_says_what_the_person_has_to_do(
    agent: Agent, tool: Definition
) -> None:
    made = agent.does("create_draft", spec=with_secret(tool))
    assert made["secretStatus"] == {"key": False}
    assert "sparknb secret set items key" in made["next"][0]


# ------------------------------------------------------------------------ secrets
def test_a_definition_that_is_not_saved_reaches_no_foreign_secret(
    agent: Agent, tool: Definition, server: HTTPServer
) -> None:
    agent.session.publish(tool | {"id": "plain"})
    for spec in (
        with_secret(tool | {"id": "unknown", "spec": copied(tool["spec"])}),
        with_secret(tool | {"id": "plain", "spec": copied(tool["spec"])}),
    ):
        found = agent.fails("test", draftSpec=spec, confirmExecute=True)
        assert found == ("INVALID_INPUT", ["secretRefs.key"])
    foreign = with_secret(tool | {"id": "thief", "spec": copied(tool["spec"])})
    foreign["secretRefs"] = {"key": "custom-tool:items:key"}
    found = agent.fails("test", draftSpec=foreign, confirmExecute=True)
    assert found == ("INVALID_INPUT", ["secretRefs.key"])
    assert agent.person is not None
    assert not agent.person.asked
    assert not server.log


def test_a_secret_does_not_follow_a_draft_to_another_address(
    agent: Agent, tool: Definition, server: HTTPServer, other_server: HTTPServer
) -> None:
    host = agent.session.host
    spec = with_secret(tool)
    elsewhere = copied(spec)
    address = other_server.url_for("/items?q={{q}}")  # another name of this machine
    elsewhere["spec"]["request"]["urlTemplate"] = address
    agent.does("create_draft", spec=spec)
    agent.session.run(host.secrets.set("items", "key", SECRET))
    given = {"input": {"q": "a"}, "confirmExecute": True}
    found = agent.fails("test", draftSpec=elsewhere, **given)
    assert found[0] == "SECRET_MISSING"
    agent.does("save_draft", id="items", spec=elsewhere)
    assert agent.fails("test", toolId="items", **given)[0] == "SECRET_MISSING"


def test_no_result_of_any_tool_holds_a_secret(
    agent: Agent, httpserver: HTTPServer
) -> None:
    def echo(request: Request) -> Response:
        status = 500 if request.args["q"] == "fail" else 200
        return Response("\n".join(text_forms(SECRET)) + " sk-" + "a" * 30, status)

    httpserver.expect_request("/echo").respond_with_handler(echo)
    # What no author should do, and what a damaged registry could hold: the value in
    # texts that anybody may read.
    tool = with_secret(http_tool(httpserver.url_for("/echo?q={{q}}")))
    tool |= {"title": f"About {SECRET}", "description": f"Its key is {SECRET}, see."}
    cases = [
        {"name": "a", "input": {"q": SECRET}, "expect": {"contains": SECRET}},
        {"name": "b", "input": {"q": "fail"}, "expect": {"exact": SECRET}},
    ]
    host = agent.session.host
    agent.session.run(host.studio.draft(tool, cases))
    agent.session.run(host.secrets.set("items", "key", SECRET))
    agent.call("guide")
    agent.does("list", query=SECRET)
    agent.does("get", id="items")
    agent.does("validate", spec=tool)
    agent.fails("validate", spec=tool, more=SECRET)
    agent.fails("create_draft", spec=tool)
    agent.does("save_draft", id="items", spec=tool | {"timeoutMs": 9000})
    agent.fails("save_draft", id="items", spec=tool | {"type": SECRET})
    for q in ("a", "fail", SECRET):
        given = {"input": {"q": q}, "confirmExecute": True}
        agent.call("test", toolId="items", **given)
        agent.call("test", draftSpec=tool, **given)
    agent.does("test", toolId="items", cases="all", confirmExecute=True)
    agent.does("get", id="items")
    agent.does("publish", id="items", confirmPublish=True)
    agent.does("set_enabled", id="items", enabled=False)
    agent.does("set_enabled", id="items", enabled=True, confirmEnable=True)
    agent.does("save_draft", id="items", spec=tool | {"timeoutMs": 8000})
    agent.does("publish", id="items", confirmPublish=True)
    agent.does("rollback", id="items", version=1, confirmRollback=True)
    agent.does("delete", id="items", confirmDelete=True)
    assert agent.person is not None
    asked = [repr(request) for request in agent.person.asked]
    assert len(asked) > 10
    everything = "\n".join(agent.told + asked)
    assert "[REDACTED]" in everything
    for spelling in text_forms(SECRET):
        assert spelling not in everything, spelling
    assert "a" * 30 not in everything


def test_a_keychain_that_does_not_answer_is_no_missing_value(
    agent: Agent, tool: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.does("create_draft", spec=with_secret(tool))
    monkeypatch.setattr(agent.session.host.keychain, "read", locked)
    found = agent.does("get", id="items")
    assert found["secretStatus"] == {}
    assert [w["code"] for w in found["warnings"]] == ["KEYCHAIN_UNAVAILABLE"]
    code, _ = agent.fails("publish", id="items", confirmPublish=True)
    assert code == "KEYCHAIN_UNAVAILABLE"


def locked(reference: str) -> Any:
    from sparknb.core.errors import KeychainUnavailableError

    raise KeychainUnavailableError("the keychain is locked")
