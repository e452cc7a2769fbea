"""The authoring tools in the words of MCP: `sparknb mcp --manage` (ST-76)."""

from typing import TYPE_CHECKING, Any

from sparknb.core.results import ToolResult
from sparknb.mcp.projection import call_result, fit_to_send

if TYPE_CHECKING:
    from sparknb.core.protocols import Approver
    from sparknb.host.agent_tools import AgentTools
    from sparknb.host.agent_tools_table import AgentTool

__all__ = ["HINT", "Authoring"]

HINT = (
    " The tools custom_tools_* write such tools: call custom_tools_guide first."
    " Whatever changes what agents use asks the person."
)


class Authoring:
    """What a server with `--manage` serves beside the surface."""

    def __init__(self, tools: "AgentTools") -> None:
        self._tools = tools
        self._names = frozenset(tool.name for tool in tools.definitions())

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def listed(self) -> list[dict[str, Any]]:
        """Give the entries of `tools/list`."""
        return [_entry(tool) for tool in self._tools.definitions()]

    async def call(self, name: str, arguments: Any, approver: "Approver") -> ToolResult:
        """Do what the model asks for."""
        return await self._tools.call(name, arguments, approver)

    def result(self, result: ToolResult) -> dict[str, Any]:
        """Give the result of `tools/call`.

        A test that failed is a failure that still has its measures and its trace.
        """
        wire = call_result(result)
        if not result.ok and isinstance(result.data, dict):
            measures = fit_to_send(result.data) or {}
            wire["structuredContent"] = {**measures, **wire["structuredContent"]}
        return wire


def _entry(tool: "AgentTool") -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.changes == "nothing",
            "destructiveHint": tool.changes == "removes" or tool.verb == "test",
            "idempotentHint": tool.verb in ("save_draft", "set_enabled")
            or tool.changes == "nothing",
            "openWorldHint": tool.verb == "test",
        },
    }
