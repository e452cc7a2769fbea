"""The table of all settings, which docs, doctor and the loader read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["KEYCHAINS", "SETTINGS", "Setting"]

KEYCHAINS = ("auto", "os", "env", "memory")

_SWITCH = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_DATABASES = ("sqlite:", "postgresql:", "postgresql+psycopg:")
_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting: where it is given, and what it means.

    Attributes:
        key: Its name in `settings.toml` and in `Settings`.
        variable: Its environment variable.
        meaning: What it decides, for people.
        default: What holds when nobody sets it, for people.
        allowed: The values it may have, for people.
        accept: Gives the value for what was written (a text, or any value of TOML),
            or None when it is not allowed.
        is_in_file: Whether `settings.toml` may give it.
        is_secret: Whether its value is never shown.
    """

    key: str
    variable: str
    meaning: str
    default: str
    allowed: str
    accept: Callable[[Any], Any]
    is_in_file: bool = True
    is_secret: bool = False


def _text(given: object) -> str | None:
    return given.strip() or None if isinstance(given, str) else None


def _keychain(given: object) -> str | None:
    return given if isinstance(given, str) and given in KEYCHAINS else None


def _switch(given: object) -> bool | None:
    if isinstance(given, bool):
        return given
    return _SWITCH.get(given.strip().lower()) if isinstance(given, str) else None


def _port(given: object) -> int | None:
    if isinstance(given, str) and given.isascii() and given.isdigit():
        given = int(given[:6])
    if not isinstance(given, int) or isinstance(given, bool):
        return None
    return given if 1 <= given <= _LAST_PORT else None


def _database_url(given: object) -> str | None:
    url = _text(given)
    return url if url and url.startswith(_DATABASES) else None


SETTINGS = (
    Setting(
        key="home",
        variable="SPARKNB_HOME",
        meaning="Folder of the registry and of all that belongs to it.",
        default="the nearest confirmed `.sparknb/`, else the user's data folder",
        allowed="a folder that you may write to",
        accept=_text,
        is_in_file=False,
    ),
    Setting(
        key="database_url",
        variable="SPARKNB_DATABASE_URL",
        meaning="Where the registry is kept.",
        default="`registry.db` in the home",
        allowed="sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE",
        accept=_database_url,
    ),
    Setting(
        key="keychain",
        variable="SPARKNB_KEYCHAIN",
        meaning="Where secret values are kept. `auto` is the system's keychain where "
        "one answers, else the memory of the process; `env` reads "
        "`SPARKNB_SECRET__<TOOL_ID>__<NAME>`.",
        default="auto",
        allowed="auto, os, env or memory",
        accept=_keychain,
    ),
    Setting(
        key="require_passing_cases",
        variable="SPARKNB_REQUIRE_PASSING_CASES",
        meaning="Whether a tool is published only when its test cases pass.",
        default="false",
        allowed="true or false",
        accept=_switch,
    ),
    Setting(
        key="mcp_token",
        variable="SPARKNB_MCP_TOKEN",
        meaning="Bearer token that MCP clients must send over HTTP. A secret: only "
        "the variable can give it.",
        default="none",
        allowed="24 or more letters, digits and . _ ~ + / -",
        accept=_text,
        is_in_file=False,
        is_secret=True,
    ),
    Setting(
        key="examples_port",
        variable="SPARKNB_EXAMPLES_PORT",
        meaning="First port of the example service; notebook NN uses this + NN.",
        default="8700",
        allowed=f"a whole number from 1 to {_LAST_PORT}",
        accept=_port,
    ),
)
