"""Reads an API description: OpenAPI 3.0, 3.1 or Swagger 2.0, as JSON or YAML (ST-99).

Nothing is fetched and nothing is executed. Other files of the document's folder are
read only through `load`, and only those that a reference leads to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparknb.core.problems import Problem
from sparknb.importers.openapi import swagger
from sparknb.importers.openapi.document_paths import Paths, notice
from sparknb.importers.openapi.loading import load_tree
from sparknb.importers.openapi.loading_kinds import check_root
from sparknb.importers.openapi.loading_limits import Allowance
from sparknb.importers.openapi.model import (
    Description,
    Operation,
    Place,
    RefError,
    Resolved,
)
from sparknb.importers.openapi.references import Elsewhere, References
from sparknb.importers.openapi.references_files import ROOT, Files, Load

__all__ = ["read_description"]


def read_description(
    data: bytes | str,
    *,
    name: str = "",
    url: str | None = None,
    load: Load | None = None,
) -> Description:
    """Read a whole description.

    Args:
        data: The file, or its text.
        name: What the file is called.
        url: Where it was read from; relative servers count from there.
        load: Reads another file by its path from the folder of the document, and
            refuses with `DeniedError` what lies outside. Without it, every reference
            to another file is `EXTERNAL_REF`.

    Raises:
        InvalidInputError: It is no API description, or passes a limit.
        UnsupportedError: It is of a version that is not read.
    """
    allowance = Allowance()
    tree, repeated = load_tree(data, allowance)
    root, version = check_root(tree)
    is_swagger = version.startswith("2")
    prepare = swagger.prepare if is_swagger else _leave
    prepare(root)
    files = Files(
        root, name=name, url=url, load=load, prepare=prepare, allowance=allowance
    )
    references = References(files, has_siblings=version.startswith("3.1"))
    paths = Paths(root, references)
    said = _Said(version=version, url=url, root=root, references=references)
    notices = [*repeated, *paths.notices, *_not_imported(root, paths.operations)]
    read = _in_swagger if is_swagger else _in_openapi
    return read(said, paths.operations, notices)


def _leave(tree: Any) -> None:
    """Leave a file as it is: it has the form of OpenAPI 3 already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What a description is made from, whatever its version."""

    version: str
    url: str | None
    root: Mapping[str, Any]
    references: References


class _Description:
    def __init__(
        self,
        said: _Said,
        *,
        operations: Sequence[Operation],
        servers: Sequence[Any],
        schemes: Mapping[str, Any],
        notices: Sequence[Problem],
    ) -> None:
        info = said.root.get("info")
        title = info.get("title") if isinstance(info, dict) else None
        self.version = said.version
        self.title = title if isinstance(title, str) else ""
        self.url = said.url
        self.servers = servers
        self.security: Any = said.root.get("security")
        self.schemes = schemes
        self.place: Place = ROOT
        self.notices = notices
        self._operations = operations
        self._references = said.references

    def operations(self) -> Sequence[Operation]:
        return self._operations

    def resolve(self, node: Any, place: Place) -> Resolved:
        return self._references.resolve(node, place)


def _in_openapi(
    said: _Said, operations: Sequence[Operation], notices: Sequence[Problem]
) -> Description:
    written = said.root.get("servers")
    servers = written if isinstance(written, list) else []
    if not servers and said.url:
        # Who names no server means the host that the description comes from.
        servers = [{"url": "/"}]
    return _Description(
        said,
        operations=operations,
        servers=servers,
        schemes=_schemes(said),
        notices=notices,
    )


def _schemes(said: _Said) -> Mapping[str, Any]:
    components = _behind(said, said.root.get("components"), ROOT)
    node = components.node
    written = node.get("securitySchemes") if isinstance(node, dict) else None
    found = _behind(said, written, components.place)
    if not isinstance(found.node, dict):
        return {}
    if found.place == ROOT:
        return found.node
    return {
        name: Elsewhere(scheme, found.place)
        for name, scheme in found.node.items()
        if isinstance(scheme, dict)
    }


def _behind(said: _Said, node: Any, place: Place) -> Resolved:
    try:
        return said.references.resolve(node, place)
    except RefError:
        return Resolved(None, place)


def _in_swagger(
    said: _Said, operations: Sequence[Operation], notices: Sequence[Problem]
) -> Description:
    return _Description(
        said,
        operations=[_converted(said, each) for each in operations],
        servers=swagger.servers(said.root, said.url),
        schemes=swagger.schemes(said.root.get("securityDefinitions")),
        notices=notices,
    )


def _converted(said: _Said, operation: Operation) -> Operation:
    if operation.flaw:
        return operation
    places = (operation.place, operation.item_place)
    node = swagger.convert_operation(
        operation.node, operation.item, places, said.root, said.references.resolve
    )
    own = operation.node.get("schemes")
    if isinstance(own, list) and own:
        node["servers"] = swagger.servers(said.root, said.url, own)
    item = {k: v for k, v in operation.item.items() if k in ("summary", "description")}
    return replace(operation, node=node, item=item)


def _not_imported(
    root: Mapping[str, Any], operations: Sequence[Operation]
) -> Sequence[Problem]:
    """Count what the service calls; a tool calls the service."""
    webhooks = root.get("webhooks", root.get("x-webhooks"))
    counts = {
        "webhook": len(webhooks) if isinstance(webhooks, dict) else 0,
        "callback": sum(_size(each.node.get("callbacks")) for each in operations),
    }
    return [
        notice(
            f"{count} {kind}{'s are' if count > 1 else ' is'} not imported: "
            "the service calls them, and a tool calls the service"
        )
        for kind, count in counts.items()
        if count
    ]


def _size(callbacks: Any) -> int:
    return len(callbacks) if isinstance(callbacks, dict) else 0
