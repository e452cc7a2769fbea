"""Headers that other options than `-H` make, where `-H` does not overrule them."""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence

from sparknb.importers.curl.command import CurlCommand, Variable, Word
from sparknb.importers.curl.header_lines import Line
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.texts import names_in

__all__ = ["option_lines"]

_BEGINNING = re.compile(r"0*([0-9]+)[^-]*", re.ASCII)


def option_lines(
    command: CurlCommand, given: Sequence[Line], notes: Notes
) -> Iterator[Line]:
    """Yield what `-A`, `-e`, `-r`, `-u`, `--oauth2-bearer`, `-b` and `--json` add."""
    names = {line.name.lower() for line in given}
    found = (
        ("-A", "User-Agent", command.user_agent),
        ("-e", "Referer", command.referer),
        ("-r", "Range", _range(command, notes)),
        ("-b", "Cookie", _cookies(command.cookies)),
        (_login_option(command), "Authorization", _login(command, notes)),
    )
    for option, name, word in found:
        if word is None:
            continue
        if name.lower() in names:
            message = f"{option} is left out: -H decides about the header {name}"
            notes.tell(word, message)
        elif word.pieces and any(word.pieces):
            yield Line(name, word, word.number)
        else:
            yield Line(name, None, word.number)
    yield from _json_defaults(command, names)


def _json_defaults(command: CurlCommand, names: set[str]) -> Iterator[Line]:
    first = next((d.word for d in command.data if d.kind == "json"), None)
    if first is None:
        return
    for name in ("Content-Type", "Accept"):
        if name.lower() not in names:
            value = Word(("application/json",), first.number)
            yield Line(name, value, first.number)


def _range(command: CurlCommand, notes: Notes) -> Word | None:
    word = command.range
    if word is None:
        return None
    if command.data and not command.is_get:
        message = "-r together with a body makes a Content-Range of an upload"
        notes.refuse("CURL_UNSUPPORTED_OPTION", word, message, "remove -r")
        return None
    is_known = not word.variables and not names_in(word.text)
    begins = _BEGINNING.fullmatch(word.text) if is_known else None
    if begins is None:
        return Word(("bytes=", *word.pieces), word.number)
    # A number and no dash means: from there on. What else there is, curl drops.
    if not word.text.isdecimal():
        notes.tell(word, "the range begins at its first number: it has no dash")
    return Word((f"bytes={begins[1]}-",), word.number)


def _cookies(words: Sequence[Word]) -> Word | None:
    pieces: list[str | Variable] = []
    for word in words:
        pieces += ([";"] if pieces else []) + list(word.pieces)
    return Word(tuple(pieces), words[0].number) if pieces else None


def _login_option(command: CurlCommand) -> str:
    return "-u" if command.bearer is None else "--oauth2-bearer"


def _login(command: CurlCommand, notes: Notes) -> Word | None:
    bearer, user = command.bearer, command.user
    if bearer is not None:
        if user is not None:
            message = "-u and --oauth2-bearer are two ways to sign in"
            notes.refuse("CURL_UNSUPPORTED_OPTION", user, message, "keep one of them")
        return Word(("Bearer ", *bearer.pieces), bearer.number)
    if user is None:
        return None
    if user.variables or names_in(user.text):
        # What is not known cannot be encoded either: the value stays unset.
        return Word(("Basic ", Variable("credentials")), user.number)
    if ":" not in user.text:
        hint = "write user:password; both become one secret"
        message = "-u names no password, which curl would ask for"
        notes.refuse("CURL_SECRET", user, message, hint)
        return None
    encoded = b64encode(user.text.encode("utf-8", "surrogateescape")).decode()
    return Word((f"Basic {encoded}",), user.number)
