"""Small API descriptions, and what is made of them."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from sparknb.importers.openapi import Draft, Imported, Skip, import_operations
from sparknb.importers.openapi.document import read_description
from sparknb.importers.openapi.model import Description

__all__ = ["described", "draft_of", "imported", "messages", "parameter", "skip_of"]

SERVER = "https://api.test/v1"
Node = dict[str, Any]


def described(
    paths: Mapping[str, Any],
    *,
    url: str | None = None,
    version: str = "3.0.3",
    **more: Any,
) -> Description:
    """Read a description with these paths; `more` are keys of its root."""
    root = {
        "openapi": version,
        "info": {"title": "Test", "version": "1"},
        "servers": [{"url": SERVER}],
        "paths": paths,
    }
    return read_description(json.dumps(root | more), url=url)


def imported(
    paths: Mapping[str, Any],
    *,
    base_url: str | None = None,
    is_taken: Callable[[str], bool] = lambda _: False,
    **more: Any,
) -> Imported:
    """Import every operation of a description with these paths."""
    description = described(paths, **more)
    return import_operations(description, base_url=base_url, is_taken=is_taken)


def draft_of(
    node: Node, path: str = "/things", method: str = "get", **more: Any
) -> Draft:
    """Import a description of one operation, which becomes a draft."""
    made = imported({path: {method: node}}, **more)
    assert not made.skipped, made.skipped
    [draft] = made.drafts
    return draft


def skip_of(
    node: Node, path: str = "/things", method: str = "get", **more: Any
) -> Skip:
    """Import a description of one operation, which is skipped."""
    made = imported({path: {method: node}}, **more)
    assert not made.drafts, made.drafts
    [skip] = made.skipped
    return skip


def parameter(name: str, where: str = "query", **more: Any) -> Node:
    """Write a parameter; without a schema of its own it is a text."""
    has_type = "schema" in more or "content" in more
    schema = {} if has_type else {"schema": {"type": "string"}}
    return {"name": name, "in": where, "required": where == "path"} | schema | more


def messages(draft: Draft) -> list[str]:
    """Give what the notices of a draft say."""
    return [notice.message for notice in draft.notices]
