"""The tool that is measured, as a definition; a home in which it is published."""

from pathlib import Path
from typing import Any

from sparknb.bootstrap import open_host

__all__ = ["NAME", "definition", "publish"]

NAME = "custom_bench_weather"


def definition(url: str) -> dict[str, Any]:
    """Give a GET tool for the service at `url`."""
    return {
        "id": "bench_weather",
        "title": "Weather in a city",
        "description": "Tells the weather of a city on one of the next days.",
        "type": "http",
        "inputSchema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city."},
                "day": {"type": "integer", "default": 0, "description": "0 is today."},
                "units": {"type": "string", "enum": ["metric", "imperial"]},
            },
            "required": ["city"],
        },
        "spec": {
            "request": {
                "method": "GET",
                "urlTemplate": f"{url}/weather?city={{{{city}}}}&day={{{{day}}}}"
                "&units={{units}}",
                "headers": [{"name": "Accept", "valueTemplate": "application/json"}],
            },
            "response": {"format": "json"},
        },
    }


async def publish(home: Path, url: str) -> None:
    """Publish the tool in a home."""
    host = await open_host(home=home, keychain="memory", environment={})
    try:
        await host.studio.draft(definition(url))
        await host.studio.publish("bench_weather")
    finally:
        await host.close()
