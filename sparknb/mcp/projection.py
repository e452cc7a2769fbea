"""Tools and results in the words of MCP; plain dictionaries, the SDK checks them."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_json

from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult
from sparknb.host.agent_formats import mcp_tool

if TYPE_CHECKING:
    from sparknb.host.surface_entry import SurfaceEntry

__all__ = ["call_result", "fit_to_send", "tool"]

_MAX_STRUCTURED_BYTES = 2 * 1024 * 1024
_LEVELS_AROUND = 8


def tool(entry: "SurfaceEntry") -> dict[str, Any]:
    """Give one entry of `tools/list`; the annotations follow from its risk triple."""
    return mcp_tool(entry)


def call_result(result: ToolResult) -> dict[str, Any]:
    """Give the result of `tools/call`: text, and structured content where there is any.

    A failure is a result too, with `isError`, so that the model can read its code,
    its problems and what to do.
    """
    if not result.ok:
        return _failure(result)
    wire: dict[str, Any] = {
        "resultType": "complete",
        "content": [{"type": "text", "text": _whole(result.text)}],
        "isError": False,
    }
    if isinstance(result.data, dict):
        structured = fit_to_send(result.data)
        if structured is not None:
            wire["structuredContent"] = structured
    return wire


def _failure(result: ToolResult) -> dict[str, Any]:
    code = result.error_code or "EXECUTION_FAILED"
    error: dict[str, Any] = {"code": code, "message": _whole(result.text)}
    if result.hint is not None:
        error["hint"] = _whole(result.hint)
    error["problems"] = [_problem(p) for p in result.problems]
    lines = [f"{code}: {error['message']}", *_problem_lines(result)]
    if result.hint is not None:
        lines.append(f"What to do: {error['hint']}")
    return {
        "resultType": "complete",
        "content": [{"type": "text", "text": "\n".join(lines)}],
        "structuredContent": {"error": error},
        "isError": True,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {key: _whole(value) for key, value in problem.to_wire().items()}


def _problem_lines(result: ToolResult) -> Iterable[str]:
    """Give a line for each problem that says more than the message does."""
    for problem in result.problems:
        if len(result.problems) > 1 or problem.path:
            yield f"- {_whole(str(problem))}"


def fit_to_send(data: dict[str, Any]) -> dict[str, Any] | None:
    """Give structured content that can be written, None for what is too much.

    Too much is also what nests deeper than the SDK writes JSON, around which it puts
    levels of its own: such a result is text only.
    """
    try:
        return _measured(data)
    except (PydanticSerializationError, UnicodeEncodeError):
        with suppress(PydanticSerializationError, RecursionError):
            return _measured(_scrubbed(data))
    return None


def _measured(data: dict[str, Any]) -> dict[str, Any] | None:
    enveloped: Any = data
    for _ in range(_LEVELS_AROUND):
        enveloped = [enveloped]
    size = len(to_json(enveloped)) - 2 * _LEVELS_AROUND
    return data if size <= _MAX_STRUCTURED_BYTES else None


def _scrubbed(value: Any) -> Any:
    """Give the same JSON value without half characters.

    A web server may answer with a lone surrogate; it cannot be written as UTF-8,
    and must not end the connection of every other tool.
    """
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    if isinstance(value, dict):
        return {_whole(str(key)): _scrubbed(item) for key, item in value.items()}
    return value


def _whole(text: str) -> str:
    """Give the text with U+FFFD for each lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
