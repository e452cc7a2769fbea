"""A vision tool, a provider to ask, and what a test looks at."""

import base64
from collections.abc import Coroutine
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request

from sparknb.core.errors import SparknbError
from sparknb.core.providers import ProviderProfile, make_profile
from tests.hosting import Definition, Session

KEY = "canary-7d0f3e55-provider-key"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)
IMAGE = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
PATH = "/v1/chat/completions"


def vision(tool_id: str = "look", **changes: Any) -> Definition:
    spec = {"providerProfileId": "eyes", **changes.pop("spec", {})}
    return {
        "id": tool_id,
        "title": "Look at images",
        "description": "Answers a question about images.",
        "type": "provider-vision",
        "inputSchema": {
            "type": "object",
            "properties": {
                "images": {"type": "array", "items": {"type": "string"}},
                "question": {"type": "string"},
            },
            "required": ["images"],
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": spec,
        **changes,
    }


def answer(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def profile(service: HTTPServer, **changes: Any) -> ProviderProfile:
    given = {"base_url": service.url_for("/v1"), "model": "sees", **changes}
    return make_profile(given.pop("profile_id", "eyes"), **given)


def requests(service: HTTPServer, path: str = PATH) -> list[Request]:
    return [request for request, _ in service.log if request.path == path]


def refusal(session: Session, coroutine: Coroutine[Any, Any, Any]) -> SparknbError:
    with pytest.raises(SparknbError) as caught:
        session.run(coroutine)
    return caught.value
