"""Name and value pairs of a query or of a form, as they are written on the wire."""

import re
from dataclasses import dataclass, field
from urllib.parse import quote_plus, unquote_plus

from sparknb.core.secret_scan import contains_secret
from sparknb.importers.curl.parameters import Candidate, Typed, typed
from sparknb.importers.curl.texts import is_whole, literal_of, names_in

__all__ = ["Pair", "decoded", "encoded", "is_literal", "pairs_of"]

_BRACKETS = re.compile(r"[\[\]]")


@dataclass(slots=True, kw_only=True)
class Pair:
    """One pair; both sides are texts with placeholders.

    Attributes:
        name: As written.
        value: As written; None where no `=` stands.
        candidate: What may take the place of the value.
    """

    name: str
    value: str | None = field(repr=False)  # may be a secret
    candidate: Candidate | None = None

    @property
    def plain_name(self) -> str:
        """The name that it means, without placeholders."""
        return decoded(literal_of(self.name)) or literal_of(self.name)

    @property
    def member_name(self) -> str:
        """What servers read out of a nested name: `password` of `user[password][]`."""
        parts = _BRACKETS.split(self.plain_name)
        return next((p for p in reversed(parts) if p and not p.isdecimal()), "")

    @property
    def plain_value(self) -> str | None:
        """The literal text that the value means; None where it cannot be told."""
        return None if self.value is None else decoded(literal_of(self.value))

    @property
    def holds_secret(self) -> bool:
        """Whether the literal value looks like a secret by its shape."""
        return contains_secret(self.plain_value or self.value or "")

    def offer(self, number: int, *, is_secret: bool = False) -> Candidate | None:
        """Offer the value as a parameter, unless it is one already, or unreadable."""
        if self.value is None or names_in(self.value) or names_in(self.name):
            return None
        found: Typed | None = None
        if not is_secret:
            text = decoded(self.value)
            found = None if text is None else typed(text)
            if found is None:
                return None
        self.candidate = Candidate(
            wire_name=self.plain_name, typed=found, number=number
        )
        return self.candidate

    @property
    def filled(self) -> str | None:
        """The placeholder in the place of the value, None while it is literal."""
        return None if self.candidate is None else self.candidate.placeholder

    def __str__(self) -> str:
        """Give the pair as it stands in a URL template or a text."""
        if self.value is None:
            return self.name
        return f"{self.name}={self.filled or self.value}"


def pairs_of(text: str) -> list[Pair]:
    """Cut a text at `&`; what comes back joined with `&` is the text again."""
    pairs = []
    for piece in text.split("&"):
        name, equals, value = piece.partition("=")
        pairs.append(Pair(name=name, value=value if equals else None))
    return pairs


def decoded(text: str) -> str | None:
    """Give what an encoded text means, None where its bytes are no UTF-8."""
    try:
        return unquote_plus(text, errors="strict")
    except UnicodeDecodeError:
        return None


def is_literal(pair: Pair) -> bool:
    """Tell whether the value holds a text, and not only a placeholder."""
    return bool(pair.value) and not is_whole(pair.value or "")


def encoded(text: str) -> str:
    """Encode a text as a form body does."""
    return quote_plus(text, safe="*")
