"""Credentials: which secret headers an operation needs (ST-111)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.validation.headers import OWN_HEADERS, is_header_name
from sparknb.importers.openapi.model import Description, Operation
from sparknb.importers.openapi.outcomes import SkipError, notice
from sparknb.importers.openapi.texts import shown

__all__ = ["Credential", "credentials_of", "for_headers"]

_LONGEST_NAME = 64
_OTHER = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A header that takes its value from a secret.

    Attributes:
        secret: The name of the secret.
        value: What a person enters for it.
    """

    header: str
    secret: str
    value: str

    def notice(self) -> Problem:
        """Say what to enter."""
        return notice(
            f"the header {self.header} carries the secret '{self.secret}': "
            f"after saving, set it to {self.value}"
        )


class _UnfitError(Exception):
    """Why a scheme cannot be used."""


def credentials_of(
    description: Description, operation: Operation
) -> tuple[list[Credential], list[Problem]]:
    """Give the credentials of the first way that works, and what to know about it.

    Raises:
        SkipError: None of the ways works.
        RefError: A scheme is a reference that cannot be followed.
    """
    node = operation.node
    ways = node.get("security", description.security)
    if ways is None:
        return [], []
    if not isinstance(ways, list) or not all(isinstance(w, Mapping) for w in ways):
        raise _unsupported("its security is written in a way that cannot be read")
    if not ways:
        return [], []
    if not all(ways):
        told = notice("the service takes it without credentials too: none are sent")
        return [], [told] if len(ways) > 1 else []
    reasons = []
    for way in ways:
        try:
            found = _all_of(way, description)
        except _UnfitError as error:
            reasons.append(str(error))
        else:
            return found, [credential.notice() for credential in found]
    raise _unsupported("; ".join(dict.fromkeys(reasons)))


def for_headers(names: Sequence[str], taken: list[Credential]) -> list[Credential]:
    """Give a secret for each header parameter that is named like one.

    A header that a scheme fills already needs no second value.
    """
    found: list[Credential] = []
    filled = {credential.header.lower() for credential in taken}
    for name in names:
        if name.lower() not in filled:
            secret = _secret_name(name, [*taken, *found])
            value = f"the value of {name}"
            found.append(Credential(header=name, secret=secret, value=value))
    return found


def _all_of(way: Mapping[str, Any], description: Description) -> list[Credential]:
    found: list[Credential] = []
    for name in way:
        header, value = _header_of(str(name), description)
        if any(header.lower() == other.header.lower() for other in found):
            raise _UnfitError(f"two schemes would fill the header {shown(header)}")
        secret = _secret_name(str(name), found)
        found.append(Credential(header=header, secret=secret, value=value))
    return found


def _header_of(name: str, description: Description) -> tuple[str, str]:
    """Give the header of a scheme, and what to enter for it."""
    scheme = description.schemes.get(name)
    if scheme is not None:
        scheme = description.resolve(scheme, description.place).node
    if not isinstance(scheme, Mapping):
        raise _UnfitError(f"the scheme '{shown(name)}' is not described")
    kind = scheme.get("type")
    if kind == "apiKey":
        return _api_key(name, scheme)
    if kind in ("oauth2", "openIdConnect"):
        return "Authorization", "Bearer <token>"
    if kind == "http":
        word = str(scheme.get("scheme", "")).lower()
        if word == "bearer":
            return "Authorization", "Bearer <token>"
        if word == "basic":
            return "Authorization", "Basic <base64 of user:password>"
        raise _UnfitError(f"the scheme '{shown(name)}' is http {shown(word)}")
    raise _UnfitError(f"the scheme '{shown(name)}' has the type {shown(kind)}")


def _api_key(name: str, scheme: Mapping[str, Any]) -> tuple[str, str]:
    place, key = scheme.get("in"), scheme.get("name")
    if place == "header" and isinstance(key, str):
        if not is_header_name(key) or key.lower() in OWN_HEADERS:
            raise _UnfitError(f"the scheme '{shown(name)}' uses no usable header")
        return key, "<key>"
    if place == "cookie" and isinstance(key, str):
        return "Cookie", f"{shown(key)}=<value>"
    raise _UnfitError(f"the scheme '{shown(name)}' is a key in the {shown(place)}")


def _secret_name(name: str, taken: Iterable[Credential]) -> str:
    used = {credential.secret for credential in taken}
    base = _OTHER.sub("_", name)[:_LONGEST_NAME] or "secret"
    candidate, number = base, 2
    while candidate in used:
        suffix = f"_{number}"
        candidate = base[: _LONGEST_NAME - len(suffix)] + suffix
        number += 1
    return candidate


def _unsupported(why: str) -> SkipError:
    return SkipError(
        "UNSUPPORTED_SECURITY", f"no way to give its credentials works: {why}"
    )
