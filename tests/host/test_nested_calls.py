"""Tools that call other tools while they run (ST-58, ST-59, ST-62)."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from sparknb.core.errors import SparknbError
from sparknb.core.protocols import NestedTools
from sparknb.core.results import ToolResult
from sparknb.host.calls import MOST_ANSWERED
from tests.host.programs import Program, Workshop, by_hand, program_tool
from tests.hosting import Answering, Definition, http_tool


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    opened = Workshop(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def lookup(httpserver: HTTPServer, shop: Workshop) -> str:
    """Publish an http tool that looks items up; give its id."""
    shop.publish(http_tool(httpserver.url_for("/items") + "?q={{q}}", tool_id="lookup"))
    return "lookup"


def calling(tool_id: Any, arguments: Any = None) -> Program:
    """Give a program that calls one tool and gives what it gets, or the error."""

    async def program(_: Mapping[str, Any], tools: NestedTools) -> Any:
        try:
            return await tools.call(tool_id, {} if arguments is None else arguments)
        except SparknbError as error:
            return f"{error.code}: {error.message}"

    return program


def outcome(shop: Workshop, tool_id: str, **options: Any) -> ToolResult:
    result: ToolResult = shop.call(tool_id, {}, **options)
    return result


def rows(shop: Workshop) -> list[tuple[str, str, str, str | None]]:
    """Give (tool, source, status, error code) of all traces, oldest first."""
    found = shop.run(shop.host.traces.list())
    return [(r.tool_id, r.source, r.status, r.error_code) for r in reversed(found)]


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ('{"n": [1, 2.5, null], "é": "ü"}', {"n": [1, 2.5, None], "é": "ü"}),
        ("12345678901234567890", 12345678901234567890),
        ("plain words", "plain words"),
        ("NaN", "NaN"),
        ("", ""),
        ('{"cut": ', '{"cut": '),
        ("[" * 100_000, "[" * 100_000),
    ],
)
@pytest.mark.parametrize("form", ["json", "text"])
def test_a_program_gets_json_as_a_value_and_all_else_as_text(
    shop: Workshop, httpserver: HTTPServer, body: str, shown: Any, form: str
) -> None:
    httpserver.expect_request("/").respond_with_data(body)
    tool = http_tool(httpserver.url_for("/"), tool_id="lookup")
    tool["inputSchema"] = {"type": "object", "properties": {}}
    tool["spec"]["response"]["format"] = form
    shop.publish(tool)
    shop.add("above", "lookup")
    got: list[Any] = []

    async def program(_: Mapping[str, Any], tools: NestedTools) -> str:
        got.append(await tools.call("lookup", {}))
        return "done"

    shop.does("above", program)
    assert outcome(shop, "above").text == "done"
    assert got == [shown]


def test_a_program_gets_the_whole_of_a_long_answer(
    shop: Workshop, httpserver: HTTPServer
) -> None:
    numbers = list(range(20_000))  # far more tokens than a model is given
    httpserver.expect_request("/items").respond_with_json(numbers)
    tool = http_tool(httpserver.url_for("/items"), tool_id="lookup")
    tool["spec"]["response"]["format"] = "json"
    shop.publish(tool)
    shop.add("above", "lookup")

    async def program(_: Mapping[str, Any], tools: NestedTools) -> int:
        found: list[int] = await tools.call("lookup", {"q": "x"})
        return len(found)

    shop.does("above", program)
    assert outcome(shop, "above").data == len(numbers)


def test_each_call_leaves_a_trace_of_its_own(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("found")
    shop.add("middle", lookup)
    shop.add("above", "middle")
    shop.does("middle", calling(lookup, {"q": "x"}))
    shop.does("above", calling("middle"))
    assert outcome(shop, "above", session_id="s1", turn_id="t1").text == "found"
    assert rows(shop) == [
        (lookup, "nested", "ok", None),
        ("middle", "nested", "ok", None),
        ("above", "direct", "ok", None),
    ]
    traces = shop.run(shop.host.traces.list())
    assert {(t.session_id, t.turn_id) for t in traces} == {("s1", "t1")}


# ------------------------------------------------------- acceptance example 21
def test_21_a_tool_that_is_not_named_is_refused_and_the_program_may_go_on(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    shop.add("above")
    shop.does("above", calling(lookup, {"q": "x"}))
    result = outcome(shop, "above")
    assert result.ok
    assert result.text == "DENIED: above may not call lookup"
    assert httpserver.log == []


def test_21_a_circle_made_by_hand_ends_with_its_chain(shop: Workshop) -> None:
    by_hand(shop, program_tool("tool_a", "tool_b"))
    by_hand(shop, program_tool("tool_b", "tool_a"))
    runs: list[str] = []

    def counted(tool_id: str, other: str) -> Program:
        async def program(_: Mapping[str, Any], tools: NestedTools) -> Any:
            runs.append(tool_id)
            return await tools.call(other, {})

        return program

    shop.does("tool_a", counted("tool_a", "tool_b"))
    shop.does("tool_b", counted("tool_b", "tool_a"))
    result = outcome(shop, "tool_a")
    assert result.error_code == "DENIED"
    assert "tool_a -> tool_b -> tool_a" in result.text
    assert runs == ["tool_a", "tool_b"]


# ----------------------------------------------------------------- the bounds
def test_a_ninth_level_made_by_hand_is_refused_with_the_chain(shop: Workshop) -> None:
    ids = [f"tool_{number}" for number in range(1, 10)]
    for tool_id, following in pairwise(ids):
        by_hand(shop, program_tool(tool_id, following))
        shop.does(tool_id, calling(following))
    by_hand(shop, program_tool("tool_9"))
    denied = outcome(shop, "tool_1").text
    assert denied.startswith("DENIED: ")
    assert " -> ".join(ids) in denied
    assert outcome(shop, "tool_2").text == "tool_9"  # eight levels


def test_one_call_leads_to_at_most_256_others_at_all_levels_together(
    shop: Workshop,
) -> None:
    shop.add("leaf")
    shop.add("middle", "leaf")
    shop.add("above", "middle", "leaf")
    done: list[Any] = []

    async def middle(_: Mapping[str, Any], tools: NestedTools) -> int:
        done.extend([await tools.call("leaf", {}) for _number in range(99)])
        return 1

    async def above(_: Mapping[str, Any], tools: NestedTools) -> str:
        await asyncio.gather(*(tools.call("middle", {}) for _number in range(2)))
        try:
            while True:
                done.append(await tools.call("leaf", {}))
        except SparknbError as error:
            return f"{error.code}: {error.message}"

    shop.does("middle", middle)
    shop.does("above", above)
    assert outcome(shop, "above").text.startswith(
        "DENIED: one call may lead to at most"
    )
    assert len(done) == 256 - 2
    assert outcome(shop, "above").ok  # the next call counts from the beginning


def test_the_answers_of_nested_calls_have_a_limit_together(shop: Workshop) -> None:
    shop.add("large")
    shop.add("above", "large")
    taken: list[int] = []

    async def large(_: Mapping[str, Any], __: NestedTools) -> str:
        return "x" * (MOST_ANSWERED // 4)

    async def above(_: Mapping[str, Any], tools: NestedTools) -> str:
        try:
            while True:
                taken.append(len(await tools.call("large", {})))
        except SparknbError as error:
            return f"{error.code}: {error.message}"

    shop.does("large", large)
    shop.does("above", above)
    assert outcome(shop, "above").text.startswith("DENIED: the answers of the tools")
    assert len(taken) == 4


@pytest.mark.parametrize(
    "written",
    [
        ("lookup", ["q"], "INVALID_INPUT"),
        ("lookup", "q", "INVALID_INPUT"),
        ("lookup", {"z": 1}, "INVALID_INPUT"),
        ("lookup", {1: 2}, "INVALID_INPUT"),
        ("lookup", {"q": "x" * 2_000_000}, "INVALID_INPUT"),
        ("lookup", {"q": [{"deep": ["x" * 700_000]}] * 2}, "INVALID_INPUT"),
        ("lookup", {"q": 10**3_000_000}, "INVALID_INPUT"),
        ("lookup", {"q": [[]] * 400_000}, "INVALID_INPUT"),
        ("lookup", {"q": [0] * 600_000}, "INVALID_INPUT"),
        ("custom_lookup", {"q": "x"}, "DENIED"),
        ("LOOKUP", {"q": "x"}, "DENIED"),
        ("", {}, "DENIED"),
        (None, {}, "DENIED"),
        (["lookup"], {}, "DENIED"),
        ("\ud800" * 10_000, {}, "DENIED"),
    ],
)
def test_whatever_a_program_writes_is_answered_and_nothing_is_sent(
    shop: Workshop,
    lookup: str,
    httpserver: HTTPServer,
    written: tuple[Any, Any, str],
) -> None:
    tool_id, arguments, code = written
    shop.add("above", lookup)
    shop.does("above", calling(tool_id, arguments))
    result = outcome(shop, "above")
    assert result.text.startswith(f"{code}: ")
    assert len(result.text) < 300
    assert httpserver.log == []


def test_a_call_that_is_left_running_is_refused_when_the_run_is_over(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    shop.add("above", lookup)
    kept: list[NestedTools] = []

    async def program(_: Mapping[str, Any], tools: NestedTools) -> str:
        kept.append(tools)
        return "done"

    shop.does("above", program)
    assert outcome(shop, "above").ok
    with pytest.raises(SparknbError, match="the run of above is over"):
        shop.run(kept[0].call(lookup, {"q": "x"}))
    assert httpserver.log == []


# ------------------------------------------------------------- what may be called
def test_a_tool_that_went_away_is_told_as_what_it_is(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    studio = shop.host.studio
    shop.add("above", lookup)
    shop.does("above", calling(lookup, {"q": "x"}))
    shop.run(studio.set_enabled(lookup, enabled=False))
    assert outcome(shop, "above").text == "DENIED: lookup is disabled"
    assert rows(shop)[0] == (lookup, "nested", "denied", "DENIED")
    shop.run(studio.delete(lookup))
    assert outcome(shop, "above").text.startswith("NOT_FOUND: ")
    shop.run(studio.draft(http_tool(httpserver.url_for("/"), tool_id=lookup)))
    assert outcome(shop, "above").text == "DENIED: lookup was never published"
    assert httpserver.log == []


def test_the_published_version_is_called_whatever_the_draft_says(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("published")
    shop.add("above", lookup)
    shop.does("above", calling(lookup, {"q": "x"}))
    draft = http_tool(httpserver.url_for("/draft") + "?q={{q}}", tool_id=lookup)
    shop.run(shop.host.studio.draft(draft))
    assert outcome(shop, "above").text == "published"
    assert shop.run(shop.host.studio.test("above", {})).text == "published"


def test_a_failure_has_the_code_and_the_words_of_the_tool(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("no such item", status=404)
    shop.add("above", lookup)

    async def program(_: Mapping[str, Any], tools: NestedTools) -> Any:
        return await tools.call(lookup, {"q": "x"})

    shop.does("above", program)
    result = outcome(shop, "above")
    assert result.error_code == "HTTP_ERROR"
    assert "no such item" in result.text


# ------------------------------------------------------------------------- risk
def writer(httpserver: HTTPServer, tool_id: str = "order") -> Definition:
    return http_tool(httpserver.url_for("/orders"), tool_id=tool_id, method="POST")


def test_the_answer_to_the_outer_call_covers_what_it_calls(
    shop: Workshop, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/orders").respond_with_data("ordered")
    shop.publish(writer(httpserver))
    shop.add("buyer", "order", risk="low-write")
    shop.does("buyer", calling("order", {"q": "x"}))
    person = Answering()
    assert outcome(shop, "buyer", approver=person).text == "ordered"
    [question] = person.asked
    assert (question.tool_id, question.preview.dependencies) == ("buyer", ("order",))
    traces = shop.run(shop.host.traces.list())
    assert [(t.tool_id, t.approval) for t in traces] == [
        ("buyer", "once"),
        ("order", "once"),
    ]
    assert outcome(shop, "buyer").error_code == "APPROVAL_UNAVAILABLE"
    assert len(httpserver.log) == 1


def test_a_risk_that_rose_later_makes_the_call_denied(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    shop.add("above", lookup)
    shop.does("above", calling(lookup, {"q": "x"}))
    shop.publish(writer(httpserver, lookup))
    said = outcome(shop, "above", approver=Answering()).text
    assert said.startswith("DENIED: lookup has the risk low-write by now")
    assert httpserver.log == []


def test_a_risk_that_rose_two_levels_below_is_denied_whatever_the_outer_one_has(
    shop: Workshop, lookup: str, httpserver: HTTPServer
) -> None:
    shop.add("middle", lookup)
    shop.add("above", "middle", risk="destructive")
    shop.does("middle", calling(lookup, {"q": "x"}))
    shop.does("above", calling("middle"))
    shop.publish(writer(httpserver, lookup))
    assert outcome(shop, "above", approver=Answering()).text.startswith("DENIED: ")
    assert httpserver.log == []


# ---------------------------------------------------------------- time, secrets
async def forever(_: Mapping[str, Any], __: NestedTools) -> None:
    await asyncio.Event().wait()


def test_a_tool_that_is_called_has_a_time_limit_of_its_own(shop: Workshop) -> None:
    shop.add("slow", timeoutMs=1000)
    shop.add("above", "slow")
    shop.does("slow", forever)
    shop.does("above", calling("slow"))
    assert outcome(shop, "above").text == "TIMEOUT: no result within 1000 ms"
    assert rows(shop)[0] == ("slow", "nested", "timeout", "TIMEOUT")


def test_the_time_limit_of_the_outer_call_ends_what_it_called(shop: Workshop) -> None:
    shop.add("slow", timeoutMs=300_000)
    shop.add("above", "slow", timeoutMs=1000)
    shop.does("slow", forever)
    shop.does("above", calling("slow"))
    assert outcome(shop, "above").error_code == "TIMEOUT"
    assert rows(shop) == [
        ("slow", "nested", "cancelled", "CANCELLED"),
        ("above", "direct", "timeout", "TIMEOUT"),
    ]


def test_a_program_never_sees_the_secret_of_a_tool_that_it_calls(
    shop: Workshop, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/echo").respond_with_json({"you sent": "s3cret-value"})
    tool = http_tool(httpserver.url_for("/echo"), tool_id="keyed")
    tool["secretRefs"] = {"key": "custom-tool:keyed:key"}
    tool["spec"]["request"]["headers"] = [{"name": "X-Api-Key", "secretRef": "key"}]
    shop.run(shop.host.studio.draft(tool))
    shop.run(shop.host.secrets.set("keyed", "key", "s3cret-value"))
    shop.run(shop.host.studio.publish("keyed"))
    shop.add("above", "keyed")
    got: list[Any] = []

    async def program(_: Mapping[str, Any], tools: NestedTools) -> str:
        got.append(await tools.call("keyed", {"q": "x"}))
        return "done"

    shop.does("above", program)
    assert outcome(shop, "above").ok
    assert json.dumps(got) == '[{"you sent": "[REDACTED]"}]'
