"""The operations of a description, each with its path item, behind all references."""

from collections.abc import Iterator, Mapping
from typing import Any

from sparknb.core.errors import InvalidInputError
from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, kind_of
from sparknb.importers.openapi.model import Operation, Place, RefError
from sparknb.importers.openapi.references import References
from sparknb.importers.openapi.references_files import ROOT, is_reference

__all__ = ["Paths", "notice"]

_METHODS = frozenset(
    ("get", "put", "post", "delete", "options", "head", "patch", "trace")
)
_ITEM_KEYS = frozenset({"$ref", "summary", "description", "servers", "parameters"})
_ANY_METHOD = "*"


def notice(message: str, path: str = "") -> Problem:
    """Say what is left out."""
    return Problem(code="IMPORT_NOTICE", message=message, path=path, level="notice")


class Paths:
    """What stands in `paths`.

    Attributes:
        operations: In the order of the document.
        notices: What stands there and is no operation.
    """

    def __init__(self, root: Mapping[str, Any], references: References) -> None:
        self.operations: list[Operation] = []
        self.notices: list[Problem] = []
        self._references = references
        paths, place = self._all(root.get("paths"))
        for path, item in paths.items():
            if not path.startswith("x-") and item is not None:
                self.operations += self._of_path(path, item, place)

    def _all(self, written: Any) -> tuple[Mapping[str, Any], Place]:
        try:
            found = self._references.resolve(written, ROOT)
        except RefError as flaw:
            raise InvalidInputError(
                f"the paths cannot be read: {flaw.message}", path="paths"
            ) from None
        if found.node is None:
            return {}, ROOT
        if not isinstance(found.node, dict):
            message = f"paths must be an object, not {kind_of(found.node)}"
            raise InvalidInputError(message, path="paths")
        return found.node, found.place

    def _of_path(self, path: str, item: Any, place: Place) -> Iterator[Operation]:
        if not isinstance(item, dict):
            message = f"the path is left out: it is {kind_of(item)}, not an object"
            self.notices.append(notice(message, join_path("paths", path)))
            return
        whole: Mapping[str, Any] = item
        item_place, flaw = place, None
        if is_reference(item):
            try:
                whole, item_place = self._behind(item, place)
            except RefError as error:
                flaw = error
        own = place if flaw else item_place
        found: set[str] = set()
        for key, node in whole.items():
            if key.upper() in found:
                self._leave_out(path, key, f"{key.upper()} stands there already")
            elif self._is_operation(path, key, node):
                found.add(key.upper())
                node_place = place if key in item else own
                yield self._operation(
                    path, key, node, node_place, item=whole, item_place=own, flaw=flaw
                )
        if flaw and not found:
            yield _flawed(path, place, flaw)

    def _behind(
        self, item: Mapping[str, Any], place: Place
    ) -> tuple[Mapping[str, Any], Place]:
        """Give the path item of a reference, with what stands beside it on top."""
        # In 3.1 as in 3.0, what may stand beside this reference is a path item.
        found = self._references.resolve({"$ref": item["$ref"]}, place)
        if not isinstance(found.node, dict):
            message = f"the path item is {kind_of(found.node)}, not an object"
            raise RefError("UNRESOLVED_REF", message)
        beside = {key: value for key, value in item.items() if key != "$ref"}
        shared = [beside.get("parameters"), found.node.get("parameters")]
        if all(isinstance(each, list) for each in shared):
            if found.place != place:
                message = "parameters stand in the path and in the file it refers to"
                raise RefError("UNRESOLVED_REF", message)
            beside["parameters"] = [*found.node["parameters"], *beside["parameters"]]
        return {**found.node, **beside}, found.place

    def _is_operation(self, path: str, key: str, node: Any) -> bool:
        if key.lower() not in _METHODS:
            if isinstance(node, dict) and "responses" in node:
                self._leave_out(path, key, f"{key.upper()} is no method of OpenAPI")
            return False
        if node is not None and not isinstance(node, dict):
            self._leave_out(path, key, f"it is {kind_of(node)}, not an object")
        return isinstance(node, dict)

    def _leave_out(self, path: str, key: str, why: str) -> None:
        if key in _ITEM_KEYS or key.startswith("x-"):
            return
        where = join_path(join_path("paths", path), key)
        self.notices.append(notice(f"the operation is left out: {why}", where))

    def _operation(
        self,
        path: str,
        key: str,
        node: Mapping[str, Any],
        place: Place,
        *,
        item: Mapping[str, Any],
        item_place: Place,
        flaw: RefError | None,
    ) -> Operation:
        if flaw is None and is_reference(node):
            try:
                found = self._references.resolve(node, place)
            except RefError as error:
                flaw = error
            else:
                is_object = isinstance(found.node, dict)
                node, place = (found.node if is_object else {}), found.place
        method = key.upper()
        return Operation(
            name=f"{method} {path}",
            method=method,
            path=path,
            node=node,
            item=item,
            place=place,
            item_place=item_place,
            flaw=flaw,
        )


def _flawed(path: str, place: Place, flaw: RefError) -> Operation:
    """Give what stands for the unknown operations behind a broken reference."""
    return Operation(
        name=f"{_ANY_METHOD} {path}",
        method=_ANY_METHOD,
        path=path,
        node={},
        item={},
        place=place,
        item_place=place,
        flaw=flaw,
    )
