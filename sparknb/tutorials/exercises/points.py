"""What exercises are made of: points that an answer must have, most of them shared."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sparknb.core.errors import NotFoundError

if TYPE_CHECKING:
    from sparknb.host import Host
    from sparknb.host.outcomes import ToolDetail

__all__ = [
    "Exercise",
    "Point",
    "is_request",
    "newest",
    "published",
    "switched_on",
    "there",
    "tool_of",
    "works",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One thing that an answer must have.

    Attributes:
        met: What is said when it is there.
        missing: What is said when it is not.
        hint: How to get there.
        example: What to write for it.
    """

    is_met: bool
    met: str
    missing: str
    hint: str
    example: str = ""


Exercise = Callable[["Host"], AsyncIterator[Point]]
"""Gives the points in the order in which a person meets them."""


async def tool_of(host: "Host", tool_id: str) -> "ToolDetail | None":
    """Give a tool, None while there is none."""
    try:
        return await host.studio.get(tool_id)
    except NotFoundError:
        return None


def there(tool: "ToolDetail | None", tool_id: str, hint: str, example: str) -> Point:
    """Ask for a tool of this name."""
    return Point(
        is_met=tool is not None,
        met=f"There is a tool {tool_id}.",
        missing=f"There is no tool {tool_id} yet.",
        hint=hint,
        example=example,
    )


def newest(tool: "ToolDetail") -> Mapping[str, Any]:
    """Give the definition that the person wrote last."""
    definition: Mapping[str, Any] = (tool.draft or tool.shown).definition
    return definition


def is_request(definition: Mapping[str, Any], method: str, path: str) -> bool:
    """Say whether a tool sends this: the path as in a template."""
    request: Mapping[str, Any] = definition["spec"].get("request", {})
    found = urlsplit(str(request.get("urlTemplate", ""))).path
    return request.get("method") == method and found == path


def published(tool: "ToolDetail", tool_id: str) -> Point:
    """Ask that agents use what the person wrote last."""
    published = tool.tool.published_version
    if published is None:
        missing = "It is a draft so far, and agents see no drafts."
    else:
        missing = f"This is a draft so far: agents still use version {published}."
    return Point(
        is_met=published is not None and tool.draft is None,
        met="It is published.",
        missing=missing,
        hint="Publish it.",
        example=f"%spark publish {tool_id} --yes",
    )


async def switched_on(host: "Host", tool_id: str) -> Point:
    """Ask that agents see it."""
    entry = (await host.surface()).get(f"custom_{tool_id}")
    return Point(
        is_met=entry is not None,
        met="Agents see it.",
        missing="It is switched off: agents do not see it.",
        hint="Switch it on.",
        example=f"%spark enable {tool_id} --yes",
    )


async def works(
    host: "Host",
    tool_id: str,
    arguments: Mapping[str, Any],
    shows: str,
    *,
    hides: str | None = None,
    met: str = "An agent can call it, and gets what it should.",
    said: str = "A call did not give what it should.",
) -> Point:
    """Call the published tool, if that needs nobody's yes.

    Args:
        host: Where the tool is.
        tool_id: Which tool.
        arguments: What it is called with.
        shows: What the answer must show.
        hides: What it must not show.
        met: What is said when it does.
        said: What is said of another answer.
    """
    entry = (await host.surface()).get(f"custom_{tool_id}")
    if entry is None:
        return await switched_on(host, tool_id)
    if entry.risk != "read":
        return Point(
            is_met=False,
            met=met,
            missing="It asks a person before each call, although it only reads.",
            hint="Leave risk, effect and idempotency out of the cell: they follow from"
            " the request.",
        )
    result = await host.call(tool_id, arguments)
    is_right = shows in result.text and (hides is None or hides not in result.text)
    return Point(
        is_met=result.ok and is_right,
        met=met,
        missing=said,
        hint="This is what came:",
        example=result.text[:300],
    )
