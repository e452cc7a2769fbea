"""Hides secret values in every text and value that leaves the host (ST-69).

A secret is looked for as it is, and in base64 at each of its three offsets. Escapes
are not listed one by one, as every writer of JSON, URLs or HTML has its own habits:
the text is read again with its escapes undone, twice over (JSON inside HTML), and
what is found there is hidden where it stands in the text itself.

What no text search can find (a secret that a server reverses, encrypts or spells out)
is not hidden.
"""

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn
from urllib.parse import unquote_to_bytes

from sparknb.core.secret_scan import mask_secrets

__all__ = ["MASK", "SHORTEST_HIDDEN", "Redactor"]

MASK = "[REDACTED]"

SHORTEST_HIDDEN = 6
"""Characters of the shortest secret that is hidden: a shorter one is in every text."""

_SHORTEST_REST = 4
"""Characters of a secret that must be left at a cut for the rest to be hidden."""

_ESCAPES_DEEP = 2
"""How many layers of escapes are undone: JSON in HTML, JSON in JSON, and so on."""

_CUT = re.compile("\n?…\\[truncated middle\\]…\n?")  # the mark of ST-32
_SCHEME = re.compile(r"(?:bearer|basic)\s+", re.IGNORECASE)
_IN_BASE64 = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
)
_IN_NUMBERS = frozenset("0123456789+-.e")
_LONGEST_NUMBER = 14_000  # bits; above it Python refuses to print an integer

_Span = tuple[int, int]


class _Form(NamedTuple):
    """One spelling of a secret.

    In base64 the first and last character may hold bits of the neighbours too: they
    are no part of `text`, and `shares_first`/`shares_last` hide them with it.
    """

    text: str
    shares_first: bool = False
    shares_last: bool = False

    def __repr__(self) -> str:
        return "<a spelling of a secret>"

    def around(self, text: str, start: int) -> _Span:
        """Give what to hide in `text` for this form at `start`."""
        end = start + len(self.text)
        if self.shares_first and start and text[start - 1] in _IN_BASE64:
            start -= 1
        if self.shares_last:
            if text[end : end + 1] in _IN_BASE64:
                end += 1
            while text[end : end + 1] == "=":
                end += 1
        return start, end


# -------------------------------------------------------------------- escapes
_JSON_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _json_character(escape: str) -> str:
    kind = escape[1]
    if kind not in "ux":
        return _JSON_LETTERS.get(kind, kind)
    if len(escape) == len(r"\ud83d\ude00"):
        units = bytes.fromhex(escape[2:6] + escape[8:])
        return units.decode("utf-16-be")
    digits = escape[2:]
    return chr(int(digits, 16))


def _percent_character(escape: str) -> str:
    # Bytes that are no UTF-8 stay apart, as they do in the forms of a secret.
    return unquote_to_bytes(escape).decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class _Escape:
    """One way to write characters in another language than plain text.

    Attributes:
        mark: The character that every escape begins with.
        pattern: Finds one escaped character.
        character: Gives what it stands for.
    """

    mark: str
    pattern: re.Pattern[str]
    character: Callable[[str], str]

    def undone(self, text: str) -> str:
        return self.pattern.sub(lambda found: self.character(found[0]), text)

    def places(self, text: str) -> list[_Span]:
        """Give for each character of the undone text where it stands in `text`."""
        places: list[_Span] = []
        done = 0
        for found in self.pattern.finditer(text):
            places.extend((i, i + 1) for i in range(done, found.start()))
            places.extend([found.span()] * len(self.character(found[0])))
            done = found.end()
        places.extend((i, i + 1) for i in range(done, len(text)))
        return places


_NEXT = "%[89abAB][0-9a-fA-F]"  # a continuation byte of UTF-8
_ESCAPES = (
    _Escape(
        "%",
        re.compile(
            "%[0-7][0-9a-fA-F]"
            f"|%[cdCD][0-9a-fA-F]{_NEXT}"
            f"|%[eE][0-9a-fA-F](?:{_NEXT}){{2}}"
            f"|%[fF][0-7](?:{_NEXT}){{3}}"
            "|%[89a-fA-F][0-9a-fA-F]"
        ),
        _percent_character,
    ),
    _Escape(
        "\\",
        re.compile(
            r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
            r"|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\"'\\/bfnrt])"
        ),
        _json_character,
    ),
    _Escape(
        "&",
        re.compile(
            "&(?:#0{0,20}[0-9]{1,7}|#[xX]0{0,20}[0-9a-fA-F]{1,6}"
            "|[a-zA-Z][a-zA-Z0-9]{1,31});?"
        ),
        html.unescape,
    ),
)


# ----------------------------------------------------------------------- forms
def _forms(value: str) -> Iterator[_Form]:
    """Give the spellings of a secret; none when it is too short to be hidden."""
    value = value.strip()
    scheme = _SCHEME.match(value)
    bare = value[scheme.end() :] if scheme else value
    if len(bare) >= SHORTEST_HIDDEN:
        yield from _spellings(bare)
        yield from _decoded_spellings(bare)
    elif len(value) >= SHORTEST_HIDDEN:
        yield from _spellings(value)


def _spellings(plain: str) -> Iterator[_Form]:
    yield _Form(plain)
    if " " in plain:
        yield _Form(plain.replace(" ", "+"))  # as forms are sent
    yield from _octet_spellings(plain.encode("utf-8", "surrogatepass"))
    if not plain.isascii() and max(plain) <= "\xff":
        sent = plain.encode("latin-1")  # as headers are sent
        yield from _octet_spellings(sent)
        # As it reads when one encoding is taken for the other
        yield _Form(sent.decode("utf-8", "replace"))
        yield _Form(plain.encode().decode("latin-1"))


def _octet_spellings(octets: bytes) -> Iterator[_Form]:
    yield _Form(octets.decode("utf-8", "surrogateescape"))
    for offset, first in enumerate((0, 2, 3)):
        encoded = base64.b64encode(bytes(offset) + octets).decode("ascii")
        whole, rest = divmod(8 * (offset + len(octets)), 6)
        core = encoded[first:whole]
        yield _Form(core, offset > 0, rest > 0)
        yield _Form(core.translate(_URL_SAFE), offset > 0, rest > 0)


_URL_SAFE = str.maketrans("+/", "-_")


def _decoded_spellings(encoded: str) -> Iterator[_Form]:
    """Give the spellings of what a secret in base64 stands for (`user:password`)."""
    standard = encoded.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        octets = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):  # the latter: characters above ASCII
        return
    # A service that refuses a login may name its parts apart.
    password = octets.partition(b":")[2]
    for part in (octets, password):
        if len(part) >= SHORTEST_HIDDEN:
            yield _Form(part.decode("latin-1"))
            yield from _octet_spellings(part)


# -------------------------------------------------------------------- redactor
class Redactor:
    """Hides the given secret values; the object never shows them.

    Making one costs some 20 µs a value, so keep it for as long as the values stay.

    Args:
        values: Secret values as they are sent, with or without `Bearer ` or `Basic `
            in front. One of fewer than 6 characters is not hidden.
        patterns: Also hide whatever looks like a known kind of key (ST-36).
    """

    __slots__ = ("_forms", "_in_numbers", "_patterns", "_shortest")

    def __init__(self, values: Iterable[str], *, patterns: bool = False) -> None:
        self._forms = tuple({form for value in values for form in _forms(value)})
        self._patterns = patterns
        self._shortest = min((len(form.text) for form in self._forms), default=0)
        self._in_numbers = any(_IN_NUMBERS.issuperset(f.text) for f in self._forms)

    def __repr__(self) -> str:
        return f"<Redactor of {len(self._forms)} forms>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Redactor holds secret values and cannot be pickled")

    def text(self, text: str, *, cut: bool = False) -> str:
        """Give the text with `[REDACTED]` in place of secrets.

        Args:
            text: Any text.
            cut: The text was shortened, at its end or at the mark of the clip: also
                hide what a cut has left of a secret (4 characters or more).
        """
        if self._forms:
            spans = self._spans(text) if len(text) >= self._shortest else []
            if cut:
                spans += self._rests(text)
            if spans:
                text = _masked(text, spans)
        return mask_secrets(text) if self._patterns else text

    def value(self, value: Any) -> Any:
        """Give the JSON value with `[REDACTED]` in its texts, names of members too.

        A number that holds a secret of digits becomes a text.
        """
        if not (self._forms or self._patterns):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(k): self.value(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(element) for element in value]
        if self._in_numbers and isinstance(value, int | float):
            return self._number(value)
        return value

    def _number(self, value: float) -> float | str:
        if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER:
            return value  # no text of it can be made, by anyone
        spelled = str(value)
        masked = self.text(spelled)
        return value if masked == spelled else masked

    def _spans(self, text: str, depth: int = _ESCAPES_DEEP) -> list[_Span]:
        """Give where secrets stand in the text, overlaps included."""
        found: list[_Span] = []
        for form in self._forms:
            start = text.find(form.text)
            while start >= 0:
                found.append(form.around(text, start))
                start = text.find(form.text, start + 1)
        if depth == 0:
            return found
        for escape in _ESCAPES:
            if escape.mark in text:
                found += self._spans_within(text, escape, depth - 1)
        return found

    def _spans_within(self, text: str, escape: _Escape, depth: int) -> list[_Span]:
        undone = escape.undone(text)
        spans = self._spans(undone, depth) if undone != text else []
        if not spans:
            return []
        places = escape.places(text)
        return [(places[start][0], places[end - 1][1]) for start, end in spans]

    def _rests(self, text: str) -> list[_Span]:
        """Give where a cut has left a beginning or an end of a secret."""
        found: list[_Span] = []
        begin = 0
        for mark in _CUT.finditer(text):
            found += self._beginnings(text, begin, mark.start())
            found += self._ends(text, mark.end())
            begin = mark.end()
        found += self._beginnings(text, begin, len(text))
        return found

    def _beginnings(self, text: str, begin: int, end: int) -> Iterator[_Span]:
        for form in self._forms:
            start = max(begin, end - len(form.text) + 1)
            while (start := text.find(form.text[:_SHORTEST_REST], start, end)) >= 0:
                if form.text.startswith(text[start:end]):
                    yield start, end
                    break
                start += 1

    def _ends(self, text: str, begin: int) -> Iterator[_Span]:
        for form in self._forms:
            end = min(len(text), begin + len(form.text) - 1)
            last = form.text[-_SHORTEST_REST:]
            while (start := text.rfind(last, begin, end)) >= 0:
                end = start + _SHORTEST_REST
                if form.text.endswith(text[begin:end]):
                    yield begin, end
                    break
                end -= 1


def _masked(text: str, spans: Iterable[_Span]) -> str:
    pieces: list[str] = []
    done = 0
    hidden_to = -1
    for start, end in sorted(spans):
        if start >= hidden_to:
            pieces += (text[done:start], MASK)
        hidden_to = done = max(hidden_to, end)
    pieces.append(text[done:])
    return "".join(pieces)
