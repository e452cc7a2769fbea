"""What template tests share: declared parameters and a way to send a request."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sparknb.core.definitions import (
    Body,
    Header,
    HttpRequest,
    HttpSpec,
    Method,
    Parameter,
)
from sparknb.core.templates import RenderedRequest, compile_request

Render = Callable[..., RenderedRequest]


@pytest.fixture(scope="session")
def parameters() -> Mapping[str, Parameter]:
    """Give one required and one optional parameter of every kind."""
    declared = [
        Parameter(name="q", type="string", required=True),
        Parameter(name="n", type="integer", required=True),
        Parameter(name="x", type="number", required=True),
        Parameter(name="b", type="boolean", required=True),
        Parameter(name="list", type="array", required=True, item_type="string"),
        Parameter(name="o", type="string", required=False),
        Parameter(name="p", type="string", required=False),
        Parameter(name="ids", type="array", required=False, item_type="integer"),
        Parameter(
            name="d", type="string", required=False, has_default=True, default="dd"
        ),
        Parameter(
            name="none",
            type="array",
            required=True,
            item_type="string",
            has_default=True,
            default=[],
        ),
    ]
    return {parameter.name: parameter for parameter in declared}


@pytest.fixture(scope="session")
def render(parameters: Mapping[str, Parameter]) -> Render:
    """Give a function that compiles a request and renders it once."""

    def render_once(
        url: str = "https://api.test/",
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        body: Body | None = None,
        method: Method = "POST",
        **arguments: Any,
    ) -> RenderedRequest:
        plain = [Header(name=k, value_template=v) for k, v in (headers or {}).items()]
        secret = [Header(name=k, secret=v) for k, v in (secrets or {}).items()]
        request = HttpRequest(
            method=method,
            url_template=url,
            headers=(*plain, *secret),
            body=body,
        )
        spec = HttpSpec(request=request, response_format="json")
        return compile_request(spec, parameters).render(arguments)

    return render_once
