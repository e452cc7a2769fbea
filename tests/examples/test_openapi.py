"""The OpenAPI document and the routes are one."""

from typing import Any

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from sparknb.examples import ExampleService, openapi_document
from sparknb.examples.catalogue import ENDPOINTS

DOCUMENT = openapi_document("http://127.0.0.1:8700")
OPERATIONS = [
    (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def parameter(operation: dict[str, Any], name: str) -> dict[str, Any]:
    return next(p for p in operation["parameters"] if p["name"] == name)


def test_the_document_is_valid() -> None:
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_the_service_gives_the_document_for_its_own_address(
    client: httpx.Client, example_service: ExampleService
) -> None:
    served = client.get("/openapi.json").json()
    assert served == openapi_document(example_service.url)
    assert served["servers"] == [{"url": example_service.url}]


def test_every_endpoint_stands_in_it_with_each_of_its_methods() -> None:
    expected = {(m.lower(), e.path) for e in ENDPOINTS for m in e.methods}
    assert {(method, path) for method, path, _ in OPERATIONS} == expected


def test_every_operation_has_its_own_name_and_a_summary() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(names) == len(set(names))
    assert all(operation["summary"] for _, _, operation in OPERATIONS)


def test_every_placeholder_of_a_path_is_a_required_parameter() -> None:
    for _, path, operation in OPERATIONS:
        names = {part[1:-1] for part in path.split("/") if part.startswith("{")}
        found = {
            p["name"]: p["required"]
            for p in operation.get("parameters", [])
            if p["in"] == "path"
        }
        assert found == dict.fromkeys(names, True)


def test_what_needs_a_key_says_so() -> None:
    secured = {path for _, path, operation in OPERATIONS if "security" in operation}
    assert secured == {"/me", "/orders", "/orders/{id}"}
    kinds = DOCUMENT["components"]["securitySchemes"]
    assert kinds["ApiKey"] == {"type": "apiKey", "in": "header", "name": "X-Api-Key"}


def test_limits_defaults_and_choices_are_documented() -> None:
    cities = DOCUMENT["paths"]["/cities"]["get"]
    limit = parameter(cities, "limit")["schema"]
    assert limit == {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}
    assert parameter(cities, "q")["schema"] == {"type": "string", "maxLength": 100}
    order = DOCUMENT["components"]["schemas"]["NewOrder"]
    assert order["required"] == ["city", "item"]
    assert order["properties"]["item"]["enum"] == ["atlas", "compass", "globe", "map"]
    assert order["properties"]["note"]["type"] == ["string", "null"]
    key = parameter(DOCUMENT["paths"]["/orders"]["post"], "Idempotency-Key")
    assert (key["in"], key["required"]) == ("header", False)


@pytest.mark.parametrize(
    "path",
    ["/cities?q=oslo", "/cities/3143244", "/countries/no", "/weather?city=Oslo"],
)
def test_answers_fit_their_schemas(client: httpx.Client, path: str) -> None:
    from jsonschema import Draft202012Validator

    bare = path.partition("?")[0]
    known = {"/cities/3143244": "/cities/{id}", "/countries/no": "/countries/{code}"}
    operation = DOCUMENT["paths"][known.get(bare, bare)]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    whole = schema | {"components": DOCUMENT["components"]}
    assert list(Draft202012Validator(whole).iter_errors(client.get(path).json())) == []
