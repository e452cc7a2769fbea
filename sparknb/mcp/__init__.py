"""The agent surface over MCP, with the official SDK.

The SDK costs 0.7 s to import, so it is imported when a server starts: asking for
`sparknb.mcp.config` alone does not touch it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparknb.host.host import Host

__all__ = ["serve_stdio"]


async def serve_stdio(host: "Host") -> int:
    """Serve the host's surface over standard input and output until the client leaves.

    The host stays open: whoever opened it closes it.

    Returns:
        The exit code: 130 after SIGINT, else 0.

    Raises:
        UsageError: Standard input or output is closed.
    """
    from sparknb.mcp.stdio import serve

    return await serve(host)
