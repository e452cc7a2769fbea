"""How endpoints of the example service answer."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparknb.examples.shapes import wire

if TYPE_CHECKING:
    from starlette.responses import Response

__all__ = ["bytes_answer", "json_answer", "page_links", "text_answer"]


def bytes_answer(
    content: bytes,
    media_type: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> "Response":
    """Answer with these very bytes and this very media type."""
    from starlette.responses import Response

    more = {"content-type": media_type} if media_type else {}
    return Response(content, status_code=status, headers={**more, **(headers or {})})


def text_answer(
    text: str, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> "Response":
    """Answer with plain text in UTF-8."""
    return bytes_answer(
        text.encode(), "text/plain; charset=utf-8", status=status, headers=headers
    )


def json_answer(
    value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> "Response":
    """Answer with JSON: a dataclass, a sequence of them, or a JSON value."""
    text = json.dumps(wire(value), ensure_ascii=False, separators=(",", ":"))
    return bytes_answer(
        text.encode(), "application/json", status=status, headers=headers
    )


def page_links(url: str, page: int, pages: int) -> dict[str, str]:
    """Give the `Link` header of one page of a list; `url` has no page in it."""
    numbers = {"first": 1, "prev": page - 1, "next": page + 1, "last": pages}
    links = [
        f'<{url}&page={number}>; rel="{relation}"'
        for relation, number in numbers.items()
        if 1 <= number <= pages
    ]
    return {"link": ", ".join(links)} if links else {}
