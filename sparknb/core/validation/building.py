"""Turns a normal form, which is trusted, into the objects the rest works with."""

from collections.abc import Callable, Mapping
from typing import Any

from sparknb.core.canonical import digest as digest_of
from sparknb.core.definitions import (
    Body,
    CodeSpec,
    Extract,
    FormBody,
    FormField,
    Header,
    HttpRequest,
    HttpSpec,
    JsonBody,
    Spec,
    TextBody,
    ToolDefinition,
    VisionSpec,
)
from sparknb.core.input_schema import read_input_schema

__all__ = ["read_definition"]

_Wire = Mapping[str, Any]


def read_definition(wire: _Wire, *, digest: str | None = None) -> ToolDefinition:
    """Build the definition of a stored normal form, without checking it again.

    Args:
        wire: The normal form, as `ToolDefinition.wire` gives it.
        digest: Its digest where it is known; saves the time to compute it.
    """
    return ToolDefinition(
        id=wire["id"],
        title=wire["title"],
        description=wire["description"],
        type=wire["type"],
        input_schema=read_input_schema(wire["inputSchema"]),
        risk=wire["risk"],
        effect=wire["effect"],
        idempotency=wire["idempotency"],
        timeout_ms=wire["timeoutMs"],
        secrets=tuple(wire.get("secretRefs", ())),
        spec=_SPECS[wire["type"]](wire["spec"]),
        wire=wire,
        digest=digest_of(wire) if digest is None else digest,
    )


def _http(wire: _Wire) -> HttpSpec:
    request, response = wire["request"], wire["response"]
    method = request["method"]
    sends_body = "body" in request and method not in ("GET", "DELETE")
    return HttpSpec(
        request=HttpRequest(
            method=method,
            url_template=request["urlTemplate"],
            headers=tuple(map(_header, request.get("headers", ()))),
            body=_body(request["body"]) if sends_body else None,
        ),
        response_format=response["format"],
        extract=tuple(
            Extract(e["label"], e["jsonPath"]) for e in response.get("extract", ())
        ),
        max_size_bytes=response["maxSizeBytes"],
        allow_private_network=wire.get("allowPrivateNetwork"),
    )


def _header(wire: _Wire) -> Header:
    return Header(
        name=wire["name"],
        value_template=wire.get("valueTemplate"),
        secret=wire.get("secretRef"),
    )


def _body(wire: _Wire) -> Body:
    if wire["mode"] == "json":
        return JsonBody(wire["jsonTemplate"])
    if wire["mode"] == "text":
        return TextBody(wire["contentType"], wire["template"])
    fields = (FormField(f["name"], f["valueTemplate"]) for f in wire["fields"])
    return FormBody(tuple(fields))


def _code(wire: _Wire) -> CodeSpec:
    runtime, limits = wire["runtime"], wire["limits"]
    return CodeSpec(
        language=runtime["language"],
        source=runtime["source"],
        entry_export=runtime["entryExport"],
        tool_ids=tuple(wire["permissions"]["toolIds"]),
        memory_mb=limits["memoryMb"],
        max_output_bytes=limits["maxOutputBytes"],
    )


def _vision(wire: _Wire) -> VisionSpec:
    return VisionSpec(
        provider_profile_id=wire["providerProfileId"],
        model=wire.get("model"),
        instructions=wire.get("instructions"),
        max_images=wire["maxImages"],
        max_tokens=wire["maxTokens"],
        auto_route=wire["autoRoute"]["enabled"],
        priority=wire["autoRoute"]["priority"],
    )


_SPECS: Mapping[str, Callable[[_Wire], Spec]] = {
    "http": _http,
    "code": _code,
    "provider-vision": _vision,
}
