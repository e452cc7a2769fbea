"""A form body: pairs that a form can write again, with the same meaning (ST-95)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.json_text import LONE_SURROGATE
from sparknb.core.secret_scan import contains_secret
from sparknb.core.sensitive_names import is_sensitive_field
from sparknb.core.wording import show
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.pairs import Pair, decoded, encoded, pairs_of
from sparknb.importers.curl.parameters import Candidate
from sparknb.importers.curl.texts import literal_of, map_literals, names_in

__all__ = ["FORM", "FormBody", "is_secret_pair", "read_form", "refuse_pair"]

FORM = "application/x-www-form-urlencoded"

_MOST_FIELDS = 64
_LONGEST_NAME = 128
_LONGEST_VALUE = 20_000
_ESCAPE = r"%[0-9A-Fa-f]{2}"
_NAME = re.compile(rf"(?:[A-Za-z0-9._~*+\[\]:$-]|{_ESCAPE})++")
# No quotes, tags or braces: such a text may be no form at all, whatever its type says.
_VALUE = re.compile(
    rf"(?:[A-Za-z0-9._~*+\[\]:$!'(),/;@|?# -]|[^\x00-\xa0]|{_ESCAPE})*+"
)
_BROKEN = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class FormBody:
    """A body in mode `form`."""

    pairs: Sequence[Pair]
    text: str = field(repr=False)
    number: int

    def check(self, notes: Notes, *, is_auto: bool) -> list[Candidate]:
        """Refuse literal secrets; give the values that may become parameters."""
        candidates = []
        for pair in self.pairs:
            is_secret = is_secret_pair(pair)
            if is_secret and (not is_auto or names_in(pair.value or "")):
                refuse_pair(pair, self.number, notes)
            elif is_auto:
                candidate = pair.offer(self.number, is_secret=is_secret)
                candidates += [candidate] if candidate else []
        return candidates

    def to_wire(self) -> dict[str, Any]:
        """Give the body as a definition has it."""
        fields = [
            {
                "name": decoded(pair.name),
                "valueTemplate": pair.filled
                or map_literals(pair.value or "", lambda part: decoded(part) or ""),
            }
            for pair in self.pairs
        ]
        return {"mode": "form", "fields": fields}

    def tell_changes(self, notes: Notes) -> None:
        """Note when the bytes sent are not those of the command."""
        if "&".join(map(_again, self.pairs)) != self.text:
            message = "the form is encoded again: the same names and values"
            notes.tell(self.number, message, "servers read both spellings alike")


def read_form(text: str, number: int, *, is_auto: bool) -> FormBody | None:
    """Read a body; None when a form would not say the same.

    Args:
        text: The text with placeholders.
        number: The word that it comes from.
        is_auto: Take also values that no form would have encoded so: they become
            parameters.
    """
    pairs = pairs_of(text)
    if len(pairs) > _MOST_FIELDS:
        return None
    fits = all(_is_name(p.name) and _is_value(p.value, is_auto=is_auto) for p in pairs)
    return FormBody(pairs, text, number) if fits else None


def _is_name(text: str) -> bool:
    name = decoded(text) if _NAME.fullmatch(text) else None
    return name is not None and len(name) <= _LONGEST_NAME and _is_storable(name)


def _is_value(text: str | None, *, is_auto: bool) -> bool:
    if text is None:
        return False
    literal = literal_of(text)
    value = None if _BROKEN.search(literal) else decoded(literal)
    if value is None or len(value) > _LONGEST_VALUE:
        return False
    if is_auto and not names_in(text):
        return "\0" not in value
    return _VALUE.fullmatch(literal) is not None and _is_storable(value)


def _is_storable(text: str) -> bool:
    """Tell whether a template can hold a literal text."""
    if "\0" in text or LONE_SURROGATE.search(text):
        return False
    return "{{" not in text and "}}" not in text


def _again(pair: Pair) -> str:
    name = encoded(decoded(pair.name) or "")
    value = map_literals(pair.value or "", lambda part: encoded(decoded(part) or ""))
    return f"{name}={value}"


# ---------------------------------------------------------------------- secrets
def is_secret_pair(pair: Pair) -> bool:
    """Tell whether a pair holds a literal value that must not be stored."""
    literal = literal_of(pair.value or "")
    if not literal:
        return False
    value = decoded(literal)
    shown = literal if value is None else value
    names = (pair.plain_name, pair.member_name)
    return any(map(is_sensitive_field, names)) or contains_secret(shown)


def refuse_pair(pair: Pair, number: int, notes: Notes) -> None:
    """Note a literal secret in a form."""
    hint = "write {{name}} in its place, or use --params auto: callers give it then"
    message = f"the form field '{show(pair.plain_name)}' holds a secret"
    notes.refuse("CURL_SECRET", number, message, hint)
