import json
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_types import CallToolResult, JSONRPCResponse, Tool

from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult
from sparknb.mcp.projection import call_result, tool


def entry(**changes: Any) -> Any:
    values = {
        "name": "custom_weather",
        "title": "Weather",
        "description": "Tells the weather of a city.",
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "additionalProperties": False,
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "open_world": True,
    }
    return SimpleNamespace(**(values | changes))


@pytest.mark.parametrize(
    ("risk", "idempotency", "hints"),
    [
        ("read", "safe", (True, False, True)),
        ("low-write", "unsafe", (False, False, False)),
        ("high-write", "keyed", (False, False, True)),
        ("destructive", "unsafe", (False, True, False)),
    ],
)
def test_annotations_follow_from_risk_and_idempotency(
    risk: str, idempotency: str, hints: tuple[bool, bool, bool]
) -> None:
    wire = tool(entry(risk=risk, idempotency=idempotency))
    found = Tool.model_validate(wire).annotations
    assert found is not None
    assert (
        found.read_only_hint,
        found.destructive_hint,
        found.idempotent_hint,
    ) == hints
    assert found.open_world_hint is True


def test_a_tool_keeps_its_closed_schema_title_and_description() -> None:
    wire = tool(entry(open_world=False))
    assert wire["inputSchema"]["additionalProperties"] is False
    assert wire["title"] == wire["annotations"]["title"] == "Weather"
    assert wire["description"] == "Tells the weather of a city."
    assert wire["annotations"]["openWorldHint"] is False
    assert "outputSchema" not in wire


def test_a_result_with_an_object_is_text_and_structured_content() -> None:
    wire = call_result(ToolResult(ok=True, text="```json\n{}\n```", data={"a": [1]}))
    assert wire["content"] == [{"type": "text", "text": "```json\n{}\n```"}]
    assert wire["structuredContent"] == {"a": [1]}
    assert wire["isError"] is False
    CallToolResult.model_validate(wire)


@pytest.mark.parametrize("data", [None, [1, 2], "text", 5, True])
def test_what_is_no_object_is_text_only(data: Any) -> None:
    wire = call_result(ToolResult(ok=True, text="x", data=data))
    assert "structuredContent" not in wire


def nested(levels: int, innermost: Any) -> dict[str, Any]:
    value = innermost
    for _ in range(levels):
        value = {"a": value}
    return {"a": value}


@pytest.mark.parametrize("innermost", [1, "half \ud800"])
@pytest.mark.parametrize("levels", [100, *range(236, 260), 400, 5000])
def test_an_answer_that_nests_too_deeply_to_be_written_is_text_only(
    levels: int, innermost: Any
) -> None:
    deep = nested(levels, innermost)
    wire = call_result(ToolResult(ok=True, text="deep", data=deep))
    message = JSONRPCResponse(jsonrpc="2.0", id=1, result=wire)
    assert message.model_dump_json()
    assert wire["content"][0]["text"] == "deep"
    if not 236 <= levels < 260:  # in between the SDK has the border
        assert ("structuredContent" in wire) is (levels == 100)


def test_structured_content_above_two_mebibytes_is_left_out() -> None:
    small = {"a": "x" * (2 * 1024 * 1024 - 8)}
    assert "structuredContent" in call_result(ToolResult(ok=True, text="", data=small))
    large = {"a": "x" * (2 * 1024 * 1024)}
    assert "structuredContent" not in call_result(
        ToolResult(ok=True, text="", data=large)
    )


def test_a_failure_is_a_result_with_code_problems_and_hint() -> None:
    problems = [
        Problem(code="INVALID_INPUT", message="is required", path="input.q"),
        Problem(
            code="INVALID_INPUT", message="is unknown", path="input.z", hint="drop"
        ),
    ]
    wire = call_result(
        ToolResult(
            ok=False,
            text="the input has two problems",
            error_code="INVALID_INPUT",
            problems=problems,
            hint="look at the schema",
        )
    )
    assert wire["isError"] is True
    assert wire["content"][0]["text"] == (
        "INVALID_INPUT: the input has two problems\n"
        "- input.q: INVALID_INPUT is required\n"
        "- input.z: INVALID_INPUT is unknown (drop)\n"
        "What to do: look at the schema"
    )
    assert wire["structuredContent"] == {
        "error": {
            "code": "INVALID_INPUT",
            "message": "the input has two problems",
            "hint": "look at the schema",
            "problems": [problem.to_wire() for problem in problems],
        }
    }


def test_a_single_problem_without_a_place_is_not_said_twice() -> None:
    problem = Problem(code="NOT_FOUND", message="no tool is named x")
    wire = call_result(
        ToolResult(
            ok=False,
            text="no tool is named x",
            error_code="NOT_FOUND",
            problems=[problem],
        )
    )
    assert wire["content"][0]["text"] == "NOT_FOUND: no tool is named x"


def test_a_failure_without_a_code_gets_the_general_one() -> None:
    wire = call_result(ToolResult(ok=False, text="x"))
    assert wire["structuredContent"]["error"]["code"] == "EXECUTION_FAILED"


@pytest.mark.parametrize("half", ["\ud800", "a\udc80b"])
def test_half_characters_are_replaced_so_that_the_line_can_be_written(
    half: str,
) -> None:
    data = {half: [half, {"k": half}], "n": 1, "ok": True, "none": None}
    wire = call_result(ToolResult(ok=True, text=half, data=data))
    text = json.dumps(wire, ensure_ascii=False).encode().decode()
    assert "\ufffd" in text
    assert wire["structuredContent"]["n"] == 1
    failed = call_result(
        ToolResult(
            ok=False,
            text=half,
            hint=half,
            error_code="HTTP_ERROR",
            problems=[Problem(code="X", message=half, path=half, hint=half)],
        )
    )
    json.dumps(failed, ensure_ascii=False).encode()


def test_whole_characters_beyond_the_first_plane_stay() -> None:
    wire = call_result(ToolResult(ok=True, text="🌍 ok", data={"🌍": "e\u0301"}))
    assert wire["content"][0]["text"] == "🌍 ok"
    assert wire["structuredContent"] == {"🌍": "e\u0301"}
