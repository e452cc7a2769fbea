"""From a command to the request of a tool, or to all the reasons why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sparknb.core.validation.http import METHODS
from sparknb.core.wording import show
from sparknb.importers.curl.body import Choice, choose_body
from sparknb.importers.curl.command import CurlCommand, Word
from sparknb.importers.curl.data import join_data, join_url_query
from sparknb.importers.curl.headers import Headers, read_headers
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.parameters import Candidate, allot
from sparknb.importers.curl.query import Query
from sparknb.importers.curl.texts import (
    names_in,
    parameter_name,
    refuse_variables,
    template_of,
)
from sparknb.importers.curl.url import Url, read_url

__all__ = ["Request", "read_request"]

_NO_BODY = frozenset({"GET", "DELETE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a tool sends.

    Attributes:
        url: None where it was refused.
        candidates: The values that became parameters.
        body_number: The word where the body begins, 0 without one.
    """

    method: str
    url: Url | None
    url_number: int
    query: Query
    headers: Headers = field(repr=False)
    choice: Choice = field(repr=False)
    candidates: Sequence[Candidate]
    body_number: int


def read_request(command: CurlCommand, notes: Notes, *, is_auto: bool) -> Request:
    """Read all parts of a request; notes what is wrong and what is done otherwise.

    Args:
        command: The command.
        notes: Gets problems and notices.
        is_auto: Values become parameters, and so do variables of the shell.
    """
    reader = _Reader(command, notes, is_auto=is_auto)
    word = _only_url(command, notes)
    url = reader.url(word)
    query = reader.query(url, word)
    headers = read_headers(command, reader.text, notes)
    method, choice = reader.method(), reader.body(headers)
    candidates = query.check(notes, is_auto=is_auto)
    if choice.body is not None:
        candidates += choice.body.check(notes, is_auto=is_auto)
    _allot(candidates, reader.given_names(), notes)
    if choice.body is not None:
        choice.body.tell_changes(notes)
    return Request(
        method=method,
        url=url,
        url_number=0 if word is None else word.number,
        query=query,
        headers=headers,
        choice=choice,
        candidates=[c for c in candidates if c.name is not None],
        body_number=command.data[0].word.number if command.data else 0,
    )


def _only_url(command: CurlCommand, notes: Notes) -> Word | None:
    if not command.urls:
        # Where reading had to stop, the URL may just not have been reached.
        if not command.problems:
            notes.refuse("CURL_URL", 0, "the command has no URL")
        return None
    for word in command.urls[1:]:
        hint = "import the requests one by one"
        notes.refuse("CURL_MULTIPLE", word, "the command has another URL", hint)
    return command.urls[0]


def _allot(candidates: Sequence[Candidate], taken: set[str], notes: Notes) -> None:
    left = allot(candidates, taken)
    for candidate in left:
        if candidate.typed is None:
            message = "there is no room for a parameter in the place of a secret"
            notes.refuse("CURL_SECRET", candidate.number, message)
    if kept := [c for c in left if c.typed is not None]:
        message = (
            f"{len(kept)} values stay as they are: a tool has 32 parameters at most"
        )
        notes.tell(kept[0].number, message)
    for candidate in candidates:
        if candidate.typed is None and candidate.name is not None:
            what = show(candidate.wire_name or "body")
            notes.tell(
                candidate.number,
                f"the value of '{what}' was left out: it "
                f"looks secret, so whoever calls the tool gives it as {candidate.name}",
            )


class _Reader:
    """Reads the parts of one command that depend on how words become texts."""

    def __init__(self, command: CurlCommand, notes: Notes, *, is_auto: bool) -> None:
        self._command = command
        self._notes = notes
        self._is_auto = is_auto
        self._names: dict[str, str] = {}  # of parameters, by variable
        self._used: set[str] = set()

    def text(self, word: Word) -> str:
        """Give the text of a word, with placeholders."""
        text = template_of(word, self._notes, self._name if self._is_auto else None)
        self._used.update(names_in(text))
        return text

    def _name(self, variable: str) -> str:
        """Give the parameter of a variable; two variables never share one."""
        if variable not in self._names:
            name = parameter_name(variable)
            while name in self._names.values():
                name = f"{name}_"
            self._names[variable] = name
        return self._names[variable]

    def given_names(self) -> set[str]:
        """Give the names of all placeholders that the command itself has."""
        return self._used

    def method(self) -> str:
        """Give the method, upper case; a wrong one is refused and comes back as GET."""
        command, word = self._command, self._command.method
        if word is None:
            return "POST" if command.data and not command.is_get else "GET"
        if word.variables:
            refuse_variables(word, self._notes, "write the method")
            return "GET"
        method = word.text.upper()
        if method not in METHODS:
            message = f"the method {show(word.text)} is none that a tool can use"
            hint = f"a tool uses {', '.join(METHODS)}"
            self._notes.refuse("CURL_METHOD", word, message, hint)
            return "GET"
        if method != word.text:
            message = f"the method is written {method}: methods are in capitals"
            self._notes.tell(word, message, "curl sends it as you wrote it")
        return method

    def url(self, word: Word | None) -> Url | None:
        """Read the URL; None where there is none that a tool can call."""
        if word is None:
            return None
        if word.variables and not self._is_auto:
            refuse_variables(word, self._notes)
            return None
        text = self.text(word)
        return read_url(text, word, self._notes, is_globbing=self._command.is_globbing)

    def query(self, url: Url | None, word: Word | None) -> Query:
        """Give the whole query, that of `-G` and `--url-query` too."""
        command, query = self._command, Query()
        if url is not None and url.query is not None and word is not None:
            query.add(url.query, word)
        if command.is_get and command.data:
            text = join_data(command.data, self.text)
            query.append(text, command.data[0].word, self._notes)
            query.normalize()
            if command.url_query:
                word = command.url_query[0].word
                message = "--url-query is left out: curl sends only what -G moves there"
                self._notes.tell(word, message)
        elif command.url_query:
            text = join_url_query(command.url_query, self.text)
            query.append(text, command.url_query[0].word, self._notes)
            query.normalize()
        return query

    def body(self, headers: Headers) -> Choice:
        """Choose the body; one that the method would lose is refused."""
        command = self._command
        if not command.data or command.is_get:
            return Choice(None)
        first = command.data[0].word
        if self.method() in _NO_BODY:
            message = f"a {self.method()} request of a tool sends no body"
            hint = "leave the data out, give it with -G, or use another method"
            self._notes.refuse("CURL_BODY", first, message, hint)
        text = join_data(command.data, self.text)
        return choose_body(
            text,
            headers,
            first.number,
            self._notes,
            is_json=any(d.kind == "json" for d in command.data),
            is_auto=self._is_auto,
        )
