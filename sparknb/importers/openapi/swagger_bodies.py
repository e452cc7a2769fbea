"""Bodies and answers of Swagger 2.0 in the form of OpenAPI 3."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.importers.openapi.model import Place
from sparknb.importers.openapi.references import Elsewhere
from sparknb.importers.openapi.swagger_parameters import array_form, schema_of

__all__ = ["form_body", "json_body", "media_types", "response"]

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_ANY = ("*/*", "application/*", "*")
_EMPTY = ("1", "204", "205", "304")
_Found = tuple[Mapping[str, Any], Place]


def media_types(
    node: Mapping[str, Any], root: Mapping[str, Any], key: str
) -> list[str]:
    """Give `consumes` or `produces`; the operation's own replace those of the root."""
    written = node[key] if isinstance(node.get(key), list) else root.get(key)
    if not isinstance(written, list):
        return []
    named = (_JSON if m in _ANY else m for m in written if isinstance(m, str))
    return list(dict.fromkeys(named))


def json_body(found: _Found, consumes: Sequence[str], place: Place) -> dict[str, Any]:
    """Give the body that a parameter with `in: body` stands for."""
    node, there = found
    schema = node.get("schema", {})
    if there != place and isinstance(schema, dict):
        schema = Elsewhere(schema, there)
    made: dict[str, Any] = {
        "content": {media: {"schema": schema} for media in consumes or [_JSON]},
        "required": node.get("required") is True,
    }
    if "description" in node:
        made["description"] = node["description"]
    return made


def form_body(fields: Sequence[_Found], consumes: Sequence[str]) -> dict[str, Any]:
    """Give the body that the parameters with `in: formData` stand for."""
    nodes = [node for node, _ in fields]
    properties: dict[str, Any] = {}
    encoding: dict[str, Any] = {}
    for node in nodes:
        schema = schema_of(node)
        if isinstance(node.get("description"), str):
            schema["description"] = node["description"]
        if node.get("type") == "array":
            encoding[str(node.get("name"))] = array_form(node, is_query=True)
        if node.get("type") == "file":
            schema |= {"type": "string", "format": "binary"}
        properties[str(node.get("name"))] = schema
    required = [str(n.get("name")) for n in nodes if n.get("required") is True]
    whole: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    media: dict[str, Any] = {"schema": whole}
    if encoding:
        media["encoding"] = encoding
    has_file = any(node.get("type") == "file" for node in nodes)
    return {
        "content": dict.fromkeys(_form_types(consumes, has_file=has_file), media),
        "required": bool(required),
    }


def _form_types(consumes: Sequence[str], *, has_file: bool) -> Sequence[str]:
    if has_file:
        return [_MULTIPART]
    # JSON among them is what other operations take: this one has form fields.
    fit = [m for m in consumes if m.partition(";")[0].strip() in (_FORM, _MULTIPART)]
    return fit or [_FORM]


def response(status: str, node: Any, produces: Sequence[str]) -> Any:
    """Give an answer of the service."""
    if not isinstance(node, dict) or "$ref" in node:
        return node
    made = {k: v for k, v in node.items() if k not in ("schema", "examples", "headers")}
    media: dict[str, Any] = {"schema": node["schema"]} if "schema" in node else {}
    types = produces or ([_JSON] if media else [])
    if types and not status.startswith(_EMPTY):
        made["content"] = dict.fromkeys(types, media)
    return made
