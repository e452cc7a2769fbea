"""A body that is kept as text, byte for byte."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.sensitive_names import is_sensitive_field
from sparknb.core.wording import show
from sparknb.importers.curl.form_body import FORM, is_secret_pair, refuse_pair
from sparknb.importers.curl.json_tokens import loosened
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.pairs import pairs_of
from sparknb.importers.curl.parameters import Candidate
from sparknb.importers.curl.texts import has_loose_braces, map_literals, names_in

__all__ = ["TextBody", "read_text"]

_MEMBER = re.compile(r'"((?:[^"\\]|\\.){1,200}+)"\s*:\s*("(?:[^"\\]|\\.)++"|-?[0-9])')
_CODES = {"{{": "%7B%7B", "}}": "%7D%7D"}


@dataclass(frozen=True, slots=True)
class TextBody:
    """A body in mode `text`."""

    text: str = field(repr=False)  # may hold a secret
    content_type: str
    number: int

    def check(self, notes: Notes, *, is_auto: bool) -> list[Candidate]:
        """Refuse literal secrets; a text has no values that could be parameters."""
        if self.content_type.lower().startswith(FORM):
            for pair in pairs_of(self.text):
                if is_secret_pair(pair):
                    refuse_pair(pair, self.number, notes)
        for found in _MEMBER.finditer(self.text):
            name = _decoded(found[1])
            if is_sensitive_field(name) and not names_in(found[2]):
                message = f"the member '{show(name)}' of the body holds a secret"
                hint = "write {{name}} in its place"
                notes.refuse("CURL_SECRET", self.number, message, hint)
        if is_auto:
            message = "the body is kept as text: nothing in it becomes a parameter"
            notes.tell(self.number, message)
        return []

    def to_wire(self) -> dict[str, Any]:
        """Give the body as a definition has it."""
        kind = self.content_type
        return {"mode": "text", "contentType": kind, "template": self.text}

    def tell_changes(self, notes: Notes) -> None:
        """Do nothing: a text is sent as it was written."""


def read_text(text: str, content_type: str, number: int, notes: Notes) -> TextBody:
    """Keep a text; double braces that are no placeholder's are written otherwise."""
    if has_loose_braces(text):
        text = _without_loose_braces(text, content_type, number, notes)
    return TextBody(text, content_type, number)


def _without_loose_braces(
    text: str, content_type: str, number: int, notes: Notes
) -> str:
    kind = content_type.lower()
    if kind.startswith(FORM):
        notes.tell(number, "double braces in the form are sent percent-encoded")
        return map_literals(text, _percent_encoded)
    speaks_json = "json" in kind or "graphql" in kind or _is_json_lines(text)
    apart = loosened(text) if speaks_json else None
    if apart is not None and not has_loose_braces(apart):
        message = "double braces of the body are sent apart, and escaped in strings"
        notes.tell(number, message, "it means the same in JSON and GraphQL")
        return apart
    notes.refuse(
        "INVALID_TEMPLATE",
        number,
        "the body holds {{ or }}, which only placeholders may",
        "a placeholder is written {{name}}; send the text as a JSON string, "
        "where braces can be escaped",
    )
    return text


def _is_json_lines(text: str) -> bool:
    try:
        for line in text.splitlines():
            if line.strip():
                json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _percent_encoded(text: str) -> str:
    for braces, code in _CODES.items():
        text = text.replace(braces, code)
    return text


def _decoded(name: str) -> str:
    try:
        return str(json.loads(f'"{name}"', strict=False))
    except ValueError:
        return name
