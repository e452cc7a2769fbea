"""Follows `$ref`, to where a value stands."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urljoin

from sparknb.importers.openapi.model import Place, RefError, Resolved
from sparknb.importers.openapi.references_files import Files, is_reference, shown

__all__ = ["Elsewhere", "References", "mappings"]

_MOST_STEPS = 1_000
_MOST_NESTED = 30
# What may stand beside $ref and only speaks of the value.
_SPEAKING = frozenset(
    {
        "default",
        "deprecated",
        "description",
        "example",
        "examples",
        "externalDocs",
        "readOnly",
        "summary",
        "title",
        "writeOnly",
        "$comment",
    }
)
_NAMING = (("$anchor", ""), ("$dynamicAnchor", ""), ("$id", "$id="))
_Target = tuple[Any, Place]


class Elsewhere(dict[str, Any]):
    """A node whose references count from another place than those around it."""

    def __init__(self, node: Mapping[str, Any], place: Place) -> None:
        super().__init__(node)
        self.place = place


class References:
    """The references of a description.

    Args:
        files: Where they lead to.
        has_siblings: What stands beside `$ref` counts, as from OpenAPI 3.1 on.
    """

    def __init__(self, files: Files, *, has_siblings: bool) -> None:
        self._files = files
        self._has_siblings = has_siblings
        self._found: dict[tuple[Place, str], _Target | RefError] = {}
        self._joined: dict[int, tuple[Any, Resolved]] = {}
        self._named: dict[Place, Mapping[str, Any]] = {}
        self._nested = 0
        # A schema with an $id of its own is a document inside the document.
        self._inner: dict[Place, tuple[Any, Place, str]] = {}

    def resolve(self, node: Any, place: Place) -> Resolved:
        """Follow `$ref` until a value that is none; anything else comes back as is.

        Raises:
            RefError: It cannot be followed.
        """
        if isinstance(node, Elsewhere):
            place = node.place
        if not is_reference(node):
            return Resolved(node, place)
        target, there = self._follow(node, place)
        if self._has_siblings and len(node) > 1:
            return self._with_siblings(node, place, Resolved(target, there))
        return Resolved(target, there)

    def _follow(self, node: Any, place: Place) -> _Target:
        seen: set[tuple[Place, str]] = set()
        while is_reference(node):
            if isinstance(node, Elsewhere):
                place = node.place
            ref = node["$ref"]
            if (place, ref) in seen or len(seen) > _MOST_STEPS:
                message = f"{shown(ref)} comes back to itself and never to a value"
                raise RefError("CIRCULAR_REF", message)
            seen.add((place, ref))
            node, place = self._target(ref, place)
        return node, place

    def _target(self, ref: str, place: Place) -> _Target:
        key = (place, ref)
        found = self._found.get(key)
        if found is None:
            # A pointer may lead through itself: it is not found while it is sought.
            message = f"{shown(ref)} leads through itself"
            self._found[key] = RefError("CIRCULAR_REF", message)
            self._found[key] = found = self._sought(ref, place)
        if isinstance(found, RefError):
            raise RefError(found.reason, found.message)
        return found

    def _sought(self, ref: str, place: Place) -> _Target | RefError:
        if self._nested >= _MOST_NESTED:
            message = f"{shown(ref)} leads through too many other references"
            return RefError("CIRCULAR_REF", message)
        self._nested += 1
        try:
            return self._seek(ref, place)
        except RefError as error:
            return RefError(error.reason, error.message)
        finally:
            self._nested -= 1

    def _seek(self, ref: str, place: Place) -> _Target:
        inner = self._by_id(ref, place)
        if inner is not None:
            return inner
        outer = self._inner[place][1] if place in self._inner else place
        there, fragment = self._files.find(ref, outer)
        if there == outer and place in self._inner and ref.startswith("#"):
            found = self._in(self._inner[place][0], fragment, place)
            if found is not None:
                return found
        found = self._in(self._files.tree(there), fragment, there)
        if found is None:
            raise RefError("UNRESOLVED_REF", f"{shown(ref)} leads to nothing")
        return found

    def _in(self, root: Any, fragment: str, place: Place) -> _Target | None:
        """Find a fragment; escapes of addresses are undone first, as they must be."""
        for text in dict.fromkeys((unquote(fragment), fragment)):
            if text and not text.startswith("/"):
                found = self._anchors(place, root).get(text)
                target = None if found is None else (found, place)
            else:
                target = self._at(root, text, place)
            if target is not None:
                return self._entered(*target)
        return None

    def _at(self, node: Any, pointer: str, place: Place) -> _Target | None:
        for token in pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            if is_reference(node) and key not in node:
                node, place = self._follow(node, place)
            if isinstance(node, Elsewhere):
                place = node.place
            found, node = _step(node, key)
            if not found:
                return None
        return node, place

    def _entered(self, node: Any, place: Place) -> _Target:
        """Let the references of a schema with an $id count from itself."""
        name = node.get("$id") if isinstance(node, dict) else None
        if not isinstance(name, str) or not self._has_siblings:
            return node, place
        _, outer, base = self._inner.get(place, (None, place, place))
        key = f"{outer}#$id={_joined_address(base, name)}"
        self._inner.setdefault(key, (node, outer, _joined_address(base, name)))
        return node, key

    def _by_id(self, ref: str, place: Place) -> _Target | None:
        """Find a schema of the same file by its $id."""
        before, _, fragment = ref.partition("#")
        if not before or not self._has_siblings:
            return None
        _, outer, base = self._inner.get(place, (None, place, ""))
        named = self._anchors(outer, self._files.tree(outer))
        for address in (before, _joined_address(base, before)):
            node = named.get(f"$id={address}")
            if node is not None:
                _, there = self._entered(node, outer)
                return self._in(node, fragment, there)
        return None

    def _anchors(self, place: Place, root: Any) -> Mapping[str, Any]:
        if place not in self._named:
            self._named[place] = _names(root) if self._has_siblings else {}
        return self._named[place]

    def _with_siblings(self, node: Any, place: Place, target: Resolved) -> Resolved:
        """Give a value together with what stands beside the reference to it."""
        known = self._joined.get(id(node))
        if known is not None:
            return known[1]
        beside = {key: value for key, value in node.items() if key != "$ref"}
        is_mapping = isinstance(target.node, dict)
        speaking = {k: v for k, v in beside.items() if k in _SPEAKING or k[:2] == "x-"}
        if not is_mapping or _is_no_schema(target.node):
            spoken = {
                k: v for k, v in beside.items() if k in ("summary", "description")
            }
            joined = {**target.node, **spoken} if is_mapping else target.node
            result = Resolved(joined, target.place)
        elif len(speaking) == len(beside):
            result = Resolved({**target.node, **beside}, target.place)
        else:
            both = [{"$ref": node["$ref"]}, beside]
            result = Resolved({"allOf": both}, place)
        # The node is kept as well, so that its id is never that of another one.
        self._joined[id(node)] = (node, result)
        return result


def _step(node: Any, key: str) -> tuple[bool, Any]:
    if isinstance(node, dict):
        return key in node, node.get(key)
    if isinstance(node, list) and key.isascii() and key.isdigit():
        position = int(key) if len(key) < len("1000000") else len(node)
        return position < len(node), node[position] if position < len(node) else None
    return False, None


def _is_no_schema(node: Mapping[str, Any]) -> bool:
    """Whether a node is a parameter, a body or a response, where less may stand."""
    return isinstance(node.get("in"), str) or isinstance(node.get("content"), dict)


def _joined_address(base: str, name: str) -> str:
    try:
        return urljoin(base, name.removesuffix("#"))
    except ValueError:
        return name


def _names(root: Any) -> Mapping[str, Any]:
    """Find every $anchor and $id of a file; the first of a name counts."""
    named: dict[str, Any] = {}
    for node in mappings(root):
        for keyword, before in _NAMING:
            name = node.get(keyword)
            if isinstance(name, str):
                named.setdefault(before + name.removesuffix("#"), node)
    return named


def mappings(root: Any) -> Iterator[dict[str, Any]]:
    """Give every object in a tree, each once."""
    seen: set[int] = set()  # values under YAML aliases are the same objects
    rest = [root]
    while rest:
        node = rest.pop()
        if not isinstance(node, dict | list) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, dict):
            yield node
            rest.extend(reversed(node.values()))
        else:
            rest.extend(reversed(node))
