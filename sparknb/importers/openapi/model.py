"""An API description as the rest of the importer sees it: in the words of OpenAPI 3.

Reading (`document`, `swagger`) brings 2.0, 3.0 and 3.1 into this one form; making
tools (`operations`) knows no versions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sparknb.core.problems import Problem

__all__ = ["Description", "Operation", "Place", "Reason", "RefError", "Resolved"]

Reason = Literal["EXTERNAL_REF", "UNRESOLVED_REF", "CIRCULAR_REF"]

Place = str
"""What the references of a node count from: a key of one of the files, say."""


class RefError(Exception):
    """A reference that leads nowhere, out of bounds, or in a circle.

    Attributes:
        reason: `EXTERNAL_REF`, `UNRESOLVED_REF` or `CIRCULAR_REF`.
        message: One plain sentence that names the reference.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Resolved:
    """A node behind all of its references, with the place that its own count from."""

    node: Any
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path.

    Attributes:
        name: `METHOD /path` as in the document.
        method: In capitals; any of the eight of OpenAPI.
        path: As in the document.
        node: The operation object, in the form of OpenAPI 3.
        item: The path item it stands in, with its `parameters` and `servers`.
        place: What references in `node` count from; `item_place` those in `item`.
        flaw: Why the operation cannot be read at all, such as a broken reference of
            its path item; it is a skip then. Where even the methods are unknown,
            `method` is `*`.
    """

    name: str
    method: str
    path: str
    node: Mapping[str, Any]
    item: Mapping[str, Any]
    place: Place
    item_place: Place
    flaw: RefError | None = None


class Description(Protocol):
    """A whole API description.

    Attributes:
        version: As written, such as `3.0.3`.
        title: Of `info`, or an empty text.
        url: Where it was read from, None for a file or text; relative servers
            resolve against it.
        servers: At root level, in the form of OpenAPI 3.
        security: At root level.
        schemes: The security schemes by name, in the form of OpenAPI 3.
        place: What references at root level count from.
        notices: Repeated keys, callbacks and webhooks that are not imported.
    """

    version: str
    title: str
    url: str | None
    servers: Sequence[Any]
    security: Any
    schemes: Mapping[str, Any]
    place: Place
    notices: Sequence[Problem]

    def operations(self) -> Sequence[Operation]:
        """Give every operation in the order of the document."""
        ...

    def resolve(self, node: Any, place: Place) -> Resolved:
        """Follow `$ref` until a value that is none; anything else comes back as is.

        Raises:
            RefError: It cannot be followed.
        """
        ...
