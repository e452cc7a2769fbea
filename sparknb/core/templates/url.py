"""URL templates: read at save (ST-23), rendered at call (ST-24, ST-28)."""

import re
from dataclasses import dataclass

from sparknb.core.problems import Problem
from sparknb.core.templates.authority import Authority, parse_authority
from sparknb.core.templates.filling import Filling
from sparknb.core.templates.marks import MARK, mark
from sparknb.core.templates.path import PathTemplate, parse_path
from sparknb.core.templates.placeholder import (
    FORMS,
    Parameters,
    Parts,
    Placeholder,
    broken,
    check,
    names_of,
    placeholders_of,
    scan,
)
from sparknb.core.templates.query import QueryTemplate, parse_query

__all__ = ["UrlTemplate", "parse_url", "with_real_host"]

_LONGEST = 16_384
_NOT_ALLOWED = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_URL = re.compile(
    r"(https?)://([^/?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#.*+)?", re.IGNORECASE
)
_AUTHORITY = re.compile(r"(https?)://([^/?#]*+)", re.IGNORECASE)
# A value behind a cut escape would complete it to a character of its choice.
_CUT_ESCAPE = re.compile(rf"%[0-9A-Fa-f]?{MARK}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlTemplate:
    """A parsed URL template.

    Attributes:
        names: The parameters used.
        fragment: Placeholders of the fragment, which is not sent.
        room: How many characters path and query may have.
    """

    authority: Authority
    path: PathTemplate
    query: QueryTemplate
    fragment: tuple[Placeholder, ...]
    names: frozenset[str]
    room: int

    @property
    def origin(self) -> str:
        """Scheme, host and port, lower case and ASCII: `https://api.test:443`."""
        return self.authority.origin

    @property
    def host(self) -> str:
        """The host alone, lower case and ASCII; IPv6 in brackets."""
        return self.authority.host

    @property
    def query_names(self) -> tuple[str, ...]:
        """Literal names of query pairs, percent-decoded."""
        return self.query.names

    @property
    def prefix(self) -> str:
        """What stands before the path: `https://api.test`."""
        return self.authority.prefix

    def render(self, filling: Filling) -> str:
        """Give the request target, `path?query`, ASCII; notes problems."""
        target = self.path.render(filling) + self.query.render(filling)
        for placeholder in self.fragment:
            if filling.value(placeholder.name) is None:
                filling.miss(placeholder.name)
        if len(target) > self.room:
            filling.refuse_longest(
                self.names, f"the URL has over {_LONGEST} characters"
            )
        return target


def with_real_host(text: str) -> str:
    """Give a URL template with scheme, host and port as they are sent.

    A name in other letters than ASCII can look like another one; what is resolved
    cannot.
    """
    match = _AUTHORITY.match(text)
    authority = match and parse_authority(match[1].lower(), match[2])[0]
    if match is None or authority is None:
        return text
    return authority.prefix + text[match.end() :]


def parse_url(
    text: str, parameters: Parameters | None
) -> tuple[UrlTemplate | None, list[Problem]]:
    """Read a URL template; all problems, none when it is fine."""
    parts, problems = scan(text)
    if any(isinstance(p, str) and _NOT_ALLOWED.search(p) for p in parts):
        message = "the URL holds a space, a control character or a backslash"
        hint = "percent-encode it, a space as %20"
        problems.append(broken(message, hint, strict=True))
    found = placeholders_of(parts)
    match = None if problems else _URL.fullmatch(mark(parts))
    if match is None:
        if not problems:
            problems.append(broken("the URL does not begin with http:// or https://"))
        return None, problems + _check_anywhere(found, parameters)
    return _parse_pieces(match, parts, parameters)


def _check_anywhere(
    found: list[Placeholder], parameters: Parameters | None
) -> list[Problem]:
    return check(found, parameters, forms=FORMS, place="in a URL")


def _parse_pieces(
    match: re.Match[str], parts: Parts, parameters: Parameters | None
) -> tuple[UrlTemplate | None, list[Problem]]:
    scheme, host, path_text, query_text = match.groups()
    found = placeholders_of(parts)
    if MARK in host:
        hint = "write the host literally: who calls the tool must not choose it"
        message = "a placeholder stands in the URL's host, port or user"
        problem = broken(message, hint, strict=True)
        return None, [problem, *_check_anywhere(found, parameters)]
    authority, problems = parse_authority(scheme.lower(), host)
    slots = iter(found)
    path, more = parse_path(path_text, slots, parameters)
    problems += more
    query = QueryTemplate((), ())
    if query_text is not None:
        query, more = parse_query(query_text, slots, parameters)
        problems += more
    fragment = tuple(slots)
    problems += check(
        fragment, parameters, forms=frozenset(), place="in a URL's fragment"
    )
    if _CUT_ESCAPE.search(path_text + "?" + (query_text or "")):
        hint = "write a percent sign as %25"
        message = "a placeholder follows an unfinished % escape"
        problems.append(broken(message, hint, strict=True))
    if authority is None or problems:
        return None, list(dict.fromkeys(problems))
    template = UrlTemplate(
        authority=authority,
        path=path,
        query=query,
        fragment=fragment,
        names=names_of(parts),
        room=_LONGEST - len(authority.prefix),
    )
    return template, []
