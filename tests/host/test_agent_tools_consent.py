"""Two words for whatever changes what agents use: the model's, then the person's."""

from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from sparknb.core.protocols import Decision
from tests.host.authoring import CASE, Agent, copied, with_secret
from tests.host.coding import code_tool
from tests.host.seeing import vision
from tests.hosting import Answering, Definition, http_tool

NO_INPUT = {"inputSchema": {"type": "object", "properties": {}}}
NO = Decision(outcome="reject", reason="the person declined")
CANNOT = Decision(outcome="unavailable", reason="no forms")


# ------------------------------------------------------------------------ consent
Step = tuple[str, dict[str, Any], str]
STEPS: list[Step] = [
    ("test", {"toolId": "items", "input": {"q": "a"}}, "confirmExecute"),
    ("publish", {"id": "items"}, "confirmPublish"),
    ("set_enabled", {"id": "items", "enabled": True}, "confirmEnable"),
    ("rollback", {"id": "items", "version": 1}, "confirmRollback"),
    ("delete", {"id": "items"}, "confirmDelete"),
]
VERBS = [step[0] for step in STEPS]
NO_WORDS = ["true", "yes", 1, 1.0, None, False, [True], {"ok": True}]


def ready_for(agent: Agent, tool: Definition, verb: str) -> None:
    """Bring the tool to where the step can be taken."""
    agent.session.publish(tool)
    if verb in ("test", "publish"):
        agent.does("save_draft", id="items", spec=tool | {"title": "Second"})
    elif verb == "rollback":
        agent.session.publish(tool | {"title": "Second"})
    elif verb == "set_enabled":
        agent.does("set_enabled", id="items", enabled=False)


@pytest.mark.parametrize("step", STEPS, ids=VERBS)
def test_only_true_is_the_word_of_the_model(
    step: Step, agent: Agent, tool: Definition, server: HTTPServer
) -> None:
    verb, arguments, flag = step
    ready_for(agent, tool, verb)
    before = agent.does("get", id="items")
    assert agent.fails(verb, **arguments) == ("DENIED", [flag])
    for word in NO_WORDS:
        result = agent.call(verb, **arguments, **{flag: word})
        assert (result.error_code, [p.path for p in result.problems]) == (
            "DENIED",
            [flag],
        )
        assert "explicit consent" in result.text
        assert "items" in result.text
    assert agent.person is not None
    assert not agent.person.asked
    assert agent.does("get", id="items") == before
    assert not server.log


@pytest.mark.parametrize("step", STEPS, ids=VERBS)
def test_the_person_has_the_last_word(
    step: Step, agent: Agent, tool: Definition, server: HTTPServer
) -> None:
    verb, arguments, flag = step
    ready_for(agent, tool, verb)
    before = agent.does("get", id="items")
    for person, code in (
        (Answering(NO), "DENIED"),
        (Answering(CANNOT), "APPROVAL_UNAVAILABLE"),
        (None, "APPROVAL_UNAVAILABLE"),
    ):
        agent.person = person
        result = agent.call(verb, **arguments, **{flag: True})
        assert result.error_code == code
        assert "--yes" not in f"{result.text} {result.hint}"
    assert agent.does("get", id="items") == before
    assert not server.log


@pytest.mark.parametrize(
    ("step", "action", "version"),
    list(
        zip(
            STEPS,
            ["test", "publish", "enable", "rollback", "delete"],
            [2, 2, 1, 1, 1],
            strict=True,
        )
    ),
    ids=VERBS,
)
def test_the_person_sees_what_it_is_about(
    step: Step, action: str, version: int, agent: Agent, tool: Definition
) -> None:
    verb, arguments, flag = step
    ready_for(agent, tool, verb)
    agent.does(verb, **arguments, **{flag: True})
    assert agent.person is not None
    (request,) = agent.person.asked
    assert (request.action, request.version) == (action, version)
    assert request.tool_id == "items"
    assert request.preview.method == "GET"
    assert str(request.preview.url).endswith("?q=a" if verb == "test" else "?q={{q}}")


def test_what_is_published_and_only_reads_is_tested_without_asking(
    agent: Agent, tool: Definition, server: HTTPServer
) -> None:
    agent.session.publish(tool)
    agent.person = None
    found = agent.does("test", toolId="items", input={"q": "a"})
    assert (found["ok"], found["text"]) == (True, "ok")
    assert set(found) == {"ok", "text", "meta", "traceId"}
    rows = agent.session.run(agent.session.host.traces.list())
    assert [(r.source, r.approval) for r in rows] == [("test", "none")]


def test_a_draft_that_only_reads_is_asked_about_saved_or_not(
    agent: Agent, tool: Definition, server: HTTPServer
) -> None:
    agent.does("create_draft", spec=tool)
    for target in ({"toolId": "items"}, {"draftSpec": tool | {"id": "unsaved"}}):
        code, paths = agent.fails("test", **target, input={"q": "a"})
        assert (code, paths) == ("DENIED", ["confirmExecute"])
        agent.does("test", **target, input={"q": "a"}, confirmExecute=True)
    assert agent.person is not None
    assert [(r.tool_id, r.version) for r in agent.person.asked] == [
        ("items", 1),
        ("unsaved", None),
    ]
    rows = agent.session.run(agent.session.host.traces.list())
    assert {r.approval for r in rows} == {"once"}


def test_what_is_published_and_writes_is_asked_about(
    agent: Agent, post: Definition, server: HTTPServer
) -> None:
    agent.session.publish(post)
    assert agent.fails("test", toolId="items", input={"q": "a"})[0] == "DENIED"
    agent.does("test", toolId="items", input={"q": "a"}, confirmExecute=True)
    assert agent.person is not None
    assert [request.action for request in agent.person.asked] == ["call"]
    assert len(server.log) == 1


def test_the_cases_of_a_draft_are_asked_about_once(
    agent: Agent, tool: Definition, server: HTTPServer
) -> None:
    wrong = CASE | {"name": "wrong", "expect": {"exact": "no"}}
    agent.does("create_draft", spec=tool, cases=[CASE, wrong])
    assert agent.fails("test", toolId="items", cases="all")[0] == "DENIED"
    found = agent.does("test", toolId="items", cases="all", confirmExecute=True)
    assert found["passed"] is False
    assert [r["passed"] for r in found["results"]] == [True, False]
    assert agent.person is not None
    assert [r.action for r in agent.person.asked] == ["cases"]
    assert len(server.log) == 2
    agent.does("publish", id="items", confirmPublish=True)
    agent.person = None
    assert agent.does("test", toolId="items", cases="all")["version"] == 1


def test_a_failed_test_keeps_its_measures(agent: Agent, server: HTTPServer) -> None:
    tool = http_tool(server.url_for("/absent?q={{q}}"))
    agent.session.publish(tool)
    result = agent.call("test", toolId="items", input={"q": "a"})
    assert (result.ok, result.error_code) == (False, "HTTP_ERROR")
    assert set(result.data) >= {"ok", "text", "errorCode", "meta", "traceId"}
    code, paths = agent.fails("test", toolId="items", input={"z": 1})
    assert (code, paths) == ("INVALID_INPUT", ["input.q", "input.z"])


# ---------------------------------------------------------------------- lifecycle
def test_what_changed_while_the_person_read_is_not_published(
    agent: Agent, tool: Definition
) -> None:
    agent.does("create_draft", spec=tool)
    studio = agent.session.host.studio

    class Meanwhile(Answering):
        async def decide(self, request: Any) -> Decision:
            await studio.draft(tool | {"title": "Another"})
            return await super().decide(request)

    agent.person = Meanwhile()
    assert agent.fails("publish", id="items", confirmPublish=True)[0] == "CONFLICT"
    assert agent.does("get", id="items")["published"] is None


@pytest.mark.parametrize("verb", ["publish", "rollback", "delete"])
def test_a_tool_that_was_made_anew_while_the_person_read_is_another_one(
    verb: str, agent: Agent, tool: Definition
) -> None:
    ready_for(agent, tool, verb)
    _, arguments, flag = STEPS[VERBS.index(verb)]
    studio = agent.session.host.studio
    other = tool | {"title": "Another"}

    class Meanwhile(Answering):
        async def decide(self, request: Any) -> Decision:
            detail = await studio.get("items")
            await studio.delete("items")
            await studio.create_draft(other)
            while (await studio.get("items")).shown.version < detail.shown.version:
                await studio.publish("items")
                await studio.draft(tool | {"title": "Yet another"})
            if verb == "rollback":
                await studio.publish("items")
            return await super().decide(request)

    agent.person = Meanwhile()
    assert agent.fails(verb, **arguments, **{flag: True})[0] == "CONFLICT"


def test_a_draft_saved_while_the_person_read_is_not_deleted(
    agent: Agent, tool: Definition
) -> None:
    agent.session.publish(tool)
    studio = agent.session.host.studio

    class Meanwhile(Answering):
        async def decide(self, request: Any) -> Decision:
            await studio.draft(tool | {"title": "Another"})
            return await super().decide(request)

    agent.person = Meanwhile()
    assert agent.fails("delete", id="items", confirmDelete=True)[0] == "CONFLICT"
    kept = agent.does("get", id="items")
    assert kept["tool"]["enabled"] is True
    assert kept["draft"]["title"] == "Another"


def test_the_question_names_the_host_as_it_is_resolved(
    agent: Agent, tool: Definition
) -> None:
    looks_alike = "https://\N{CYRILLIC SMALL LETTER A}pi.example.com/items?q={{q}}"
    tool["spec"]["request"]["urlTemplate"] = looks_alike
    agent.does("create_draft", spec=tool)
    agent.does("publish", id="items", confirmPublish=True)
    assert agent.person is not None
    (request,) = agent.person.asked
    assert request.preview.url == "https://xn--pi-6kc.example.com/items?q={{q}}"


@pytest.mark.parametrize(
    ("made", "facts"),
    [
        (
            code_tool("python", "def run():\n    return 1\n"),
            [("program", "Python, 2 lines"), ("may call", "none")],
        ),
        (
            vision("program", spec={"model": "sees"}),
            [("service", "eyes"), ("model", "sees")],
        ),
        (http_tool("http://127.0.0.1:9/", tool_id="program") | NO_INPUT, []),
    ],
    ids=["code", "vision", "http"],
)
def test_the_question_says_what_carries_the_tool_out(
    agent: Agent, made: Definition, facts: list[tuple[str, str]]
) -> None:
    agent.does("create_draft", spec=made)
    agent.does("publish", id="program", confirmPublish=True)
    assert agent.person is not None
    (request,) = agent.person.asked
    assert list(request.preview.facts) == facts


def test_the_question_says_when_there_is_more_to_read(
    agent: Agent, post: Definition
) -> None:
    body = {"mode": "text", "contentType": "text/plain", "template": "x" * 2500}
    post["spec"]["request"]["body"] = body
    agent.does("create_draft", spec=post)
    for verb, arguments, flag in (STEPS[0], STEPS[1]):
        agent.does(verb, **arguments, **{flag: True})
    assert agent.person is not None
    for request in agent.person.asked:
        assert str(request.preview.excerpt).endswith("x… (500 more characters)")


def test_a_version_that_the_person_did_not_see_is_not_enabled(
    agent: Agent, tool: Definition
) -> None:
    ready_for(agent, tool, "set_enabled")
    studio = agent.session.host.studio

    class Meanwhile(Answering):
        async def decide(self, request: Any) -> Decision:
            await studio.draft(tool | {"title": "Another"})
            await studio.publish("items")
            return await super().decide(request)

    agent.person = Meanwhile()
    found = agent.fails("set_enabled", id="items", enabled=True, confirmEnable=True)
    assert found[0] == "CONFLICT"
    assert agent.does("get", id="items")["tool"]["enabled"] is False


def test_what_cannot_be_done_is_refused_before_anybody_is_asked(
    agent: Agent, tool: Definition
) -> None:
    plain = copied(tool)
    agent.session.publish(tool)
    confirmed = {"confirmPublish": True}
    assert agent.fails("publish", id="items", **confirmed)[0] == "INVALID_INPUT"
    expected = {"expectedDraftVersion": 2} | confirmed
    assert agent.fails("publish", id="items", **expected)[0] == "CONFLICT"
    back = {"id": "items", "confirmRollback": True}
    assert agent.fails("rollback", **back, version=1)[0] == "INVALID_INPUT"
    assert agent.fails("rollback", **back, version=7)[0] == "NOT_FOUND"
    agent.does("save_draft", id="items", spec=with_secret(tool))
    assert agent.fails("publish", id="items", **confirmed)[0] == "SECRET_MISSING"
    assert agent.fails("rollback", **back, version=1)[0] == "INVALID_INPUT"
    host = agent.session.host
    agent.session.run(host.studio.discard_draft("items"))
    agent.session.run(host.studio.draft(with_secret(tool)))
    agent.session.run(host.secrets.set("items", "key", "a-key-for-a-while"))
    agent.session.run(host.studio.publish("items"))
    agent.session.publish(plain)  # the value goes with the last version that needs it
    assert agent.fails("rollback", **back, version=3)[0] == "SECRET_MISSING"
    found = agent.does("set_enabled", id="items", enabled=True, confirmEnable=True)
    assert found["tool"]["enabled"] is True
    assert agent.person is not None
    assert not agent.person.asked


def test_the_life_of_a_tool(agent: Agent, tool: Definition) -> None:
    agent.does("create_draft", spec=tool)
    made = agent.does("publish", id="items", confirmPublish=True)
    assert made["tool"]["enabled"] is True
    assert "custom_items" in made["next"][0]
    agent.person = None
    stopped = agent.does("set_enabled", id="items", enabled=False)
    assert stopped["tool"]["enabled"] is False
    agent.person = Answering()
    agent.does("save_draft", id="items", spec=tool | {"title": "Second"})
    again = agent.does("publish", id="items", confirmPublish=True)
    assert again["tool"]["enabled"] is False
    assert "custom_tools_set_enabled" in again["next"][0]
    agent.does("set_enabled", id="items", enabled=True, confirmEnable=True)
    back = agent.does("rollback", id="items", version=1, confirmRollback=True)
    assert back["tool"]["publishedVersion"] == 3
    found = agent.does("get", id="items")["versions"]
    assert found[0]["sourceVersion"] == 1
    assert agent.does("delete", id="items", confirmDelete=True) == {"deleted": True}
    assert agent.does("list")["total"] == 0
