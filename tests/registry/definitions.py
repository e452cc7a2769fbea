"""Definitions and traces, made without the validation that is tested elsewhere."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from sparknb.core.definitions import (
    HttpRequest,
    HttpSpec,
    InputSchema,
    ToolDefinition,
    ToolType,
    secret_reference,
)
from sparknb.core.protocols import Registry
from sparknb.core.records import ToolRecord, TraceRecord

__all__ = ["case", "definition", "publish", "trace"]


def definition(
    tool_id: str = "weather",
    *,
    title: str = "Weather",
    description: str = "Tells the weather of a city.",
    kind: ToolType = "http",
    secrets: tuple[str, ...] = (),
    filler: str = "",
) -> ToolDefinition:
    wire: dict[str, Any] = {
        "id": tool_id,
        "title": title,
        "description": description,
        "type": kind,
        "inputSchema": {"type": "object", "properties": {}},
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "timeoutMs": 30_000,
    }
    if secrets:
        wire["secretRefs"] = {name: secret_reference(tool_id, name) for name in secrets}
    wire["spec"] = {
        "request": {"method": "GET", "urlTemplate": f"https://api.test/{filler}"},
        "response": {"format": "json"},
    }
    text = json.dumps(wire, sort_keys=True)
    return ToolDefinition(
        id=tool_id,
        title=title,
        description=description,
        type=kind,
        input_schema=InputSchema({}, wire["inputSchema"]),
        risk="read",
        effect="read",
        idempotency="safe",
        timeout_ms=30_000,
        secrets=secrets,
        spec=HttpSpec(
            request=HttpRequest(method="GET", url_template="https://api.test/"),
            response_format="json",
        ),
        wire=wire,
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


def case(**values: Any) -> dict[str, Any]:
    """Give a test case with this input."""
    return {"name": "a case", "input": values, "expect": {"contains": "x"}}


def publish(registry: Registry, tool_id: str = "weather") -> ToolRecord:
    """Publish the pending draft as it is."""
    tool = registry.get(tool_id)
    assert tool is not None
    return registry.publish(
        tool_id,
        expected_version=tool.draft_version or 0,
        expected_revision=tool.draft_revision,
    )


def trace(tool_id: str = "weather", **values: Any) -> TraceRecord:
    """Give a trace of a successful call of a tool that is not stored."""
    usual: dict[str, Any] = {
        "id": "t1",
        "tool_id": tool_id,
        "tool_version": None,
        "session_id": None,
        "turn_id": None,
        "input_sha256": "0" * 64,
        "source": "direct",
        "status": "ok",
        "duration_ms": 3,
        "error_code": None,
        "output_bytes": 44,
        "approval": "none",
        "created_at": datetime(2026, 11, 30, 12, tzinfo=UTC),
    }
    return TraceRecord(**(usual | values))
