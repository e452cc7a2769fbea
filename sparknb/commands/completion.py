"""What can stand at a place of a command: tool ids, versions, secret names."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparknb.commands.context import Context
from sparknb.commands.table import Completion

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["candidates"]


async def candidates(
    context: Context, kind: Completion, values: Mapping[str, Any]
) -> Sequence[tuple[str, str]]:
    """Give what fits, each with a few words about it.

    Args:
        context: Where the host is.
        kind: What is wanted.
        values: The words before it; `id` or `target` names the tool.
    """
    host = await context.host()
    if kind == "tool":
        found = await host.studio.list()
        return [(tool.id, tool.title) for tool in found.tools]
    if kind == "published":
        surface = await host.surface()
        return [(entry.id, entry.title) for entry in surface]
    tool_id = values.get("id") or values.get("target")
    return await _of_tool(host, kind, tool_id) if tool_id else []


async def _of_tool(
    host: "Host", kind: Completion, tool_id: str
) -> Sequence[tuple[str, str]]:
    detail = await host.studio.get(tool_id)
    if kind == "version":
        return [(str(v.version), v.status) for v in detail.versions]
    names = dict.fromkeys(
        name
        for version in (detail.draft, detail.published)
        if version is not None
        for name in version.definition.get("secretRefs", {})
    )
    return [(name, "secret") for name in names]
