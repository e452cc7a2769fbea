"""The Starlette application: routes requests to endpoints, and remembers them."""

import json
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from sparknb.examples.answers import json_answer
from sparknb.examples.catalogue import ENDPOINTS
from sparknb.examples.endpoint import Call, Endpoint, Refusal, Shelf
from sparknb.examples.keys import API_KEY, BEARER_TOKEN
from sparknb.examples.shapes import Fault, read

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["MOST_BODY_BYTES", "RecordedRequest", "make_app"]

MOST_BODY_BYTES = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """A request as it arrived.

    Attributes:
        method: HTTP method.
        target: Path and query exactly as sent.
        headers: All headers in order; names in lower case.
        body: The body, cut at 1 MiB.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)

    def header(self, name: str) -> str | None:
        """Give the first value of a header, None without one."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key == wanted), None)


def make_app(shelf: Shelf, record: "deque[RecordedRequest]") -> "ASGIApp":
    """Give the application; it appends every request to `record`."""
    routes = [
        Route(e.path, _route(e, shelf), methods=list(e.methods)) for e in ENDPOINTS
    ]
    handlers: Mapping[Any, Any] = {Refusal: _refused, HTTPException: _http_refused}
    app = Starlette(routes=_joined(routes), exception_handlers=handlers)
    app.router.redirect_slashes = False
    return _Recorder(app, record)


def _joined(routes: list[Route]) -> list[Route]:
    """Make one route of those on one path, so that 405 names all its methods."""
    by_path: dict[str, list[Route]] = {}
    for route in routes:
        by_path.setdefault(route.path, []).append(route)
    return [_one(path, group) for path, group in by_path.items()]


def _one(path: str, group: list[Route]) -> Route:
    if len(group) == 1:
        return group[0]
    handlers = {method: r.endpoint for r in group for method in r.methods or ()}

    async def choose(request: "Request") -> Response:
        answer: Response = await handlers[request.method](request)
        return answer

    return Route(path, choose, methods=list(handlers))


def _route(endpoint: Endpoint, shelf: Shelf) -> Any:
    async def answer(request: "Request") -> Response:
        if endpoint.needs_key:
            _check_key(request)
        return await endpoint.handler(await _read_call(endpoint, request, shelf))

    return answer


# --------------------------------------------------------------------- the key
def _check_key(request: "Request") -> None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    if _same(request.headers.get("x-api-key", ""), API_KEY):
        return
    if _same(bearer, BEARER_TOKEN):
        return
    raise Refusal(
        401,
        "KEY_REQUIRED",
        "send X-Api-Key, or Authorization with a bearer token",
        headers={"www-authenticate": 'Bearer realm="example"'},
    )


def _same(given: str, expected: str) -> bool:
    return compare_digest(given.encode(), expected.encode())


# ------------------------------------------------------------------ the values
async def _read_call(endpoint: Endpoint, request: "Request", shelf: Shelf) -> Call:
    query = parse_qs(request.url.query, keep_blank_values=True)
    made: dict[str, Any] = {}
    faults: list[Fault] = []
    sources: tuple[tuple[str, type, Mapping[str, Any]], ...] = (
        ("path", endpoint.path_shape, request.path_params),
        ("query", endpoint.query_shape, query),
        ("headers", endpoint.header_shape, request.headers),
    )
    for place, shape, values in sources:
        made[place], found = read(shape, values, from_text=True)
        faults += found
    made["body"] = None
    if endpoint.body_shape is not None:
        made["body"], found = await _read_body(endpoint, request, endpoint.body_shape)
        faults += found
    if faults:
        raise Refusal(
            422,
            "INVALID_REQUEST",
            "; ".join(f"{fault.name} {fault.message}" for fault in faults),
            details=[{"name": f.name, "message": f.message} for f in faults],
        )
    return Call(request=request, shelf=shelf, **made)


async def _read_body(
    endpoint: Endpoint, request: "Request", shape: type
) -> tuple[Any, list[Fault]]:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != endpoint.body_type:
        raise Refusal(415, "WRONG_CONTENT_TYPE", f"send {endpoint.body_type}")
    try:
        text = (await request.body()).decode()
        if given != "application/json":
            form = parse_qs(text, keep_blank_values=True, max_num_fields=1000)
            return read(shape, form, from_text=True)
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None, [Fault("body", f"is no {endpoint.body_type}")]
    if not isinstance(value, dict):
        return None, [Fault("body", "must be a JSON object")]
    return read(shape, value, from_text=False)


# ------------------------------------------------------------------ the refusals
async def _refused(_request: "Request", refusal: Refusal) -> Response:
    answer = {"error": refusal.wire}
    return json_answer(answer, status=refusal.status, headers=refusal.headers)


async def _http_refused(request: "Request", error: HTTPException) -> Response:
    codes = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}
    code = codes.get(error.status_code, "REFUSED")
    return await _refused(
        request,
        Refusal(
            error.status_code,
            code,
            str(error.detail),
            headers=dict(error.headers or {}),
        ),
    )


# -------------------------------------------------------------------- the record
class _Recorder:
    """Reads each request whole, notes it, and hands it on."""

    def __init__(self, app: "ASGIApp", record: "deque[RecordedRequest]") -> None:
        self._app = app
        self._record = record

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, is_whole = await _whole_body(receive)
        query = scope["query_string"].decode("latin-1")
        self._record.append(
            RecordedRequest(
                method=scope["method"],
                target=scope["raw_path"].decode("latin-1") + (query and f"?{query}"),
                headers=tuple(
                    (name.decode("latin-1"), value.decode("latin-1"))
                    for name, value in scope["headers"]
                ),
                body=body,
            )
        )
        if not is_whole:
            too_large = {"code": "BODY_TOO_LARGE", "message": "send at most 1 MiB"}
            answer = json_answer({"error": too_large}, status=413)
            await answer(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)


async def _whole_body(receive: "Receive") -> tuple[bytes, bool]:
    """Read to the end, keep at most 1 MiB; False when there was more."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        part = message.get("body", b"")
        parts.append(part[: max(0, MOST_BODY_BYTES - size)])
        size += len(part)
        more = message.get("more_body", False)
    return b"".join(parts), size <= MOST_BODY_BYTES


def _replay(body: bytes, receive: "Receive") -> "Receive":
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> "Message":
        return waiting.pop() if waiting else await receive()

    return replayed
