"""The shape of a vision spec, and the fixed parts of such a tool (section 9)."""

from collections.abc import Iterator
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.validation.fields import (
    BROKEN,
    OPTIONAL,
    Field,
    at,
    bad_value,
    boolean,
    closed,
    exactly,
    integer,
    missing,
    text,
)
from sparknb.core.wording import join_path

__all__ = ["VISION_RULES", "vision_spec"]

_PROPERTIES = "inputSchema.properties"
_TYPES = {"images": "array", "question": "string"}
_FIXED = ("risk", "effect")

vision_spec = closed(
    Field("providerProfileId", text(1, 200)),
    Field("model", text(1, 200), OPTIONAL),
    Field("instructions", text(10, 8000), OPTIONAL),
    Field("maxImages", integer(1, 8), 4),
    Field("maxTokens", integer(128, 16_384), 4096),
    Field(
        "autoRoute",
        closed(
            Field("enabled", boolean, absent=True),
            Field("priority", integer(0, 10_000), 100),
        ),
        {},
    ),
    Field("exposeToAgent", exactly(wanted=False), absent=False),
)


def check_properties(tree: Any) -> Iterator[Problem]:
    """Yield what differs from the fixed parameters `images` and `question`."""
    properties = at(tree, "inputSchema", "properties")
    if properties is BROKEN:
        return
    if "images" not in properties:
        yield missing(f"{_PROPERTIES}.images")
    for name, parameter in properties.items():
        path = join_path(_PROPERTIES, name)
        if name not in _TYPES:
            yield bad_value(path, "must be 'images' or 'question' in a vision tool")
        elif parameter is not BROKEN:
            yield from _check_parameter(name, parameter, path)


def _check_parameter(name: str, parameter: Any, path: str) -> Iterator[Problem]:
    if parameter["type"] not in (_TYPES[name], BROKEN):
        yield bad_value(f"{path}.type", f"must be {_TYPES[name]} in a vision tool")
    elif at(parameter, "items", "type") not in (None, "string", BROKEN):
        yield bad_value(f"{path}.items.type", "must be string in a vision tool")
    for key in ("enum", "default"):
        if key in parameter:
            yield bad_value(f"{path}.{key}", "must not stand in a vision tool")


def check_required(tree: Any) -> Iterator[Problem]:
    """Yield when `images` can be left out, or `question` cannot."""
    required = at(tree, "inputSchema", "required")
    if required is BROKEN or at(tree, "inputSchema", "properties") is BROKEN:
        return
    names = required or []
    path = "inputSchema.required"
    if "images" not in names and BROKEN not in names:
        yield bad_value(path, "must name 'images' in a vision tool")
    if "question" in names:
        at_name = f"{path}.{names.index('question')}"
        yield bad_value(at_name, "must not name 'question' in a vision tool")


def check_fixed_risk(tree: Any) -> Iterator[Problem]:
    """Yield when risk or effect is not `read`."""
    for key in _FIXED:
        if tree[key] not in ("read", BROKEN):
            yield bad_value(key, "must be read in a vision tool")


VISION_RULES = (check_properties, check_required, check_fixed_risk)
