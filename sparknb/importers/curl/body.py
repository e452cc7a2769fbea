"""Which kind of body a text is (ST-95)."""

import re
from dataclasses import dataclass
from typing import Any, Protocol

from sparknb.importers.curl.form_body import FORM, read_form
from sparknb.importers.curl.headers import Headers
from sparknb.importers.curl.json_body import read_json_body
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.parameters import Candidate
from sparknb.importers.curl.text_body import read_text
from sparknb.importers.curl.texts import names_in

__all__ = ["JSON_TYPE", "Body", "Choice", "choose_body"]

JSON_TYPE = "application/json"

_JSON = re.compile(r"[^/;]+/(?:[^/;]*\+)?json", re.IGNORECASE)
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105  # HTTP's word for a name
_MEDIA_TYPE = re.compile(rf"{_TOKEN}/{_TOKEN}[ \t]*(?:;[\t\x20-\x7e]*)?")
_LONGEST_TYPE = 200
_PLAIN = "text/plain"


class Body(Protocol):
    """A body that can stand in a definition."""

    def check(self, notes: Notes, *, is_auto: bool) -> list[Candidate]:
        """Refuse literal secrets; give the values that may become parameters."""
        ...

    def to_wire(self) -> dict[str, Any]:
        """Give the body as a definition has it."""
        ...

    def tell_changes(self, notes: Notes) -> None:
        """Note when the bytes sent are not those of the command."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """A body, None for an empty one, and what becomes of its Content-Type.

    Attributes:
        added_type: A header to add to those of the command.
        drops_type: The body itself names the type of the command's header.
    """

    body: Body | None
    added_type: str | None = None
    drops_type: bool = False


def choose_body(
    text: str,
    headers: Headers,
    number: int,
    notes: Notes,
    *,
    is_json: bool,
    is_auto: bool,
) -> Choice:
    """Choose the mode for the text of a body.

    Args:
        text: With placeholders; empty where curl sends an empty body.
        headers: Those of the command.
        number: The word where the body begins.
        notes: Gets problems and notices.
        is_json: `--json` was used.
        is_auto: Values are to become parameters.
    """
    given = headers.template("content-type")
    is_removed = "content-type" in headers.removed
    if not text:
        return Choice(None, None if given is not None or is_removed else FORM)
    essence = (given or "").partition(";")[0].strip()
    is_json = is_json or _JSON.fullmatch(essence) is not None
    is_untyped = given is None and text.lstrip()[:1] in {"{", "["}
    json_body = read_json_body(text, number) if is_json or is_untyped else None
    if json_body is not None:
        if is_json:
            if is_removed:
                _tell_type(JSON_TYPE, number, notes)
            return Choice(json_body)
        hint = "curl sends it as a form, which few services for JSON mean"
        notes.tell(number, f"the JSON is sent with Content-Type {JSON_TYPE}", hint)
        return Choice(json_body, JSON_TYPE)
    if given is None or essence.lower() == FORM:
        form = read_form(text, number, is_auto=is_auto)
        if form is not None:
            if is_removed:
                _tell_type(FORM, number, notes)
            return Choice(form)
    if (is_json or is_untyped) and names_in(text):
        message = "the body is no JSON, so values are put into it as they are"
        notes.tell(number, message, "correct the JSON, and they become JSON values")
    return _text(text, given, number, notes, is_removed=is_removed)


def _text(
    text: str, given: str | None, number: int, notes: Notes, *, is_removed: bool
) -> Choice:
    if given is not None:
        kind = given.strip()
        if len(kind) <= _LONGEST_TYPE and _MEDIA_TYPE.fullmatch(kind):
            return Choice(read_text(text, kind, number, notes), drops_type=True)
        # The header itself is sent, whatever it says; the field only has to be there.
        return Choice(read_text(text, _PLAIN, number, notes))
    if is_removed:
        _tell_type(_PLAIN, number, notes)
        return Choice(read_text(text, _PLAIN, number, notes))
    return Choice(read_text(text, FORM, number, notes))


def _tell_type(kind: str, number: int, notes: Notes) -> None:
    message = f"the body is sent with Content-Type {kind}: it cannot go without one"
    notes.tell(number, message)
