"""The query of a request: what the URL has, `-G` moves there, `--url-query` adds."""

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from sparknb.core.secret_scan import contains_secret
from sparknb.core.sensitive_names import is_sensitive_query, warns_as_parameter
from sparknb.core.templates.percent import spell_in_url
from sparknb.core.wording import show
from sparknb.importers.curl.command import Word
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.pairs import Pair, is_literal, pairs_of
from sparknb.importers.curl.parameters import Candidate
from sparknb.importers.curl.texts import literal_of, map_literals

__all__ = ["Query"]

# As credentials in a query mostly look; `sort_key=name` does not.
_CREDENTIAL = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9._~+/=-]{20,}")
_NEVER = re.compile(r"[\x01-\x20\x7f]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_BRACES = re.compile(r"\{\{|\}\}")
_ENCODED = re.compile(r"[\\\x80-\x9f]")


@dataclass(slots=True)
class Query:
    """The pairs of a query, with the word that each came from.

    Attributes:
        pairs: In the order sent; empty where the URL has no `?`.
    """

    pairs: list[tuple[Pair, int]] = field(default_factory=list)

    def add(self, text: str, word: Word) -> None:
        """Take the pairs that the URL has."""
        self.pairs += [(pair, word.number) for pair in pairs_of(text)]

    def append(self, text: str, word: Word, notes: Notes) -> None:
        """Append what `-G` or `--url-query` brings, with `&` in between."""
        if _NEVER.search(literal_of(text)):
            message = "the query would hold a space or a control character"
            hint = "use --data-urlencode, or write a space as %20"
            notes.refuse("CURL_URL", word, message, hint)
            return
        sent, mark, _ = text.partition("#")
        if mark:
            notes.tell(word, "nothing behind # is sent: there a URL has its fragment")
            text = sent
        if self._ends_blank():
            self.pairs.pop()  # nothing behind the `?`, or behind the last `&`
        self.add(map_literals(text, _sent), word)
        literal = literal_of(text)
        if _BRACES.search(literal) or _ENCODED.search(literal) or not text.isascii():
            notes.tell(word, "some characters of the query are sent percent-encoded")

    def _ends_blank(self) -> bool:
        return bool(self.pairs) and not str(self.pairs[-1][0])

    def normalize(self) -> None:
        """Drop a `?` with nothing behind it, as curl does where it joins queries."""
        if len(self.pairs) == 1 and self._ends_blank():
            self.pairs.clear()

    def check(self, notes: Notes, *, is_auto: bool) -> list[Candidate]:
        """Refuse secrets; give the values that may become parameters."""
        candidates = []
        for pair, number in self.pairs:
            danger = _danger(pair)
            if danger == "secret" or (danger and not is_auto):
                hint = "send it in a header: there it becomes a secret"
                message = f"the query pair '{show(pair.plain_name)}' holds a secret"
                notes.refuse("CURL_SECRET", number, message, hint)
            elif is_auto:
                candidate = pair.offer(number, is_secret=danger is not None)
                candidates += [candidate] if candidate else []
                if candidate and spell_in_url(pair.plain_value or "") != pair.value:
                    message = "values of the query are encoded again, as parameters are"
                    notes.tell(number, message, "servers read both spellings alike")
        return candidates

    def __str__(self) -> str:
        """Give the query as it stands in a URL template, with its `?`."""
        if not self.pairs:
            return ""
        return "?" + "&".join([str(pair) for pair, _ in self.pairs])


def _sent(text: str) -> str:
    """Write a literal as curl does, and so that a URL template can hold it."""
    # What curl appends to a URL it normalises, and newer versions otherwise.
    text = _ESCAPE.sub(lambda match: match[0].lower(), text)
    text = text.replace("{{", "%7B%7B").replace("}}", "%7D%7D")
    return _ENCODED.sub(lambda match: quote(match[0], safe=""), text)


def _danger(pair: Pair) -> str | None:
    """Tell `secret` where no URL may have the pair, `doubt` where it may be one."""
    name = unquote(literal_of(pair.name))
    if is_sensitive_query(name):
        return "secret"
    value = pair.plain_value or ""
    if not is_literal(pair) or not value:
        return None
    if pair.holds_secret or contains_secret(unquote(pair.value or "")):
        return "doubt"
    member = pair.member_name
    if is_sensitive_query(member):
        return "doubt"
    if not warns_as_parameter(member):
        return None
    is_camel = member.lower() not in {"key", "sig", "signature", "auth", "jwt", "pwd"}
    return "doubt" if is_camel or _CREDENTIAL.fullmatch(value) else None
