"""What the options that matter leave behind, in the making."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from sparknb.core.problems import Problem
from sparknb.importers.curl.command import CurlCommand, Data, Piece, Word
from sparknb.importers.curl.options import Option
from sparknb.importers.curl.shell_words import BRACES

__all__ = ["Values"]

_Kind = Literal["data", "raw", "binary", "urlencode", "json", "url-query"]
_DATA: Mapping[str, _Kind] = {
    "data": "data",
    "data-ascii": "data",
    "data-raw": "raw",
    "data-binary": "binary",
    "data-urlencode": "urlencode",
    "json": "json",
    "url-query": "url-query",
}
_LISTS = frozenset({"header", "cookie"})
_SWITCHES = frozenset({"get", "globoff", "basic"})
_AUTO = ";auto"
_LOST_IN_FILES = str.maketrans("", "", "\r\n\0")  # where -d reads a file
_MOST_PROBLEMS = 100


class Values:
    """A request as far as it is known.

    Args:
        changed: Number of a word -> what the shell would make of it besides; matters
            only for words that are used.
        stdin: What a here-document holds.
    """

    def __init__(
        self, *, changed: Mapping[int, str], stdin: tuple[Piece, ...] | None
    ) -> None:
        self._changed = changed
        self._stdin = stdin
        self._urls: list[Word] = []
        self._lists: dict[str, list[Word]] = {name: [] for name in _LISTS}
        self._data: list[Data] = []
        self._once: dict[str, Word] = {}
        self._switches: set[str] = set()
        self._notices: list[Problem] = []
        self._problems: list[Problem] = []

    @property
    def is_full(self) -> bool:
        """No more problems are kept; nobody reads a hundred."""
        return len(self._problems) >= _MOST_PROBLEMS

    def problem(
        self, code: str, message: str, number: int, hint: str | None = None
    ) -> None:
        """Report something that no tool can do."""
        if not self.is_full:
            path = f"curl.{number}"
            self._problems.append(
                Problem(code=code, message=message, path=path, hint=hint)
            )

    def notice(self, message: str, number: int) -> None:
        """Report something done in another way or left out."""
        self._notices.append(
            Problem(
                code="IMPORT_NOTICE",
                message=message,
                path=f"curl.{number}",
                level="notice",
            )
        )

    def url(self, word: Word) -> None:
        """Take a URL."""
        if _begins_with(word, "@"):
            self._file("a URL that begins with @", word.number)
            return
        self._urls.append(word)
        is_glob = self._changed.get(word.number) == BRACES  # said later, with the URL
        if not is_glob:
            self._check_change(word)

    def take(
        self, option: Option, value: Word | None, spelled: str, number: int
    ) -> None:
        """Take an option that says something about the request."""
        if value is None:
            self._switches.add(option.name)
            return
        if option.name == "url":
            self.url(value)
            return
        self._check_change(value)
        if option.name in _DATA:
            self._take_data(_DATA[option.name], value, spelled)
        elif option.name in _LISTS:
            self._take_one_of_many(option.name, value, spelled)
        else:
            self._take_once(option.name, value, spelled, number)

    def switch_off(self, option: Option) -> bool:
        """Take `--no-NAME`; tell whether that means something here."""
        self._switches.discard(option.name)
        return option.name in _SWITCHES

    def command(self) -> CurlCommand:
        """Give the request."""
        is_globbing = "globoff" not in self._switches
        if not is_globbing:
            for word in self._urls:
                if self._changed.get(word.number) == BRACES:
                    self._check_change(word)
        return CurlCommand(
            urls=self._urls,
            method=self._once.get("request"),
            headers=self._lists["header"],
            data=[piece for piece in self._data if piece.kind != "url-query"],
            url_query=[piece for piece in self._data if piece.kind == "url-query"],
            is_get="get" in self._switches,
            user=self._once.get("user"),
            bearer=self._once.get("oauth2-bearer"),
            cookies=self._lists["cookie"],
            user_agent=self._once.get("user-agent"),
            referer=_without_auto(self._once.get("referer")),
            range=self._once.get("range"),
            max_time=self._once.get("max-time"),
            max_filesize=self._once.get("max-filesize"),
            is_globbing=is_globbing,
            notices=self._notices,
            problems=self._problems,
        )

    def _take_data(self, kind: _Kind, value: Word, spelled: str) -> None:
        name = _name_of_file(kind, value)
        if name is None:
            self._data.append(Data(kind, value))
        elif self._stdin is not None and value.pieces == (f"{name}@-",):
            self._data.append(Data(kind, self._document(kind, name, value.number)))
        else:
            self._file(f"{spelled} with @", value.number)

    def _document(self, kind: _Kind, name: str, number: int) -> Word:
        """Give the here-document as the option would read it; it is read once."""
        pieces, self._stdin = self._stdin or (), ()
        if kind == "data":
            pieces = tuple(
                p.translate(_LOST_IN_FILES) if isinstance(p, str) else p for p in pieces
            )
        elif kind in ("urlencode", "url-query"):
            pieces = (f"{name}=", *pieces)
        return Word(_joined(pieces), number)

    def _take_one_of_many(self, name: str, value: Word, spelled: str) -> None:
        is_file = _begins_with(value, "@")
        if name == "cookie" and not is_file:
            is_file = "=" not in value.text and not value.variables
        if is_file:
            what = "without =" if name == "cookie" else "with @"
            self._file(f"{spelled} {what}", value.number)
        else:
            self._lists[name].append(value)

    def _take_once(self, name: str, value: Word, spelled: str, number: int) -> None:
        if name in self._once:
            self.notice(f"{spelled} is given again; the last one counts", number)
        self._once[name] = value
        if name == "referer" and _AUTO in value.text:
            self.notice(
                "the ;auto of a referer is left out: redirects do not set one", number
            )

    def _file(self, what: str, number: int) -> None:
        self.problem(
            "CURL_FILE",
            f"{what} reads a local file, which an import never does",
            number,
            "write what it holds into the command",
        )

    def _check_change(self, word: Word) -> None:
        change = self._changed.get(word.number)
        if change:
            self.problem(
                "CURL_SHELL",
                f"the shell {change}",
                word.number,
                "put quotes around the value",
            )


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Make one text of texts side by side."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, str) and isinstance(last, str):
            joined[-1] = last + piece
        elif piece != "":
            joined.append(piece)
    return tuple(joined)


def _begins_with(word: Word, char: str) -> bool:
    first = word.pieces[0] if word.pieces else ""
    return isinstance(first, str) and first.startswith(char)


def _name_of_file(kind: _Kind, word: Word) -> str | None:
    """Give the name before the `@` of a file, perhaps empty; None for plain data."""
    if kind == "raw" or (kind == "url-query" and _begins_with(word, "+")):
        return None
    if kind in ("urlencode", "url-query"):
        text = word.text
        return text.partition("@")[0] if "@" in text and "=" not in text else None
    return "" if _begins_with(word, "@") else None


def _without_auto(word: Word | None) -> Word | None:
    """Cut a referer where curl cuts it; None when nothing is left."""
    if word is None or _AUTO not in word.text:
        return word
    pieces: list[Piece] = []
    for piece in word.pieces:
        if isinstance(piece, str) and _AUTO in piece:
            pieces.append(piece.partition(_AUTO)[0])
            break
        pieces.append(piece)
    kept = tuple(piece for piece in pieces if piece)
    return replace(word, pieces=kept) if kept else None
