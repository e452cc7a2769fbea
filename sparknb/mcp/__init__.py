"""The agent surface over MCP, with the official SDK.

The SDK costs 0.7 s to import, so it is imported when a server starts: asking for
`sparknb.mcp.config` alone does not touch it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sparknb.host.host import Host
    from sparknb.mcp.endpoint import Endpoint

__all__ = ["serve_http", "serve_stdio"]


async def serve_http(
    host: "Host",
    endpoint: "Endpoint",
    *,
    announce: "Callable[[Endpoint], None]",
    manage: bool = False,
) -> int:
    """Serve the host's surface over HTTP until SIGTERM or SIGINT comes.

    The host stays open: whoever opened it closes it.

    Args:
        host: Whose tools are served; its settings hold the token.
        endpoint: Where to listen, from `sparknb.mcp.endpoint.parse_endpoint`.
        announce: Called once clients can connect, with the port that was taken.
        manage: Serve the authoring tools (`custom_tools_*`) as well.

    Returns:
        The exit code: 130 after SIGINT, else 0.

    Raises:
        InvalidInputError: It cannot listen there, or the token is missing or weak.
    """
    from sparknb.mcp.http import serve

    return await serve(host, endpoint, announce=announce, manage=manage)


async def serve_stdio(host: "Host", *, manage: bool = False) -> int:
    """Serve the host's surface over standard input and output until the client leaves.

    The host stays open: whoever opened it closes it. With `manage` the authoring
    tools (`custom_tools_*`) are served as well.

    Returns:
        The exit code: 130 after SIGINT, else 0.

    Raises:
        UsageError: Standard input or output is closed.
    """
    from sparknb.mcp.stdio import serve

    return await serve(host, manage=manage)
