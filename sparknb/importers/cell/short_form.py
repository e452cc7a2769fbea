"""The short form of an http tool, expanded to a definition (NB-11).

Nothing is judged here that the rules of definitions judge: a part that has another
shape than expected is handed on as it is, and told there.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.definitions import secret_reference
from sparknb.core.problems import Problem
from sparknb.core.risk import derive_risk
from sparknb.core.templates.placeholder import PLACEHOLDER
from sparknb.core.validation.common import RESERVED_TYPES
from sparknb.core.validation.fields import missing as missing_key
from sparknb.core.validation.fields import wrong_type
from sparknb.core.wording import join_path
from sparknb.importers.cell.json_body import json_template
from sparknb.importers.cell.reading import wrong
from sparknb.importers.cell.tree import Items, Node, Pairs, Value, as_json

__all__ = ["TRIPLE", "Expanded", "Tell", "expand", "read_params"]

_SECRET = "secret:"  # noqa: S105  # the word in front of a secret's name
_PLAIN_TEXT = "text/plain; charset=utf-8"
_JSON_TYPE = re.compile("[/+]json$")
_BEGINS_AS_JSON = re.compile(r"\s*(?:\[|\{(?!\{))")
TRIPLE = ("risk", "effect", "idempotency")

Tell = Callable[[Problem], object]


@dataclass(slots=True)
class Expanded:
    """A definition made of a short form.

    Attributes:
        root: The short form.
        places: For each path of the definition that is written elsewhere, the path
            of what its author wrote, and the word for it in messages.
        silent: Paths that the expansion itself filled in, so that what is said of
            them only follows from something else.
    """

    root: Pairs
    document: dict[str, Any]
    places: dict[str, tuple[str, str]] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)


def expand(root: Pairs, tool_id: Any, tell: Tell) -> Expanded:
    """Give the definition that the keys of a short form stand for."""
    written = {entry.key: entry.node for entry in root.entries}
    made = Expanded(root, {} if tool_id is None else {"id": tool_id})
    made.document["type"] = _type(written.get("type"), tell)
    for key in ("title", "description", *TRIPLE, "timeoutMs"):
        if key in written:
            made.document[key] = as_json(written[key])
    made.document["inputSchema"] = read_params(written.get("params"), made, tell)
    request = _request(written, made, tell)
    headers = _headers(written.get("headers"), tool_id, made, tell)
    if headers:
        request["headers"] = headers
    if "body" in written:
        _body(written["body"], headers, request, made, tell)
    spec = {"request": request, "response": _response(written, made, tell)}
    if "allowPrivateNetwork" in written:
        spec["allowPrivateNetwork"] = as_json(written["allowPrivateNetwork"])
        made.places["spec.allowPrivateNetwork"] = ("allowPrivateNetwork", "")
    _complete_triple(request.get("method"), made)
    made.document["spec"] = spec
    made.places["spec"] = ("request", "")
    return made


def _type(node: Node | None, tell: Tell) -> str:
    said = "http" if node is None else as_json(node)
    if said in RESERVED_TYPES:
        return str(said)  # that it does not run yet is all there is to say
    if said != "http":
        message = "the short form is for tools of type http"
        hint = "remove type, or write the long form"
        if said == "code":
            hint = "write the program below --type python or --type typescript"
        tell(wrong(message, "type", hint))
    return "http"


# ------------------------------------------------------------------- parameters
def read_params(node: Node | None, made: Expanded, tell: Tell) -> dict[str, Any]:
    """Give the input schema that `params` stands for."""
    made.places["inputSchema"] = ("params", "params")
    made.places["inputSchema.properties"] = ("params", "params")
    made.silent.add("inputSchema.required")
    if node is None:
        return {"type": "object", "properties": {}}
    if not isinstance(node, Pairs):
        value = as_json(node)
        tell(wrong_type("params", "a mapping of names", value))
        made.silent.add("inputSchema")
        return {"type": "object", "properties": value}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for entry in node.entries:
        properties[entry.key] = as_json(entry.node)
        if not entry.is_optional:
            required.append(entry.key)
    schema = {"type": "object", "properties": properties}
    return schema | {"required": required} if required else schema


# ---------------------------------------------------------------------- request
def _request(written: Mapping[str, Node], made: Expanded, tell: Tell) -> dict[str, Any]:
    made.places["spec.request"] = ("request", "")
    made.places["spec.request.method"] = ("request", "the method")
    made.places["spec.request.urlTemplate"] = ("request", "the URL")
    node = written.get("request")
    text = node.value if isinstance(node, Value) else None
    if isinstance(text, str):
        method, _, url = text.strip().partition(" ")
        if url:
            return {"method": method, "urlTemplate": url.strip()}
        message = "request must be a method and a URL"
        tell(wrong(message, "request", "such as GET https://example.com/weather"))
    elif node is None:
        tell(missing_key("request"))
    else:
        tell(wrong_type("request", "a method and a URL", as_json(node)))
    made.silent |= {"spec.request.method", "spec.request.urlTemplate"}
    return {}


def _headers(
    node: Node | None, tool_id: Any, made: Expanded, tell: Tell
) -> list[dict[str, Any]]:
    made.places["spec.request.headers"] = ("headers", "headers")
    if node is None:
        return []
    if not isinstance(node, Pairs):
        tell(wrong_type("headers", "a mapping of names", as_json(node)))
        return []
    headers: list[dict[str, Any]] = []
    references: dict[str, str] = {}
    for entry in node.entries:
        here = join_path("headers", entry.key)
        made.places[f"spec.request.headers.{len(headers)}"] = (here, entry.key)
        for key in ("name", "valueTemplate", "secretRef"):
            place = f"spec.request.headers.{len(headers)}.{key}"
            made.places[place] = (here, entry.key)
        value = as_json(entry.node)
        if isinstance(value, str) and value.startswith(_SECRET):
            secret = value.removeprefix(_SECRET).strip()
            headers.append({"name": entry.key, "secretRef": secret})
            references.setdefault(secret, secret_reference(str(tool_id), secret))
            made.silent.add(join_path("secretRefs", secret))
        else:
            headers.append({"name": entry.key, "valueTemplate": value})
    made.places["secretRefs"] = ("headers", "headers")
    if references:
        made.document["secretRefs"] = references
    return headers


# ------------------------------------------------------------------------- body
def _body(
    node: Node,
    headers: list[dict[str, Any]],
    request: dict[str, Any],
    made: Expanded,
    tell: Tell,
) -> None:
    made.places["spec.request.body"] = ("body", "body")
    for key in ("jsonTemplate", "template", "contentType"):
        made.places[f"spec.request.body.{key}"] = ("body", "body")

    def no_json(message: str, path: str) -> None:
        tell(wrong(message, path, "quote it to send it as text"))

    if isinstance(node, Pairs | Items):
        template = json_template(node, "body", no_json)
        request["body"] = {"mode": "json", "jsonTemplate": template}
    elif isinstance(node.value, str):
        request["body"] = _text_body(node.value, _content_type(headers))
    else:
        tell(wrong_type("body", "a mapping, a list or a text", node.value))


def _content_type(headers: list[dict[str, Any]]) -> str | None:
    for header in headers:
        value = header.get("valueTemplate")
        if header["name"].lower() == "content-type" and isinstance(value, str):
            return value
    return None


def _text_body(text: str, content_type: str | None) -> dict[str, Any]:
    """Read a text as JSON where it is JSON, so that no value can leave its place."""
    if content_type is None:
        is_json = _BEGINS_AS_JSON.match(text) or PLACEHOLDER.fullmatch(text.strip())
    else:
        kind = content_type.partition(";")[0].strip().lower()
        is_json = _JSON_TYPE.search(kind)
    if is_json:
        return {"mode": "json", "jsonTemplate": text}
    kind = content_type or _PLAIN_TEXT
    return {"mode": "text", "contentType": kind, "template": text}


# --------------------------------------------------------------------- response
def _response(written: Mapping[str, Node], made: Expanded, tell: Tell) -> Any:
    made.places["spec.response"] = ("response", "response")
    node = written.get("response")
    if node is None:
        return {"format": "json"}
    if not isinstance(node, Pairs):
        tell(wrong_type("response", "a mapping", as_json(node)))
        return {"format": "json"}
    response: dict[str, Any] = {"format": "json"}
    for entry in node.entries:
        if entry.key == "extract":
            response["extract"] = list(_extract(entry.node, made, tell))
        else:
            response[entry.key] = as_json(entry.node)
    return response


def _extract(node: Node, made: Expanded, tell: Tell) -> Iterator[dict[str, Any]]:
    if not isinstance(node, Pairs):
        what = "a mapping of labels to paths"
        tell(wrong_type("response.extract", what, as_json(node)))
        return
    for position, entry in enumerate(node.entries):
        place = f"spec.response.extract.{position}"
        here = (join_path("response.extract", entry.key), entry.key)
        made.places |= {place: here, f"{place}.label": here, f"{place}.jsonPath": here}
        yield {"label": entry.key, "jsonPath": as_json(entry.node)}


# ------------------------------------------------------------------------- risk
def _complete_triple(method: Any, made: Expanded) -> None:
    """Derive what the author left out of risk, effect and idempotency, if not all."""
    document = made.document
    left_out = [key for key in TRIPLE if key not in document]
    derived = derive_risk(method) if isinstance(method, str) else None
    if not 0 < len(left_out) < len(TRIPLE):
        return
    made.silent.update(left_out)
    if derived is None:
        return
    values: dict[str, str] = derived._asdict()
    if document.get("risk") == "destructive":
        values["idempotency"] = "unsafe"
    for key in left_out:
        document[key] = values[key]
