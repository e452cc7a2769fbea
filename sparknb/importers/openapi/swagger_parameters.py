"""Parameters of Swagger 2.0 in the form of OpenAPI 3."""

from collections.abc import Mapping
from typing import Any

__all__ = ["array_form", "parameter", "schema_of"]

_AROUND = frozenset(
    {
        "allowEmptyValue",
        "collectionFormat",
        "description",
        "in",
        "name",
        "required",
    }
)
_KEPT = ("name", "in", "description", "required", "allowEmptyValue", "deprecated")
# What `collectionFormat` is called in a query or form: style, and whether exploded.
_FORMATS: Mapping[str, tuple[str, bool]] = {
    "csv": ("form", False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),  # a name for what nothing supports
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}


def parameter(node: Mapping[str, Any]) -> dict[str, Any]:
    """Give a parameter of path, query or header in the form of OpenAPI 3."""
    made = {key: node[key] for key in _KEPT if key in node}
    made |= {key: value for key, value in node.items() if key.startswith("x-")}
    made["schema"] = schema_of(node)
    if node.get("type") == "array":
        made |= array_form(node, is_query=node.get("in") == "query")
    return made


def schema_of(node: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is said of the value; in 2.0 it stands beside name and place."""
    return {
        key: value
        for key, value in node.items()
        if key not in _AROUND and not key.startswith("x-")
    }


def array_form(node: Mapping[str, Any], *, is_query: bool) -> dict[str, Any]:
    """Give style and explode of an array; `multi` is for queries and forms only."""
    written = node.get("collectionFormat", "csv")
    if written not in ("csv", "ssv", "tsv", "pipes", "multi"):
        return {"style": str(written), "explode": False}
    if not is_query and written in ("csv", "multi"):
        return {"style": "simple", "explode": False}
    style, explode = _FORMATS[written]
    return {"style": style, "explode": explode}
