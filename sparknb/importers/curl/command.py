"""What a curl command says, before anybody asks whether a tool can do it.

Reading has two halves: `reading` turns the text of a shell into this, `request` turns
this into a definition.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from sparknb.core.problems import Problem

__all__ = ["CurlCommand", "Data", "Piece", "Shell", "Variable", "Word"]

Shell = Literal["posix", "cmd", "powershell"]


@dataclass(frozen=True, slots=True)
class Variable:
    """A place where a shell would put a variable, such as `$NAME` or `%NAME%`."""

    name: str


Piece = str | Variable


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command as the program would get it; nothing is expanded.

    Attributes:
        pieces: Its text, with variables where the shell has them.
        number: Its place among the words of the command, `curl` being 0; problems
            are told at `curl.<number>`.
    """

    pieces: tuple[Piece, ...] = field(repr=False)  # may hold a secret
    number: int

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in it, in order."""
        return tuple(p.name for p in self.pieces if isinstance(p, Variable))

    @property
    def text(self) -> str:
        """The text, where there are no variables in it (they are left out)."""
        return "".join(p for p in self.pieces if isinstance(p, str))


@dataclass(frozen=True, slots=True)
class Data:
    """One piece of a body or query, in the order given.

    Attributes:
        kind: `data` (also `--data-ascii`: line ends are kept, since only files lose
            them), `raw`, `binary`, `urlencode`, `json`, or `url-query`.
        word: Its value.
    """

    kind: Literal["data", "raw", "binary", "urlencode", "json", "url-query"]
    word: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class CurlCommand:
    """The options of one command that say something about its request.

    Reading has done with these already: what reads a local file (`@name`, a cookie
    without `=`) is a problem and its word is left out; `@-` fed by a here-document
    is given as the data it stands for; HEAD, multipart and all that no tool can do are
    problems; a `;auto` of `-e` is gone; `notices` speak of every option that has no
    effect, and always of redirects. Not looked into: the URL (also how many there
    are), the method's name, headers, `user`, numbers, variables in words.

    Attributes:
        shell: Whose rules the text was read by.
        urls: Every URL given, by `--url` or bare; a valid command has one.
        method: Of `-X`, as written.
        headers: Of `-H`, as written, in order.
        data: Pieces of the body; with `is_get` they belong to the query. An empty
            text is a piece too: curl would send an empty body.
        url_query: Pieces of `--url-query`.
        is_get: `-G` was given.
        user: Of `-u`; `bearer` of `--oauth2-bearer`; `cookies` of `-b`.
        max_time: Of `-m`, as written; `max_filesize` likewise.
        is_globbing: False after `-g`.
        notices: What was dropped or is done in another way.
        problems: Everything that no tool can do, found while reading.
    """

    shell: Shell = "posix"
    urls: Sequence[Word] = ()
    method: Word | None = None
    headers: Sequence[Word] = ()
    data: Sequence[Data] = ()
    url_query: Sequence[Data] = ()
    is_get: bool = False
    user: Word | None = field(default=None, repr=False)
    bearer: Word | None = field(default=None, repr=False)
    cookies: Sequence[Word] = field(default=(), repr=False)
    user_agent: Word | None = None
    referer: Word | None = None
    range: Word | None = None
    max_time: Word | None = None
    max_filesize: Word | None = None
    is_globbing: bool = True
    notices: Sequence[Problem] = ()
    problems: Sequence[Problem] = ()
