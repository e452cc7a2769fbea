"""The other side of B3: a FastMCP server with one function that sends the same GET.

It is given the address of the service, and a port where it is to speak HTTP.
"""

import sys
from typing import Annotated, Any, Literal

import httpx
from fastmcp import FastMCP
from pydantic import Field

_URL = sys.argv[1]
_client = httpx.AsyncClient(trust_env=False)
server: Any = FastMCP("peer")


@server.tool  # type: ignore[untyped-decorator]  # FastMCP stays untyped here
async def bench_weather(
    city: Annotated[str, Field(description="Name of the city.")],
    day: Annotated[int, Field(description="0 is today.")] = 0,
    units: Literal["metric", "imperial"] = "metric",
) -> dict[str, Any]:
    """Tells the weather of a city on one of the next days."""
    answer = await _client.get(
        f"{_URL}/weather",
        params={"city": city, "day": day, "units": units},
        headers={"Accept": "application/json"},
    )
    found: dict[str, Any] = answer.json()
    return found


if __name__ == "__main__":
    if len(sys.argv) > 2:  # a port was given
        server.run(
            "http",
            host="127.0.0.1",
            port=int(sys.argv[2]),
            path="/mcp",
            show_banner=False,
            log_level="critical",
        )
    else:
        server.run("stdio", show_banner=False)
