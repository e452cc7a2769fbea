"""A real service on loopback to define tools for: see docs/examples.md.

    with serve_examples() as service:
        ...  # service.url, service.api_key, service.requests

Its data are real (cities and countries), its weather is invented, its orders live
in SQLite, and it can be slow, failing, moving, huge and hostile on demand. It
answers the same every time. Nothing here imports the rest of sparknb.
"""

from typing import Any

from sparknb.examples.keys import API_KEY, BEARER_TOKEN
from sparknb.examples.service import (
    DEFAULT_PORT,
    ExampleService,
    ExampleServiceError,
    find_examples,
    run_examples,
    serve_examples,
)

__all__ = [
    "API_KEY",
    "BEARER_TOKEN",
    "DEFAULT_PORT",
    "ExampleService",
    "ExampleServiceError",
    "find_examples",
    "openapi_document",
    "run_examples",
    "serve_examples",
]


def openapi_document(url: str) -> dict[str, Any]:
    """Give the OpenAPI 3.1 document of the example service at `url`, as JSON.

    Args:
        url: Address of the service without a slash at the end.
    """
    from sparknb.examples.catalogue import ENDPOINTS
    from sparknb.examples.openapi import document_of

    return document_of(url, ENDPOINTS)
