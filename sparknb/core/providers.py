"""Services that answer questions to a model, as profiles.

A profile says where an OpenAI-compatible service is; its key is a secret of its own
in the keychain, bound to the origin of the service (ST-45).
"""

import re
from dataclasses import dataclass
from typing import Any

from sparknb.core.errors import refusal
from sparknb.core.problems import Problem
from sparknb.core.secret_scan import contains_secret
from sparknb.core.templates.authority import parse_authority

__all__ = [
    "KeyReference",
    "ProviderProfile",
    "key_reference",
    "make_profile",
]

_LONGEST = 200
_LONGEST_URL = 2000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*+")
_BASE = re.compile(r"(https?)://([^/?#]*)(/[^?#]*)?", re.IGNORECASE)
_SENT = re.compile(r"[!-~]+")  # what a URL is written with
_CHAT = "/chat/completions"
_NAMES = {
    "id": "the id",
    "name": "the name",
    "baseUrl": "the base URL",
    "model": "the model",
}


class KeyReference(str):
    """The whole keychain reference of a provider's key.

    It stands where the name of a tool's secret would: a call of a vision tool needs a
    secret that is not the tool's own. No text of a definition is ever one of these.
    """

    __slots__ = ()

    @property
    def profile_id(self) -> str:
        """Id of the profile whose key it is."""
        return self.split(":")[1]


def key_reference(profile_id: str) -> KeyReference:
    """Give the reference of a profile's key: `provider:<id>:key`."""
    return KeyReference(f"provider:{profile_id}:key")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderProfile:
    """An OpenAI-compatible service; `make_profile` makes these.

    Attributes:
        id: What definitions name it by.
        name: What people call it.
        base_url: What stands before `/chat/completions`, without a slash at its end.
        model: What is asked where nothing else is said.
        needs_key: Whether it wants a key; services on one's own machine may not.
    """

    id: str
    name: str
    base_url: str
    model: str | None = None
    needs_key: bool = True

    @property
    def origin(self) -> str | None:
        """Scheme, host and port: what its key is bound to."""
        return _origin(self.base_url)[0]

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{id, name, baseUrl, model?, needsKey}`."""
        wire: dict[str, Any] = {"id": self.id, "name": self.name}
        wire["baseUrl"] = self.base_url
        if self.model is not None:
            wire["model"] = self.model
        return wire | {"needsKey": self.needs_key}


def make_profile(
    profile_id: str,
    *,
    base_url: str,
    name: str | None = None,
    model: str | None = None,
    needs_key: bool = True,
) -> ProviderProfile:
    """Make a profile of what a person gave.

    Raises:
        InvalidInputError: Something cannot be used; all of it is listed.
    """
    base = base_url.strip().rstrip("/")
    name = profile_id if name is None else name.strip()
    model = None if model is None else model.strip()
    problems = [*_id_problems(profile_id), *_url_problems(base)]
    problems += _text_problems("name", name)
    if model is not None:
        problems += _text_problems("model", model)
    if problems:
        raise refusal(problems, "the provider profile")
    return ProviderProfile(
        id=profile_id, name=name, base_url=base, model=model, needs_key=needs_key
    )


def _id_problems(profile_id: str) -> list[Problem]:
    if contains_secret(profile_id):
        return [_looks_secret("id")]
    if len(profile_id) <= _LONGEST and _ID.fullmatch(profile_id):
        return []
    rule = f"must be 1 to {_LONGEST} letters, digits and . _ -, the first no mark"
    return [_problem("id", rule)]


def _text_problems(path: str, text: str) -> list[Problem]:
    if contains_secret(text):
        return [_looks_secret(path)]
    if 1 <= len(text) <= _LONGEST and text.isprintable():
        return []
    return [_problem(path, f"must be 1 to {_LONGEST} printable characters")]


def _url_problems(base: str) -> list[Problem]:
    path = "baseUrl"
    if contains_secret(base):
        return [_looks_secret(path)]
    if len(base) > _LONGEST_URL:
        return [_problem(path, f"must not be longer than {_LONGEST_URL} characters")]
    if base.endswith(_CHAT):
        hint = f"leave out {_CHAT}: it is added"
        return [_problem(path, "is the address of the service, not of its chat", hint)]
    origin, reason = _origin(base)
    if origin is not None:
        return []
    return [_problem(path, reason, "such as https://api.example.com/v1")]


def _origin(base: str) -> tuple[str | None, str]:
    """Give the origin of a base URL, or why it has none."""
    found = _BASE.fullmatch(base)
    if found is None or not _SENT.fullmatch(base) or "\\" in base:
        return None, "must be an http or https address, without ? and #"
    authority, problems = parse_authority(found[1].lower(), found[2])
    if authority is None:
        return None, f"cannot be used: {problems[0].message}"
    return authority.origin, ""


def _looks_secret(path: str) -> Problem:
    return Problem(
        code="LITERAL_SECRET",
        message=f"{_NAMES[path]} looks like a secret; the key is asked for by itself",
        path=path,
    )


def _problem(path: str, rule: str, hint: str | None = None) -> Problem:
    message = f"{_NAMES[path]} {rule}"
    return Problem(code="FIELD_VALUE", message=message, path=path, hint=hint)
