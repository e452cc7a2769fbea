"""The URL as curl understands it (ST-94): where the request goes, and its target."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from sparknb.core.dot_segments import without_dot_segments
from sparknb.core.templates.authority import parse_authority
from sparknb.importers.curl.command import Word
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.texts import MARK, marked, refuse_variables, unmarked

__all__ = ["Url", "read_url"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(/+)", re.ASCII)
_MOST_SLASHES = 3
# curl takes the beginning of a host for a scheme where none is written.
_GUESSED = re.compile(r"(ftp|dict|ldap|imap|smtp|pop3)\.", re.IGNORECASE)
_PARTS = re.compile(r"([^/?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#.*+)?", re.DOTALL)
_NEVER = re.compile(r"[\x01-\x20\x7f]")
# What curl sends raw and a URL template may not hold.
_ENCODED = re.compile(r"[\\\x80-\x9f]")
_RANGE = re.compile(r"\[(?:[0-9]+-[0-9]+|[A-Za-z]-[A-Za-z])(?::[0-9]+)?\]", re.ASCII)
_ESCAPED = re.compile(r"\\([\[\]{}])")
_CODES = {"[": "%5B", "]": "%5D", "{": "%7B", "}": "%7D"}
_BRACKETS = re.compile(r"[\[\]{}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """A URL in parts; path and query are texts with placeholders.

    Attributes:
        prefix: Scheme, host and any unusual port.
        path: Begins with a slash, has no dot segments.
        query: Without its `?`; None where there is none.
    """

    prefix: str
    path: str
    query: str | None

    @property
    def host(self) -> str:
        """Host and port, for people."""
        return self.prefix.partition("://")[2]


def read_url(text: str, word: Word, notes: Notes, *, is_globbing: bool) -> Url | None:
    """Read the text of the URL's word; None when it was refused."""
    masked, names = marked(text)
    if _NEVER.search(masked):
        message = "the URL holds a space or a control character, which curl refuses"
        notes.refuse("CURL_URL", word, message, "write a space as %20")
        return None
    scheme, rest = _split_scheme(masked, word, notes)
    if scheme is None:
        return None
    parts = _PARTS.fullmatch(rest)
    authority, path, query = parts.groups() if parts else ("", "", None)
    prefix = _prefix(scheme, authority, word, notes)
    if prefix is None:
        return None
    sent = path + ("" if query is None else f"?{query}")
    target = _without_globs(sent, word, notes, is_globbing=is_globbing)
    if target is None:
        return None
    # Dots are resolved last: a placeholder may stand in a segment that they drop.
    path, mark, query = unmarked(_encoded(target, word, notes), names).partition("?")
    return Url(
        prefix=prefix,
        path=without_dot_segments(path or "/"),
        query=query if mark else None,
    )


def _split_scheme(text: str, word: Word, notes: Notes) -> tuple[str | None, str]:
    match = _SCHEME.match(text)
    if match is None:
        if found := _GUESSED.match(text):
            _refuse_scheme(found[1], word, notes)
            return None, ""
        notes.tell(word, "the URL has no scheme: http:// is used, as curl does")
        return "http", text
    scheme = match[1].lower()
    if scheme not in {"http", "https"}:
        _refuse_scheme(scheme, word, notes)
        return None, ""
    if len(match[2]) > _MOST_SLASHES:
        notes.refuse("CURL_URL", word, "the URL has too many slashes in front")
        return None, ""
    return scheme, text[match.end() :]


def _refuse_scheme(scheme: str, word: Word, notes: Notes) -> None:
    message = f"the scheme {scheme[:20]} is not http or https"
    notes.refuse("CURL_URL", word, message, "a tool calls http and https only")


def _prefix(scheme: str, text: str, word: Word, notes: Notes) -> str | None:
    if "@" in text:
        hint = "give user and password with -u: they become a secret"
        notes.refuse("CURL_URL", word, "the URL holds a user or a password", hint)
        return None
    if MARK in text:
        hint = "write scheme, host and port literally: no caller may choose the host"
        if word.variables:
            refuse_variables(word, notes, hint)
        else:
            message = "a placeholder stands in the URL's host or port"
            notes.refuse("CURL_URL", word, message, hint)
        return None
    if "{" in text:
        _refuse_glob(word, notes)
        return None
    authority, problems = parse_authority(scheme, text.removesuffix(":"))
    for problem in problems:
        notes.refuse("CURL_URL", word, problem.message, problem.hint)
    return None if authority is None else authority.prefix


# ------------------------------------------------------------------- characters
def _without_globs(
    text: str, word: Word, notes: Notes, *, is_globbing: bool
) -> str | None:
    """Give path and query with literal brackets and braces percent-encoded."""
    if not is_globbing:
        if _BRACKETS.search(text):
            message = "brackets and braces of the URL are sent percent-encoded"
            notes.tell(word, message, "servers read both spellings alike")
        return _BRACKETS.sub(lambda m: _CODES[m[0]], text)
    text, escaped = _ESCAPED.subn(lambda m: _CODES[m[1]], text)
    if escaped:
        notes.tell(word, "brackets and braces of the URL are sent percent-encoded")
    if "{" in text or "}" in text or _RANGE.search(text):
        _refuse_glob(word, notes)
        return None
    if _BRACKETS.search(text):
        message = "brackets of the URL are taken literally, and sent percent-encoded"
        notes.tell(word, message, "curl itself wants -g for such a URL")
    return _BRACKETS.sub(lambda m: _CODES[m[0]], text)


def _refuse_glob(word: Word, notes: Notes) -> None:
    notes.refuse(
        "CURL_URL",
        word,
        "the URL holds a pattern, which curl makes several requests of",
        "write one URL; use -g where braces and brackets are meant, "
        "and {{name}} for a parameter",
    )


def _encoded(text: str, word: Word, notes: Notes) -> str:
    if _ENCODED.search(text):
        text = _ENCODED.sub(lambda m: quote(m[0], safe=""), text)
        notes.tell(word, "a backslash or control character is sent percent-encoded")
    if not text.isascii():
        notes.tell(word, "characters beyond ASCII in the URL are sent percent-encoded")
    return text
