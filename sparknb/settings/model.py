"""The settings of one host, and what of them may be shown."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

from sparknb.core.problems import Problem
from sparknb.settings.table import SETTINGS

__all__ = ["HiddenVariables", "Settings", "Source", "safe_url"]

Source = Literal["argument", "environment", "settings.toml", "project", "default"]

_MASK = "***"
_SECRET_QUERY = re.compile(
    r"([?&][^=&]*(?:pass|secret|token|key)[^=&]*=)[^&]+", re.IGNORECASE
)


class HiddenVariables(Mapping[str, str]):
    """Environment variables whose values no display, copy or pickle shows."""

    __slots__ = ("_variables",)

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = dict(variables)

    def __getitem__(self, name: str) -> str:
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def __repr__(self) -> str:
        return f"<{len(self)} hidden variables>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("these variables hold secrets and cannot be pickled or copied")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a host is opened with; read once.

    Attributes:
        home: Absolute path of the home; it may not exist yet.
        database_url: Where the registry is; may hold a password, so show
            `safe_database_url` instead.
        keychain: `auto`, `os`, `env` or `memory`.
        require_passing_cases: Whether publishing needs passing cases (ST-81).
        mcp_token: Bearer token of the MCP server over HTTP, a secret.
        examples_port: First port of the example service.
        user_folder: The user's data folder for sparknb, whatever the home.
        secret_environment: The variables `SPARKNB_SECRET__*`.
        proxy_environment: The variables that name proxies; may hold passwords.
        sources: For each setting where its value came from.
        notices: What a person should know: homes passed over, unknown names.
    """

    home: Path
    database_url: str = field(repr=False)
    keychain: str
    require_passing_cases: bool
    mcp_token: str | None = field(repr=False)
    examples_port: int
    user_folder: Path
    secret_environment: Mapping[str, str]
    proxy_environment: Mapping[str, str]
    sources: Mapping[str, Source]
    notices: tuple[Problem, ...] = ()

    @property
    def safe_database_url(self) -> str:
        """The database URL with `***` in place of a password."""
        return safe_url(self.database_url)

    def to_wire(self) -> dict[str, dict[str, Any]]:
        """Give `{key: {value, source, variable}}` for doctor; secrets are masked."""
        shown: dict[str, Any] = {
            "home": str(self.home),
            "database_url": self.safe_database_url,
            "keychain": self.keychain,
            "require_passing_cases": self.require_passing_cases,
            "mcp_token": None if self.mcp_token is None else "[secret]",
            "examples_port": self.examples_port,
        }
        return {
            s.key: {
                "value": shown[s.key],
                "source": self.sources[s.key],
                "variable": s.variable,
            }
            for s in SETTINGS
        }

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: another process reads settings of its own."""
        raise TypeError("settings hold secrets and cannot be pickled or copied")


def safe_url(url: str) -> str:
    """Give a database URL with `***` in place of passwords.

    Written for URLs that people get wrong too: everything between the first colon of
    the user part and the last `@` counts as password.
    """
    scheme, slashes, rest = url.partition("://")
    user, at, place = rest.rpartition("@")
    name, colon, _ = user.partition(":")
    masked = f"{name}{colon}{_MASK if colon else ''}{at}{place}"
    return _SECRET_QUERY.sub(rf"\1{_MASK}", f"{scheme}{slashes}{masked}")
