"""The headers of a request as curl would send them, with secrets kept apart."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sparknb.importers.curl.command import CurlCommand, Word
from sparknb.importers.curl.header_lines import Line, read_lines
from sparknb.importers.curl.header_options import option_lines
from sparknb.importers.curl.header_secrets import is_secret_header, keep_secret
from sparknb.importers.curl.json_tokens import loosened
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.texts import has_loose_braces, literal_of, names_in

__all__ = ["Header", "Headers", "read_headers"]

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_NO_LATIN = re.compile(r"[^\t\x20-\x7e\xa0-\xff]")
_BLANK = " \t"
# They frame the request, or say what sparknb itself can read.
_DROPPED = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# sparknb sends these where nobody gives them.
_DEFAULTS = frozenset({"accept", "user-agent"})
# Two values of these cannot be written as one list.
_SINGLE = frozenset(
    {
        "authorization",
        "content-type",
        "date",
        "from",
        "if-modified-since",
        "if-unmodified-since",
        "max-forwards",
        "proxy-authorization",
        "range",
        "referer",
        "user-agent",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A header to send: either a text with placeholders, or a secret's name."""

    name: str
    template: str | None
    secret: str | None
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """All headers of a request.

    Attributes:
        sent: In the order of the command.
        secrets: Values found in the command, by the secret's name.
        removed: Lower-case names that the command takes away, and nothing gives.
    """

    sent: tuple[Header, ...]
    secrets: Mapping[str, str] = field(repr=False)
    removed: frozenset[str]

    def template(self, name: str) -> str | None:
        """Give the text of a header, by its lower-case name; None where there is none.

        A secret one counts as none.
        """
        return next((h.template for h in self.sent if h.name.lower() == name), None)


@dataclass(frozen=True, slots=True)
class _Field:
    """A header with its text; `is_known` tells that the command says all of it."""

    name: str
    text: str = field(repr=False)
    number: int
    is_secret: bool
    is_known: bool


def read_headers(
    command: CurlCommand, text_of: Callable[[Word], str], notes: Notes
) -> Headers:
    """Collect what `-H` and other options say; notes what cannot be sent as it is.

    Args:
        command: The command.
        text_of: Gives the text of a word; secret headers do without it.
        notes: Gets problems and notices.
    """
    lines = read_lines(command.headers, notes)
    lines += option_lines(command, lines, notes)
    fields = [
        _field(line, line.value, text_of, notes)
        for line in lines
        if line.value is not None and not _is_dropped(line, notes)
    ]
    names = {f.name.lower() for f in fields}
    removed = {line.name.lower(): line for line in lines if line.value is None}
    _tell_removed([removed[n] for n in removed if n not in names], notes)
    secrets: dict[str, str] = {}
    sent: list[Header] = []
    for found in _joined(fields, notes):
        sent.append(_header(found, sent, secrets, notes))
    return Headers(
        sent=tuple(sent), secrets=secrets, removed=frozenset(removed) - names
    )


def _is_dropped(line: Line, notes: Notes) -> bool:
    if line.name.lower() not in _DROPPED:
        return False
    message = f"the header {line.name} is left out: sparknb sees to such things itself"
    notes.tell(line.number, message)
    return True


def _tell_removed(lines: Iterable[Line], notes: Notes) -> None:
    for line in lines:
        if line.name.lower() in _DEFAULTS:
            message = f"the header {line.name} cannot be taken away: sparknb sends one"
            notes.tell(line.number, message, "give it a value to choose what it says")


def _field(
    line: Line, word: Word, text_of: Callable[[Word], str], notes: Notes
) -> _Field:
    if is_secret_header(line.name, word.text):
        is_known = not word.variables and not names_in(word.text)
        text, is_secret = word.text if is_known else "", True
    else:
        text, is_secret, is_known = text_of(word), False, True
    text = text.strip(_BLANK)
    _check_characters(line, literal_of(word.text).strip(_BLANK), notes)
    return _Field(line.name, text, line.number, is_secret, is_known)


def _check_characters(line: Line, text: str, notes: Notes) -> None:
    if _CONTROL.search(text):
        message = f"the value of the header {line.name} holds a control character"
        hint = "a line break in a header would begin another one"
        notes.refuse("CURL_UNSUPPORTED_OPTION", line.number, message, hint)
    elif _NO_LATIN.search(text):
        message = f"the value of the header {line.name} holds a character above U+00FF"
        hint = "headers carry Latin-1 only"
        notes.refuse("CURL_UNSUPPORTED_OPTION", line.number, message, hint)
    elif not text.isascii():
        message = (
            f"the header {line.name} is sent as Latin-1, which curl sends as UTF-8"
        )
        notes.tell(line.number, message)


def _joined(fields: Iterable[_Field], notes: Notes) -> list[_Field]:
    """Make one header of those that have one name."""
    groups: dict[str, list[_Field]] = {}
    for found in fields:
        groups.setdefault(found.name.lower(), []).append(found)
    return [_one(name, group, notes) for name, group in groups.items()]


def _one(name: str, group: list[_Field], notes: Notes) -> _Field:
    first, *others = group
    if not others:
        return first
    texts = list(dict.fromkeys(f.text for f in group))
    last = others[-1].number
    is_secret = any(f.is_secret for f in group)
    if len(texts) > 1 and (name in _SINGLE or (is_secret and name != "cookie")):
        message = f"the header {first.name} is given twice, with different values"
        notes.refuse("CURL_UNSUPPORTED_OPTION", last, message, "keep one of them")
    else:
        message = f"the header {first.name} is given twice and sent once"
        notes.tell(last, f"{message}, with all values in it" if texts[1:] else message)
    return _Field(
        first.name,
        ("; " if name == "cookie" else ", ").join(texts),
        first.number,
        is_secret,
        all(f.is_known for f in group),
    )


def _header(
    found: _Field, before: Iterable[Header], secrets: dict[str, str], notes: Notes
) -> Header:
    secret = template = None
    if found.is_secret:
        taken = {h.secret for h in before}
        value = found.text if found.is_known and found.text else None
        secret = keep_secret(found.name, value, found.number, taken, notes)
        if value is not None:
            secrets[secret] = value
    else:
        template = _template(found, notes)
    return Header(
        name=found.name, template=template, secret=secret, number=found.number
    )


def _template(found: _Field, notes: Notes) -> str:
    if not has_loose_braces(found.text):
        return found.text
    apart = loosened(found.text) if _is_json(found.text) else None
    if apart is None:
        message = f"the value of the header {found.name} holds {{{{ or }}}}"
        hint = "a placeholder is written {{name}}; other double braces cannot be sent"
        notes.refuse("INVALID_TEMPLATE", found.number, message, hint)
        return ""
    message = f"the JSON in the header {found.name} is written with its braces apart"
    notes.tell(found.number, message)
    return apart


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
