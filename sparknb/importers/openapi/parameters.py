"""The parameters of an operation, and what becomes of each (ST-105, ST-106)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.sensitive_names import is_sensitive_header, is_sensitive_query
from sparknb.core.validation.headers import OWN_HEADERS, is_header_name
from sparknb.importers.openapi.model import Operation, Place
from sparknb.importers.openapi.outcomes import SkipError, notice
from sparknb.importers.openapi.schemas import Key, SchemaBook
from sparknb.importers.openapi.slots import Slot
from sparknb.importers.openapi.styles import Parameter, UnfitError, slots_of
from sparknb.importers.openapi.texts import shown

__all__ = ["Parameters", "read_parameters"]

_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
_REASONS = {"cookie": "COOKIE_PARAMETER"}


@dataclass(slots=True)
class Parameters:
    """What the parameters of an operation come to.

    Attributes:
        secret_headers: Names of headers whose value is a secret.
        notices: What is left out or done otherwise.
    """

    slots: list[Slot] = field(default_factory=list)
    secret_headers: list[str] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)


def read_parameters(operation: Operation, book: SchemaBook) -> Parameters:
    """Read the parameters of a path and of its operation, which override them.

    Raises:
        SkipError: A required parameter cannot be sent.
        RefError: A reference cannot be followed.
    """
    found = Parameters()
    for parameter in _merged(operation, book):
        _place(parameter, found)
    return found


def _merged(operation: Operation, book: SchemaBook) -> list[Parameter]:
    merged: dict[tuple[str, str], Parameter] = {}
    sources = (
        (operation.item.get("parameters"), operation.item_place),
        (operation.node.get("parameters"), operation.place),
    )
    for nodes, place in sources:
        if nodes is None:
            continue
        if not isinstance(nodes, list):
            raise SkipError("UNSUPPORTED_PARAMETER", "its parameters are no list")
        for node in nodes:
            parameter = _read(node, place, book)
            # Names of headers do not differ by case.
            name = parameter.name.lower() if parameter.where == "header" else None
            merged[name or parameter.name, parameter.where] = parameter
    return list(merged.values())


def _read(node: Any, place: Place, book: SchemaBook) -> Parameter:
    resolved = book.description.resolve(node, place)
    read, where = resolved.node, resolved.place
    if not isinstance(read, Mapping):
        raise SkipError("UNSUPPORTED_PARAMETER", "a parameter is no object")
    name, kind = read.get("name"), read.get("in")
    if not isinstance(name, str) or not isinstance(kind, str):
        raise SkipError("UNSUPPORTED_PARAMETER", "a parameter has no name or no place")
    return Parameter(book=book, name=name, where=kind, node=read, place=where)


def _place(parameter: Parameter, found: Parameters) -> None:
    """Put what a parameter comes to into what was found."""
    if parameter.where == "header" and _is_header_done(parameter, found):
        return
    try:
        slots = _slots(parameter)
    except UnfitError as error:
        _leave_out(parameter, _REASONS.get(parameter.where), str(error), found)
        return
    if parameter.node.get("allowReserved") is True and parameter.where == "query":
        message = "is percent-encoded, though the document lets it be sent as it is"
        found.notices.append(notice(f"the value of {parameter} {message}"))
    for slot in slots:
        if slot.place == "query" and is_sensitive_query(slot.wire):
            _leave_out_secret(parameter, slot, found)
        else:
            found.slots.append(slot)


def _slots(parameter: Parameter) -> list[Slot]:
    """Give what a parameter fills; many operations share one."""
    known: dict[Key, tuple[Parameter, list[Slot]]]
    known = parameter.book.known("parameter slots")
    key = (id(parameter.node),)
    if key not in known:
        # The parameter is kept as well, so that no identity comes twice.
        known[key] = (parameter, slots_of(parameter))
    return known[key][1]


def _is_header_done(parameter: Parameter, found: Parameters) -> bool:
    """Tell whether nothing more is to be done about a header parameter."""
    name = parameter.name
    if name.lower() in _IGNORED_HEADERS:
        return True  # other parts of the document speak of these
    if name.lower() in OWN_HEADERS:
        reason = "is set by the program that calls"
        _leave_out(parameter, None, reason, found)
        return True
    if is_sensitive_header(name) and is_header_name(name):
        found.secret_headers.append(name)
        return True
    return False


def _leave_out(
    parameter: Parameter, reason: str | None, why: str, found: Parameters
) -> None:
    if parameter.required:
        message = f"the required {parameter} {why}"
        raise SkipError(reason or "UNSUPPORTED_PARAMETER", message)
    found.notices.append(notice(f"the optional {parameter} is left out: it {why}"))


def _leave_out_secret(parameter: Parameter, slot: Slot, found: Parameters) -> None:
    why = "is named like a secret, and addresses end up in logs"
    if slot.required:
        message = f"the required query parameter '{shown(slot.wire)}' {why}"
        raise SkipError("SENSITIVE_QUERY", message)
    found.notices.append(notice(f"the optional {parameter} is left out: it {why}"))
