"""All endpoints of the example service."""

from typing import TYPE_CHECKING

from sparknb.examples.answers import json_answer
from sparknb.examples.endpoint import Call, Endpoint
from sparknb.examples.hostile_endpoints import HOSTILE_ENDPOINTS
from sparknb.examples.keys import SERVICE_NAME
from sparknb.examples.network_endpoints import NETWORK_ENDPOINTS
from sparknb.examples.openapi import document_of
from sparknb.examples.order_endpoints import ORDER_ENDPOINTS
from sparknb.examples.world_endpoints import WORLD_ENDPOINTS

if TYPE_CHECKING:
    from starlette.responses import Response

__all__ = ["ENDPOINTS"]


async def _about(call: Call) -> "Response":
    return json_answer(
        {
            "name": SERVICE_NAME,
            "openapi": f"{call.shelf.url}/openapi.json",
            "paths": sorted({endpoint.path for endpoint in ENDPOINTS}),
        }
    )


async def _health(_call: Call) -> "Response":
    return json_answer({"status": "ok"})


async def _document(call: Call) -> "Response":
    return json_answer(document_of(call.shelf.url, ENDPOINTS))


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        path="/",
        operation="about",
        summary="What there is",
        tag="service",
        handler=_about,
        answer=dict,
    ),
    Endpoint(
        path="/health",
        operation="health",
        summary="Whether it runs",
        tag="service",
        handler=_health,
        answer=dict,
    ),
    Endpoint(
        path="/openapi.json",
        operation="openapi",
        summary="This document",
        tag="service",
        handler=_document,
        answer=dict,
    ),
    *WORLD_ENDPOINTS,
    *ORDER_ENDPOINTS,
    *NETWORK_ENDPOINTS,
    *HOSTILE_ENDPOINTS,
)
