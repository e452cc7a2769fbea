"""What is asked next when an answer is a redirect (ST-51, ST-52)."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sparknb.core.errors import DeniedError
from sparknb.runtimes.targets import Target, redirect_target

__all__ = ["MOST_REDIRECTS", "Outgoing", "next_hop"]

MOST_REDIRECTS = 10

_FOLLOWED = {301, 302, 303, 307, 308}
_MOVED = {301, 302}  # what turns a POST into a GET, by old custom
_SEE_OTHER = 303
_CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One request as it goes out.

    Attributes:
        headers: Name and value in order; values are of U+0000 to U+00FF.
        secret_headers: Lower-case names of the headers whose values are secrets;
            stays the same over all hops, also when the headers were dropped.
    """

    method: str
    target: Target
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes | None = field(default=None, repr=False)
    secret_headers: frozenset[str] = frozenset()


def next_hop(
    outgoing: Outgoing, status: int, location: bytes | None
) -> Outgoing | None:
    """Give the request that follows a redirect, None when the answer is final.

    Raises:
        DeniedError: It leads to something that is not http(s) or holds user info, or
            from https to http with a secret.
    """
    if status not in _FOLLOWED or location is None:
        return None
    target = redirect_target(outgoing.target, location)
    following = replace(outgoing, target=target)
    if status == _SEE_OTHER or (status in _MOVED and outgoing.method == "POST"):
        headers = _without(following, {"content-"})
        following = replace(following, method="GET", body=None, headers=headers)
    if target.origin == outgoing.target.origin:
        return following
    is_weaker = (outgoing.target.scheme, target.scheme) == ("https", "http")
    if is_weaker and outgoing.secret_headers:
        raise DeniedError(
            f"{outgoing.target.shown} redirects from https to http, and this tool "
            "sends a secret"
        )
    dropped = _CREDENTIALS | outgoing.secret_headers
    kept = tuple(h for h in following.headers if h[0].lower() not in dropped)
    return replace(following, headers=kept)


def _without(
    outgoing: Outgoing, prefixes: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    starts = tuple(prefixes)
    return tuple(h for h in outgoing.headers if not h[0].lower().startswith(starts))
