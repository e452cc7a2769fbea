"""The OpenAPI document of the example service, made from its endpoints."""

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

from sparknb.examples.endpoint import Endpoint
from sparknb.examples.shapes import (
    described,
    document_schema,
    field_schema,
    fields_of,
)

__all__ = ["document_of"]

_SECURITY = {
    "ApiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    "Bearer": {"type": "http", "scheme": "bearer"},
}

_TAGS = {
    "world": "Cities, countries and their weather.",
    "orders": "A map shop. Its keys are published constants.",
    "network": "Slow, failing, moving and very large answers.",
    "hostile": "Answers that attack who reads them.",
    "service": "The service itself.",
}


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """One value that was refused."""

    name: str = described("Which value.")
    message: str = described("What is wrong with it.")


@dataclass(frozen=True, slots=True)
class ErrorContent:
    """Why a request was refused."""

    code: str = described("Stable code.")
    message: str = described("One sentence.")
    details: list[ErrorDetail] | None = described("Value by value.", default=None)


@dataclass(frozen=True, slots=True)
class Error:
    """A refusal as it is sent."""

    error: ErrorContent = described("What was wrong.")


def document_of(url: str, endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Give the OpenAPI 3.1 document of a service at `url`, as JSON.

    Args:
        url: Address of the service without a slash at the end.
        endpoints: What it serves.
    """
    components: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        for method in endpoint.methods:
            operation = _operation(endpoint, method, components)
            paths.setdefault(endpoint.path, {})[method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sparknb example service",
            "version": "1.0.0",
            "description": "Real cities, invented weather, a map shop, and trouble of "
            "every kind: for demonstrations and tests.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": url}],
        "tags": [{"name": n, "description": text} for n, text in _TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": _SECURITY,
        },
    }


def _operation(
    endpoint: Endpoint, method: str, components: dict[str, Any]
) -> dict[str, Any]:
    name = endpoint.operation
    if len(endpoint.methods) > 1:
        name = f"{method.lower()}{name[0].upper()}{name[1:]}"
    operation: dict[str, Any] = {
        "operationId": name,
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
    }
    if endpoint.description:
        operation["description"] = endpoint.description
    parameters = _parameters(endpoint, components)
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body_shape is not None:
        schema = document_schema(endpoint.body_shape, components)
        operation["requestBody"] = {
            "required": True,
            "content": {endpoint.body_type: {"schema": schema}},
        }
    operation["responses"] = _responses(endpoint, components)
    if endpoint.needs_key:
        operation["security"] = [{"ApiKey": []}, {"Bearer": []}]
    return operation


def _parameters(endpoint: Endpoint, components: dict[str, Any]) -> list[dict[str, Any]]:
    places: tuple[tuple[Literal["path", "query", "header"], type], ...] = (
        ("path", endpoint.path_shape),
        ("query", endpoint.query_shape),
        ("header", endpoint.header_shape),
    )
    return [
        {
            "name": field.name,
            "in": place,
            "required": field.required,
            "description": field.description,
            "schema": _without_null(field_schema(field, components)),
        }
        for place, shape in places
        for field in fields_of(shape)
    ]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop `null`: a parameter that is absent is left out, not sent as null."""
    kinds = schema.get("type")
    return schema | {"type": kinds[0]} if isinstance(kinds, list) else schema


def _responses(endpoint: Endpoint, components: dict[str, Any]) -> dict[str, Any]:
    answer = endpoint.answer
    good: dict[str, Any] = {"description": HTTPStatus(endpoint.status).phrase}
    if isinstance(answer, str):
        good["content"] = {answer: {"schema": {}}}
    elif answer is not None:
        schema = document_schema(answer, components) or {"type": "object"}
        good["content"] = {"application/json": {"schema": schema}}
    codes = set(endpoint.refusals)
    takes_values = endpoint.body_shape is not None or any(
        fields_of(shape)
        for shape in (endpoint.path_shape, endpoint.query_shape, endpoint.header_shape)
    )
    codes |= {422} if takes_values else set()
    codes |= {401} if endpoint.needs_key else set()
    content = {"application/json": {"schema": document_schema(Error, components)}}
    bad = {
        str(code): {"description": HTTPStatus(code).phrase, "content": content}
        for code in sorted(codes)
    }
    return {str(endpoint.status): good, **bad}
