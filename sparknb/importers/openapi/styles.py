"""How a parameter is written into a request: the table of ST-105.

What each style means is said by RFC 6570 and the OpenAPI specification; what a
template of ours can write of it is a part of that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sparknb.core.validation.headers import is_header_name
from sparknb.importers.openapi.declarations import LONGEST_TEXT, declare
from sparknb.importers.openapi.members import Member, is_open, members_of
from sparknb.importers.openapi.model import Place
from sparknb.importers.openapi.schemas import Schema, SchemaBook
from sparknb.importers.openapi.shapes import Shape, shape_of
from sparknb.importers.openapi.slots import Slot, SlotPlace
from sparknb.importers.openapi.texts import clean, sentences, shown
from sparknb.importers.openapi.wire_names import wire_name

__all__ = ["Parameter", "UnfitError", "slots_of"]

_STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
_JOINED = {"form": "csv", "spaceDelimited": "ssv", "pipeDelimited": "pipes"}
_TEXT = Shape(kind="string")


class UnfitError(Exception):
    """Why a parameter cannot be sent; goes on after its name, as in `is a cookie`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter object of the document."""

    book: SchemaBook
    name: str
    where: str
    node: Mapping[str, Any]
    place: Place

    @property
    def required(self) -> bool:
        """Whether it has to be sent; a part of a path always has to."""
        return self.where == "path" or self.node.get("required") is True

    @property
    def style(self) -> str:
        """How it is written, by its name in the document."""
        style = self.node.get("style")
        return style if isinstance(style, str) else _STYLES.get(self.where, "")

    @property
    def explode(self) -> bool:
        """Whether arrays and objects are written as several pieces."""
        explode = self.node.get("explode")
        return explode if isinstance(explode, bool) else self.style == "form"

    def __str__(self) -> str:
        """Give words for a message."""
        return f"{shown(self.where)} parameter '{shown(self.name)}'"


def slots_of(parameter: Parameter) -> list[Slot]:
    """Give what a parameter fills: one slot, or one for each property of an object.

    Raises:
        UnfitError: It cannot be sent.
        RefError: A reference cannot be followed.
    """
    write = _PLACES.get(parameter.where)
    if write is None:
        raise UnfitError("stands in a place that no request has")
    if "content" in parameter.node:
        return _text_slot(parameter)
    schema = parameter.book.open([(parameter.node.get("schema"), parameter.place)])
    return write(parameter, schema, shape_of(schema))


def _text_slot(parameter: Parameter) -> list[Slot]:
    """Give the slot of a parameter that is one text of a media type."""
    if parameter.where == "cookie":
        return _cookie(parameter, None, _TEXT)
    content = parameter.node["content"]
    media_type = next(iter(content), "") if isinstance(content, Mapping) else ""
    note = f"Text of the type {clean(media_type, 100)}." if media_type else ""
    _check_header(parameter)
    return [_slot(parameter, None, _TEXT, note=note)]


# --------------------------------------------------------------------- the places
def _path(parameter: Parameter, schema: Schema, shape: Shape) -> list[Slot]:
    style = parameter.style
    leads = {
        "simple": "",
        "label": ".",
        "matrix": f";{wire_name(parameter.name)}=",
    }
    if style not in leads:
        raise _style(parameter)
    if shape.is_scalar:
        return [_slot(parameter, schema, shape, lead=leads[style])]
    if shape.is_list and style == "simple":
        return [_slot(parameter, schema, shape, form="csv")]
    raise _structure(parameter, shape)


def _query(parameter: Parameter, schema: Schema, shape: Shape) -> list[Slot]:
    style = parameter.style
    if style == "deepObject":
        return _deep_object(parameter, schema, shape)
    if style not in _JOINED:
        raise _style(parameter)
    if shape.is_scalar:
        return [_slot(parameter, schema, shape)]
    if shape.is_list:
        form = "repeat" if parameter.explode else _JOINED[style]
        return [_slot(parameter, schema, shape, form=form)]
    if style == "form" and parameter.explode:
        members = _flat_members(parameter, schema, shape)
        return [_member_slot(parameter, m, m.name, m.name) for m in members]
    raise _structure(parameter, shape)


def _deep_object(parameter: Parameter, schema: Schema, shape: Shape) -> list[Slot]:
    members = _flat_members(parameter, schema, shape)
    name = parameter.name
    return [
        _member_slot(parameter, m, f"{name}[{m.name}]", f"{name}_{m.name}")
        for m in members
    ]


def _header(parameter: Parameter, schema: Schema, shape: Shape) -> list[Slot]:
    _check_header(parameter)
    if parameter.style != "simple":
        raise _style(parameter)
    if shape.is_scalar:
        return [_slot(parameter, schema, shape)]
    if shape.is_list:
        return [_slot(parameter, schema, shape, form="csv")]
    raise _structure(parameter, shape)


def _cookie(_parameter: Parameter, _schema: Schema | None, _shape: Shape) -> list[Slot]:
    raise UnfitError("would be a cookie, and the Cookie header is a secret")


_PLACES: Mapping[str, Callable[[Parameter, Schema, Shape], list[Slot]]] = {
    "path": _path,
    "query": _query,
    "header": _header,
    "cookie": _cookie,
}


def _check_header(parameter: Parameter) -> None:
    if parameter.where == "header" and not is_header_name(parameter.name):
        raise UnfitError("has a name that no header can have")


# ---------------------------------------------------------------------- their slots
def _slot(
    parameter: Parameter,
    schema: Schema | None,
    shape: Shape,
    *,
    form: str | None = None,
    lead: str = "",
    note: str = "",
) -> Slot:
    node = parameter.node
    said = clean(node.get("description"), LONGEST_TEXT)
    if note:
        said = sentences(said, note)
    is_old = node.get("deprecated") is True
    return Slot(
        place=_place_of(parameter),
        wire=parameter.name,
        base=parameter.name,
        schema=declare(shape, schema, said, deprecated=is_old),
        required=parameter.required,
        form=form,
        lead=lead,
    )


def _member_slot(parameter: Parameter, member: Member, wire: str, base: str) -> Slot:
    return Slot(
        place=_place_of(parameter),
        wire=wire,
        base=base,
        schema=declare(member.shape, member.schema),
        required=parameter.required and member.required,
    )


def _place_of(parameter: Parameter) -> SlotPlace:
    places: dict[str, SlotPlace] = {"path": "path", "header": "header"}
    return places.get(parameter.where, "query")


def _flat_members(parameter: Parameter, schema: Schema, shape: Shape) -> list[Member]:
    members = members_of(schema) if shape.kind == "object" else None
    if not members or is_open(schema):
        raise _structure(parameter, shape)
    if not all(member.shape.is_scalar for member in members):
        raise UnfitError("is an object with properties that are no single values")
    return members


def _style(parameter: Parameter) -> UnfitError:
    return UnfitError(
        f"has the style '{shown(parameter.style)}', which a {parameter.where} "
        "parameter cannot have"
    )


def _structure(parameter: Parameter, shape: Shape) -> UnfitError:
    kinds = {
        "array": "an array" if shape.is_list else "an array of arrays or objects",
        "object": "an object",
        "null": "always null",
        "other": "of several structures",
    }
    kind = kinds.get(shape.kind, "a single value")
    style = shown(parameter.style)
    return UnfitError(f"is {kind}, which a tool cannot write in the style '{style}'")
