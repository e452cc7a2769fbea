"""A description in Swagger 2.0 in the form of OpenAPI 3.

Only operations, servers and security schemes are written anew. Everything that
references lead to (`#/definitions/...`) stays where it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from sparknb.importers.openapi.model import Place, RefError, Resolved
from sparknb.importers.openapi.references import Elsewhere, mappings
from sparknb.importers.openapi.swagger_bodies import (
    form_body,
    json_body,
    media_types,
    response,
)
from sparknb.importers.openapi.swagger_parameters import parameter

__all__ = ["convert_operation", "prepare", "schemes", "servers"]

_Node = Mapping[str, Any]
_Resolve = Callable[[Any, Place], Resolved]
_Found = tuple[_Node, Place]
_REPLACED = ("parameters", "responses", "consumes", "produces", "schemes")


def prepare(tree: Any) -> None:
    """Write `x-nullable` as `nullable`, the later name of it, in a whole file."""
    for node in mappings(tree):
        if node.get("x-nullable") is True:
            node.setdefault("nullable", True)


def servers(root: _Node, url: str | None, own_schemes: Any = None) -> Sequence[_Node]:
    """Give the one server that scheme, host and base path name."""
    base = root.get("basePath")
    path = base if isinstance(base, str) and base else "/"
    if not path.startswith("/"):
        path = f"/{path}"
    host = root.get("host")
    scheme = _scheme(own_schemes or root.get("schemes"))
    if not isinstance(host, str) or not host:
        host = _host(url)
        if scheme is None or not host:
            return [{"url": path}]
    return [{"url": f"{scheme or _own_scheme(url) or 'https'}://{host}{path}"}]


def schemes(definitions: Any) -> Mapping[str, Any]:
    """Give the security schemes by name."""
    if not isinstance(definitions, dict):
        return {}
    return {name: _scheme_object(node) for name, node in definitions.items()}


def convert_operation(
    node: _Node,
    item: _Node,
    places: tuple[Place, Place],
    root: _Node,
    resolve: _Resolve,
) -> dict[str, Any]:
    """Give an operation with the parameters of its path item among its own.

    Args:
        node: The operation.
        item: Its path item.
        places: What the references of either count from.
        root: The description.
        resolve: Follows a reference.
    """
    place = places[0]
    made = {key: value for key, value in node.items() if key not in _REPLACED}
    consumes = media_types(node, root, "consumes")
    plain, bodies, fields = _sorted_out(_parameters(node, item, places, resolve))
    made["parameters"] = [_plain(found, place) for found in plain]
    if fields:
        made["requestBody"] = form_body(fields, consumes)
    if bodies:
        made["requestBody"] = json_body(bodies[-1], consumes, place)
    produces = media_types(node, root, "produces")
    answers = node.get("responses")
    if isinstance(answers, dict):
        made["responses"] = {
            status: response(str(status), _known(answer, place, resolve), produces)
            for status, answer in answers.items()
        }
    return made


def _parameters(
    node: _Node, item: _Node, places: tuple[Place, Place], resolve: _Resolve
) -> Iterator[_Found]:
    """Yield those of the operation and those of the path that it does not replace.

    A reference that leads nowhere is yielded as it is.
    """
    own = [_resolved(p, places[0], resolve) for p in _listed(node)]
    shared = [_resolved(p, places[1], resolve) for p in _listed(item)]
    replaced = {_key(found) for found in own}
    yield from (found for found in shared if _key(found) not in replaced)
    yield from own


def _listed(node: _Node) -> Sequence[_Node]:
    written = node.get("parameters")
    if not isinstance(written, list):
        return []
    return [parameter for parameter in written if isinstance(parameter, dict)]


def _resolved(node: _Node, place: Place, resolve: _Resolve) -> _Found:
    try:
        found = resolve(node, place)
    except RefError:
        return node, place
    return (found.node, found.place) if isinstance(found.node, dict) else ({}, place)


def _key(found: _Found) -> Any:
    node = found[0]
    if "$ref" in node:
        return id(node)
    where = node.get("in")
    # There is one body, whatever it is called.
    return where if where == "body" else (str(where), str(node.get("name")))


def _sorted_out(
    found: Iterator[_Found],
) -> tuple[list[_Found], list[_Found], list[_Found]]:
    plain: list[_Found] = []
    kinds: dict[Any, list[_Found]] = {"body": [], "formData": []}
    for each in found:
        where = each[0].get("in")
        kinds.get(where if isinstance(where, str) else "", plain).append(each)
    return plain, kinds["body"], kinds["formData"]


def _plain(found: _Found, place: Place) -> _Node:
    node, there = found
    made = node if "$ref" in node else parameter(node)
    return made if there == place else Elsewhere(made, there)


def _known(answer: Any, place: Place, resolve: _Resolve) -> Any:
    """Give an answer behind its reference; answers never stop an import."""
    try:
        return resolve(answer, place).node
    except RefError:
        return answer


def _scheme(written: Any) -> str | None:
    offered = (
        [s for s in written if isinstance(s, str)] if isinstance(written, list) else []
    )
    return "https" if "https" in offered else next(iter(offered), None)


def _host(url: str | None) -> str:
    return urlsplit(url).netloc.rpartition("@")[2] if url else ""


def _own_scheme(url: str | None) -> str:
    return urlsplit(url).scheme if url else ""


def _scheme_object(node: Any) -> Any:
    if not isinstance(node, dict) or node.get("type") != "basic":
        return node
    return {**node, "type": "http", "scheme": "basic"}
