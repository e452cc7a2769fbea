"""What one endpoint of the example service is: a description and a handler."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from sparknb.examples.orders import OrderBook

__all__ = ["Call", "Endpoint", "Nothing", "Refusal", "Shelf", "Tag"]

Tag = Literal["world", "orders", "network", "hostile", "service"]


class Refusal(Exception):  # noqa: N818 - an answer of the service, not a failure of it
    """An answer that says no, with a status and a stable code."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        details: list[dict[str, str]] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.wire: dict[str, Any] = {"code": code, "message": message}
        if details:
            self.wire["details"] = details


@dataclass(frozen=True, slots=True)
class Nothing:
    """A shape without fields."""


@dataclass(slots=True, kw_only=True)
class Shelf:
    """What a running service remembers between requests.

    Attributes:
        orders: The order book.
        url: The service's own address, without a slash at the end.
        other_url: The same service on another port: another origin.
        failures: How often each flaky key has failed so far.
    """

    orders: "OrderBook"
    url: str
    other_url: str
    failures: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, read and checked: `path`, `query` and so on have their shapes."""

    request: "Request"
    shelf: Shelf
    path: Any
    query: Any
    headers: Any
    body: Any


Handler = Callable[[Call], Awaitable["Response"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint: what it takes and gives, for the router and for OpenAPI.

    Attributes:
        operation: Name of the operation; with several methods, each gets its own
            in front (`post_echo`).
        answer: Type of a JSON answer, or a media type for other content.
        needs_key: Whether the request must carry an API key or bearer token.
        body_type: Media type of the request body.
    """

    path: str
    operation: str
    summary: str
    handler: Handler
    tag: Tag
    answer: Any
    methods: tuple[str, ...] = ("GET",)
    description: str = ""
    path_shape: type = Nothing
    query_shape: type = Nothing
    header_shape: type = Nothing
    body_shape: type | None = None
    body_type: str = "application/json"
    status: int = 200
    needs_key: bool = False
    refusals: tuple[int, ...] = ()
