"""Export files for tests, as the original writes them."""

import json
from typing import Any

from tests.core.validation.samples import HTTP, changed

__all__ = ["entry", "export_file", "original_tool"]


def entry(spec: Any, **more: Any) -> dict[str, Any]:
    return {"spec": spec, **more}


def export_file(*specs: Any, **more: Any) -> str:
    """Give the text of a file with these definitions."""
    tools = [entry(spec) for spec in specs]
    return json.dumps({"formatVersion": 1, "tools": tools, **more})


def original_tool(tool_id: str = "items", **paths: Any) -> dict[str, Any]:
    """Give a definition with everything that the original fills in."""
    complete = changed(HTTP, id=tool_id, spec__response__maxSizeBytes=262_144)
    return changed(complete, **paths)
