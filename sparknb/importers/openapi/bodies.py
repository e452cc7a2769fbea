"""The body of an operation: by media type, flat or as one text (ST-108, ST-109)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

from sparknb.core.problems import Problem
from sparknb.importers.openapi.declarations import LONGEST_TEXT, declare
from sparknb.importers.openapi.members import Member, is_open, members_of
from sparknb.importers.openapi.model import Operation, Place
from sparknb.importers.openapi.outcomes import SkipError, notice
from sparknb.importers.openapi.schemas import Key, Schema, SchemaBook
from sparknb.importers.openapi.shapes import Shape
from sparknb.importers.openapi.slots import Slot
from sparknb.importers.openapi.summaries import summarise
from sparknb.importers.openapi.texts import clean, sentences, shown

__all__ = ["Body", "collapsed", "read_body"]

_BODILESS = frozenset({"GET", "DELETE"})
_FORM = "application/x-www-form-urlencoded"
_TEXT = Shape(kind="string")
_SUMMARY = 700
_MOST_FIELD_NAME = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What is sent as body.

    Attributes:
        media_type: As it is sent.
        slots: One for each member or field, or the one for all of it.
        is_whole: Whether one slot is all of it.
        whole: The schema that one parameter for all of it would be made of; None
            where only the members can be sent.
        required: Whether the document wants a body.
    """

    mode: Literal["json", "form", "text"]
    media_type: str
    slots: list[Slot]
    is_whole: bool
    whole: Schema | None
    required: bool
    said: str = ""


def read_body(
    operation: Operation, book: SchemaBook
) -> tuple[Body | None, list[Problem]]:
    """Give the body that is sent, None for none, and what is left out.

    Raises:
        SkipError: A body is required, and none of its kinds can be sent.
        RefError: A reference cannot be followed.
    """
    node = operation.node.get("requestBody")
    if node is None:
        return None, []
    resolved = book.description.resolve(node, operation.place)
    read, place = resolved.node, resolved.place
    content = read.get("content") if isinstance(read, Mapping) else None
    if not isinstance(content, Mapping):
        raise SkipError("UNSUPPORTED_BODY", "its body says no media type")
    required = read.get("required") is True
    said = clean(read.get("description"), LONGEST_TEXT)
    if operation.method in _BODILESS:
        why = f"{operation.method} requests are sent without one"
        return None, _without(why, required=required)
    reasons: list[str] = []
    for media_type, entry in _by_preference(content):
        offer = _Offer(book, media_type, entry, place, said=said, required=required)
        try:
            return offer.read()
        except _UnfitError as error:
            reasons.append(str(error))
    kinds = ", ".join(shown(kind) for kind in content) or "nothing"
    why = reasons[0] if reasons else f"it is offered as {kinds}"
    return None, _without(why, required=required)


def collapsed(body: Body) -> Body:
    """Give the same JSON body as one parameter that holds JSON text."""
    if body.whole is None or body.is_whole:
        return body
    return _whole_json(body.whole, body.media_type, body.said, required=body.required)


def _without(why: str, *, required: bool) -> list[Problem]:
    if required:
        raise SkipError("UNSUPPORTED_BODY", f"its required body cannot be sent: {why}")
    return [notice(f"the optional body is left out: {why}")]


# ---------------------------------------------------------------------- media types
def _by_preference(content: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    ranked = [
        (rank, str(media_type), entry)
        for media_type, entry in content.items()
        if (rank := _rank(str(media_type))) is not None
    ]
    ranked.sort(key=lambda entry: entry[0])
    return [(media_type, entry) for _, media_type, entry in ranked]


class _Rank(IntEnum):
    """What is taken first when there is a choice."""

    JSON = 0
    LIKE_JSON = 1
    FORM = 2
    TEXT = 3
    XML = 4
    ANYTHING = 5  # then it is JSON that is sent


def _rank(media_type: str) -> _Rank | None:
    essence = media_type.partition(";")[0].strip().lower()
    if essence in _RANKS:
        return _RANKS[essence]
    if essence.endswith("+json"):
        return _Rank.LIKE_JSON
    if essence.startswith("text/"):
        return _Rank.TEXT
    return _Rank.XML if essence.endswith("+xml") else None


_RANKS = {
    "application/json": _Rank.JSON,
    _FORM: _Rank.FORM,
    "application/xml": _Rank.TEXT,
    "*/*": _Rank.ANYTHING,
    "application/*": _Rank.ANYTHING,
}


class _UnfitError(Exception):
    """Why a kind of body cannot be sent."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """One media type of a body."""

    book: SchemaBook
    media_type: str
    entry: Any
    place: Place
    said: str
    required: bool

    def read(self) -> tuple[Body, list[Problem]]:
        resolved = self.book.description.resolve(self.entry, self.place)
        entry = resolved.node if isinstance(resolved.node, Mapping) else {}
        schema = self.book.open([(entry.get("schema"), resolved.place)])
        kind = _rank(self.media_type)
        if kind is _Rank.FORM:
            return self._form(schema, entry.get("encoding"))
        if kind in (_Rank.TEXT, _Rank.XML):
            return self._text(schema), []
        return self._json(schema), []

    def _json(self, schema: Schema) -> Body:
        sent = self.media_type.partition(";")[0].strip()
        if "*" in sent:
            sent = "application/json"
        members = None if is_open(schema) else members_of(schema)
        if not members or not all(member.is_flat for member in members):
            return _whole_json(schema, sent, self.said, required=self.required)
        return Body(
            mode="json",
            media_type=sent,
            slots=_member_slots(schema, members),
            is_whole=False,
            whole=schema,
            required=self.required,
            said=self.said,
        )

    def _text(self, schema: Schema) -> Body:
        sent = "text/plain" if "*" in self.media_type else self.media_type.strip()
        note = f"Text of the type {clean(sent, 100)}."
        said = sentences(self.said or clean(schema.first("description"), 800), note)
        slot = _whole_slot(declare(_TEXT, None, said), None, required=self.required)
        return Body(
            mode="text",
            media_type=sent,
            slots=[slot],
            is_whole=True,
            whole=None,
            required=self.required,
        )

    def _form(self, schema: Schema, encoding: Any) -> tuple[Body, list[Problem]]:
        members = members_of(schema)
        if not members:
            raise _UnfitError("its form does not say which fields it has")
        slots: list[Slot] = []
        notices: list[Problem] = []
        for member in members:
            try:
                slots.append(_field_slot(member, _encoding_of(encoding, member)))
            except _UnfitError as error:
                field = f"form field '{shown(member.name)}'"
                if member.required:
                    raise _UnfitError(f"the required {field} {error}") from None
                told = f"the optional {field} is left out: it {error}"
                notices.append(notice(told))
        if is_open(schema):
            told = "the form takes more fields than it lists; only those can be sent"
            notices.append(notice(told))
        if not slots:
            raise _UnfitError("no field of its form can be sent")
        body = Body(
            mode="form",
            media_type=_FORM,
            slots=slots,
            is_whole=False,
            whole=None,
            required=self.required,
        )
        return body, notices


# ---------------------------------------------------------------------------- slots
def _member_slots(schema: Schema, members: list[Member]) -> list[Slot]:
    """Give a slot for each member; many operations share one schema."""
    known: dict[Key, list[Slot]] = schema.book.known("body slots")
    if schema.key not in known:
        known[schema.key] = [
            Slot(
                place="body",
                wire=member.name,
                base=member.name,
                schema=declare(member.shape, member.schema),
                required=member.required,
            )
            for member in members
        ]
    return known[schema.key]


def _field_slot(member: Member, encoding: Mapping[str, Any]) -> Slot:
    if not member.is_flat:
        raise _UnfitError("is no single value and no list of such")
    if len(member.name) > _MOST_FIELD_NAME:
        raise _UnfitError(f"has a name of over {_MOST_FIELD_NAME} characters")
    if not member.name or "{{" in member.name:
        raise _UnfitError("has a name that no field can have here")
    form = None
    if member.shape.is_list:
        style = encoding.get("style", "form")
        if encoding.get("explode", style == "form") is True:
            form = "repeat"
        elif style == "form":
            form = "csv"
        else:
            raise _UnfitError(f"is a list in the style '{shown(style)}'")
    return Slot(
        place="body",
        wire=member.name,
        base=member.name,
        schema=declare(member.shape, member.schema),
        required=member.required,
        form=form,
    )


def _encoding_of(encoding: Any, member: Member) -> Mapping[str, Any]:
    found = encoding.get(member.name) if isinstance(encoding, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _whole_json(schema: Schema, media_type: str, said: str, *, required: bool) -> Body:
    own = said or clean(schema.first("description"), LONGEST_TEXT - _SUMMARY - 20)
    room = LONGEST_TEXT - len(own) - len(". JSON text of the form .")
    text = f"JSON text of the form {summarise(schema, max(room, _SUMMARY // 2))}"
    wire = declare(_TEXT, None, sentences(own, text))
    return Body(
        mode="json",
        media_type=media_type,
        slots=[_whole_slot(wire, "json", required=required)],
        is_whole=True,
        whole=None,
        required=required,
    )


def _whole_slot(wire: dict[str, Any], form: str | None, *, required: bool) -> Slot:
    return Slot(
        place="body",
        wire="body",
        base="body",
        schema=wire,
        required=required,
        form=form,
    )
