"""Requests of MCP over HTTP, written by hand: what no well-behaved client sends."""

from typing import Any

import httpx

from tests.mcp.agents import Mode


def legacy(number: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def modern(number: Any, method: str, **params: Any) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return legacy(number, method, **params, _meta=meta)


ACCEPT = {"Accept": "application/json, text/event-stream"}
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "by hand", "version": "1"},
}


async def opened(client: httpx.AsyncClient) -> dict[str, str]:
    """Open a session by hand; give the headers that name it."""
    hello = legacy(0, "initialize", **GREETING)
    answer = await client.post("", json=hello, headers=ACCEPT)
    assert answer.status_code == 200
    headers = {**ACCEPT, "Mcp-Session-Id": answer.headers["mcp-session-id"]}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await client.post("", json=ready, headers=headers)).status_code == 202
    return headers


def by_hand(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=30)


async def calling(
    client: httpx.AsyncClient, mode: Mode, name: str, **given: Any
) -> Any:
    """Call a tool by hand, as a client of that age."""
    if mode == "legacy":
        headers = await opened(client)
        body = legacy(1, "tools/call", name=name, arguments=given)
    else:
        headers = {
            **ACCEPT,
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
        }
        body = modern(1, "tools/call", name=name, arguments=given)
    return await client.post("", json=body, headers=headers)
