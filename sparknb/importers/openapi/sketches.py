"""A tool before it has an id: all that one operation says, put together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sparknb.core.definitions import secret_reference
from sparknb.core.problems import Problem
from sparknb.core.risk import derive_risk
from sparknb.importers.openapi.bodies import Body, read_body
from sparknb.importers.openapi.limits import within_limit
from sparknb.importers.openapi.model import Description, Operation, RefError
from sparknb.importers.openapi.outcomes import SkipError, notice
from sparknb.importers.openapi.parameters import read_parameters
from sparknb.importers.openapi.requests import body_of, path_names, url_of
from sparknb.importers.openapi.responses import answers_of
from sparknb.importers.openapi.schemas import SchemaBook
from sparknb.importers.openapi.security import (
    Credential,
    credentials_of,
    for_headers,
)
from sparknb.importers.openapi.servers import base_of
from sparknb.importers.openapi.slots import Slot, named, placeholder
from sparknb.importers.openapi.texts import describe, title_of

__all__ = ["Sketch", "Sketcher"]

_TIMEOUT_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A definition without its id, and what there is to say about it."""

    definition: dict[str, Any]
    credentials: list[Credential]
    notices: list[Problem]

    def with_id(self, tool_id: str) -> dict[str, Any]:
        """Give the definition; it shares its parts with the sketch."""
        wire = {"id": tool_id, **self.definition}
        if self.credentials:
            wire["secretRefs"] = {
                c.secret: secret_reference(tool_id, c.secret) for c in self.credentials
            }
        return wire


class Sketcher:
    """Makes sketches of the operations of one description."""

    def __init__(self, description: Description, base_url: str | None) -> None:
        self._description = description
        self._base_url = base_url
        self._book = SchemaBook(description)

    def sketch(self, operation: Operation) -> Sketch:
        """Make a tool of an operation.

        Raises:
            SkipError: None can be made of it.
        """
        if operation.flaw is not None:
            raise SkipError(operation.flaw.reason, operation.flaw.message)
        if derive_risk(operation.method) is None:
            message = f"tools send no {operation.method} requests"
            raise SkipError("UNSUPPORTED_METHOD", message)
        try:
            return self._sketch(operation)
        except RefError as error:
            raise SkipError(error.reason, error.message) from error
        except RecursionError:
            message = "the operation is nested too deeply to be read"
            raise SkipError("INVALID_DEFINITION", message) from None

    def _sketch(self, operation: Operation) -> Sketch:
        base = self._base_url or base_of(self._description, operation)
        notices = _first_notices(operation)
        parameters = read_parameters(operation, self._book)
        credentials, more = credentials_of(self._description, operation)
        extra = for_headers(parameters.secret_headers, credentials)
        credentials = [*credentials, *extra]
        notices += [*parameters.notices, *more, *(c.notice() for c in extra)]
        body, more = read_body(operation, self._book)
        notices += more
        used = _used(parameters.slots, operation, credentials, notices)
        slots, body, more = within_limit(used, body)
        notices += more
        pairs = named(slots)
        request: dict[str, Any] = {
            "method": operation.method,
            "urlTemplate": url_of(base, operation.path, pairs),
        }
        answers = answers_of(operation, self._book)
        headers = _headers(pairs, credentials, body, answers.accept)
        if headers:
            request["headers"] = headers
        if body is not None:
            request["body"] = body_of(body, pairs)
        definition = {
            "title": title_of(operation.node, operation.name),
            "description": describe(operation.node, operation.name),
            "type": "http",
            "inputSchema": _input_schema(pairs),
            "timeoutMs": _TIMEOUT_MS,
            "spec": {"request": request, "response": {"format": answers.format}},
        }
        return Sketch(definition=definition, credentials=credentials, notices=notices)


def _first_notices(operation: Operation) -> list[Problem]:
    notices = []
    if operation.node.get("deprecated") is True:
        notices.append(notice("the document calls this operation deprecated"))
    if "#" in operation.path:
        told = "what stands behind # in the path is left out: it is never sent"
        notices.append(notice(told))
    return notices


def _used(
    slots: list[Slot],
    operation: Operation,
    credentials: list[Credential],
    notices: list[Problem],
) -> list[Slot]:
    """Give the slots that the request has a place for; tells of the others."""
    places = set(path_names(operation.path))
    filled = {credential.header.lower() for credential in credentials}
    kept = []
    for slot in slots:
        if slot.place == "path" and slot.wire not in places:
            why = "the path has no place for it"
        elif slot.place == "header" and slot.wire.lower() in filled:
            why = "a secret fills this header"
        else:
            kept.append(slot)
            continue
        notices.append(notice(f"the {slot} is left out: {why}"))
    return kept


def _input_schema(pairs: list[tuple[str, Slot]]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: dict(slot.schema) for name, slot in pairs},
    }
    required = [name for name, slot in pairs if slot.required]
    return schema | {"required": required} if required else schema


def _headers(
    pairs: list[tuple[str, Slot]],
    credentials: list[Credential],
    body: Body | None,
    accept: str | None,
) -> list[Mapping[str, str]]:
    headers: list[Mapping[str, str]] = [
        {"name": c.header, "secretRef": c.secret} for c in credentials
    ]
    # A template of mode json is sent as application/json by itself.
    if (
        body is not None
        and body.mode == "json"
        and body.media_type != "application/json"
    ):
        headers.append({"name": "Content-Type", "valueTemplate": body.media_type})
    if accept is not None:
        headers.append({"name": "Accept", "valueTemplate": accept})
    headers += [
        {"name": slot.wire, "valueTemplate": placeholder(name, slot)}
        for name, slot in pairs
        if slot.place == "header"
    ]
    taken = {h["name"].lower() for h in headers}
    if len(taken) < len(headers):
        raise SkipError("UNSUPPORTED_SECURITY", "two values would fill one header")
    return headers
