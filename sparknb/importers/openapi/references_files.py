"""The files of a description: its own, and those of its folder that it refers to.

A file is read when a reference leads to it, never before; nothing else is opened and
no address is fetched.
"""

import posixpath
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from sparknb.core.errors import DeniedError, SparknbError
from sparknb.core.wording import show
from sparknb.importers.openapi.loading import load_tree
from sparknb.importers.openapi.loading_limits import MAX_FILES, Allowance
from sparknb.importers.openapi.model import Place, Reason, RefError

__all__ = ["ROOT", "Files", "Load", "is_reference", "shown"]

ROOT: Place = ""
Load = Callable[[str], bytes]
_LONGEST_SHOWN = 120


class Files:
    """Where references lead to.

    Args:
        root: The description itself.
        name: What its file is called, so that a reference to it is not read again.
        url: Where it was read from.
        load: Reads another file by its path from the description's folder.
        prepare: Brings a file that was read into the form of OpenAPI 3.
        allowance: What may still be read.
    """

    def __init__(
        self,
        root: Any,
        *,
        name: str,
        url: str | None,
        load: Load | None,
        prepare: Callable[[Any], None],
        allowance: Allowance,
    ) -> None:
        self._trees: dict[Place, Any] = {ROOT: root}
        self._flaws: dict[Place, tuple[Reason, str]] = {}
        self._name = posixpath.basename(name.replace("\\", "/"))
        self._url = url
        self._load = load
        self._prepare = prepare
        self._allowance = allowance

    def find(self, ref: str, place: Place) -> tuple[Place, str]:
        """Give the file and the fragment of a reference.

        Raises:
            RefError: It leads out of the folder, or to another host.
        """
        before, _, fragment = ref.partition("#")
        if not before or self._is_own_address(before, place):
            return (place if not before else ROOT), fragment
        path = _path(before)
        if path is None or self._load is None:
            raise RefError("EXTERNAL_REF", f"{shown(ref)} leads out of the document")
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
        if whole == ".." or whole.startswith("../"):
            message = f"{shown(ref)} leads out of the folder of the document"
            raise RefError("EXTERNAL_REF", message)
        return (ROOT if whole == self._name else whole), fragment

    def tree(self, place: Place) -> Any:
        """Give what a file holds.

        Raises:
            RefError: It cannot be read, or is one too many.
        """
        if place not in self._trees and place not in self._flaws:
            try:
                self._trees[place] = self._read(place)
            except RefError as flaw:
                self._flaws[place] = (flaw.reason, flaw.message)
        if place in self._flaws:
            raise RefError(*self._flaws[place])
        return self._trees[place]

    def _read(self, place: Place) -> Any:
        name = show(place, _LONGEST_SHOWN)
        if self._load is None or len(self._trees) + len(self._flaws) > MAX_FILES:
            message = (
                f"{name} is one of more than {MAX_FILES} files, which are not read"
            )
            raise RefError("EXTERNAL_REF", message)
        values = self._allowance.values
        try:
            data = self._load(place)
            tree, _ = load_tree(data, self._allowance, is_root=False)
        except DeniedError as error:
            raise RefError("EXTERNAL_REF", f"{name}: {error.message}") from None
        except SparknbError as error:
            # Nothing of it is kept, so it takes nothing from the files after it.
            self._allowance.values = values
            raise RefError("UNRESOLVED_REF", f"{name}: {error.message}") from None
        except (OSError, ValueError):
            raise RefError("UNRESOLVED_REF", f"{name} cannot be read") from None
        self._prepare(tree)
        return tree

    def _is_own_address(self, before: str, place: Place) -> bool:
        if self._url is None or place != ROOT:
            return False
        own = self._url.partition("#")[0]
        try:
            return urljoin(own, before) == own
        except ValueError:
            return False


def _path(before: str) -> str | None:
    """Give the path of a reference to a file beside the document, None for others."""
    try:
        parts = urlsplit(before)
    except ValueError:
        return None
    path = unquote(parts.path)
    is_plain = not (parts.scheme or parts.netloc or parts.query)
    is_safe = not path.startswith(("/", "~")) and not set(path) & set("\\\0:")
    return path if is_plain and is_safe and path else None


def shown(ref: str) -> str:
    """Give a reference fit for a message: of an address only scheme and host."""
    try:
        parts = urlsplit(ref)
        host = parts.hostname or ""
    except ValueError:
        return "a reference that is no address"
    if parts.scheme or parts.netloc:
        scheme = f"{parts.scheme}:" if parts.scheme else ""
        return show(f"{scheme}//{host}/…" if host else f"{scheme}…", _LONGEST_SHOWN)
    return f"'{show(ref, _LONGEST_SHOWN)}'"


def is_reference(node: Any) -> bool:
    """Whether a node only points elsewhere; a property may be called $ref as well."""
    return isinstance(node, dict) and isinstance(node.get("$ref"), str)
