"""The entry that makes an MCP client start `sparknb mcp`, or connect to one."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from sparknb.core.errors import InvalidInputError, UsageError
from sparknb.mcp.endpoint import Endpoint

__all__ = [
    "CLIENTS",
    "ConnectionSettings",
    "command",
    "print_config",
    "print_http_config",
]

CLIENTS = ("claude", "cursor", "vscode")

_QUESTION = "sparknb-mcp-token"
# How each client fills in what its file should not hold. VS Code asks, and keeps the
# answer in the system's keychain.
_TOKEN = {
    "claude": "${SPARKNB_MCP_TOKEN}",
    "cursor": "${env:SPARKNB_MCP_TOKEN}",
    "vscode": f"${{input:{_QUESTION}}}",
}


class ConnectionSettings(Protocol):
    """The settings that a server needs to find the same tools."""

    @property
    def home(self) -> Path:
        """The home folder."""
        ...

    @property
    def database_url(self) -> str:
        """Where the registry is."""
        ...

    @property
    def keychain(self) -> str:
        """Which keychain is used."""
        ...

    @property
    def sources(self) -> Mapping[str, str]:
        """Where each setting comes from."""
        ...


def print_config(
    client: str, settings: ConnectionSettings, *, manage: bool = False
) -> str:
    """Give the JSON to put into a client's configuration file.

    It names the home by its absolute path, and the settings that are not at their
    default. No secret is in it: neither values of the `env` keychain nor the
    password of a database URL.

    Args:
        client: One of `CLIENTS`.
        settings: What this process runs with.
        manage: Let the client's agent write tools.

    Raises:
        UsageError: Another client.
    """
    _require_known(client)
    program, *arguments = command()
    entry: dict[str, Any] = {
        "command": program,
        "args": [*arguments, "mcp", *(["--manage"] if manage else [])],
        "env": _environment(settings),
    }
    if client == "vscode":
        document = {"servers": {"sparknb": {"type": "stdio", **entry}}}
    else:
        document = {"mcpServers": {"sparknb": entry}}
    return json.dumps(document, indent=2, ensure_ascii=False)


def print_http_config(client: str, endpoint: Endpoint, *, has_token: bool) -> str:
    """Give the JSON that makes a client connect to `sparknb mcp --http`.

    The token is not in it: it says where the client finds it.

    Args:
        client: One of `CLIENTS`.
        endpoint: Where the server listens.
        has_token: Whether the server was given a token.

    Raises:
        UsageError: Another client.
        InvalidInputError: The port is not known beforehand.
    """
    _require_known(client)
    if endpoint.port == 0:
        raise InvalidInputError(
            "a client must know the port beforehand, and 0 is any free one",
            path="--http",
            hint="name a port",
        )
    entry: dict[str, Any] = {"type": "http", "url": endpoint.url}
    if client == "cursor":
        del entry["type"]  # it knows by the URL
    needs_token = has_token or not endpoint.is_local
    if needs_token:
        entry["headers"] = {"Authorization": f"Bearer {_TOKEN[client]}"}
    document: dict[str, Any] = {"mcpServers": {"sparknb": entry}}
    if client == "vscode":
        document = {"servers": {"sparknb": entry}}
        if needs_token:
            document["inputs"] = [
                {
                    "type": "promptString",
                    "id": _QUESTION,
                    "description": "Token of sparknb mcp (SPARKNB_MCP_TOKEN)",
                    "password": True,
                }
            ]
    return json.dumps(document, indent=2, ensure_ascii=False)


def _require_known(client: str) -> None:
    if client not in CLIENTS:
        raise UsageError(
            f"no configuration is known for {client}",
            hint=f"one of: {', '.join(CLIENTS)}",
        )


def command() -> list[str]:
    """Give the command that starts this installation of sparknb."""
    script = Path(sys.executable).with_name(
        "sparknb.exe" if sys.platform == "win32" else "sparknb"
    )
    return [str(script)] if script.exists() else [sys.executable, "-m", "sparknb"]


def _environment(settings: ConnectionSettings) -> dict[str, str]:
    environment = {"SPARKNB_HOME": str(Path(settings.home).absolute())}
    if _is_chosen(settings, "database_url"):
        environment["SPARKNB_DATABASE_URL"] = _without_password(settings.database_url)
    if _is_chosen(settings, "keychain"):
        environment["SPARKNB_KEYCHAIN"] = settings.keychain
    return environment


def _is_chosen(settings: ConnectionSettings, name: str) -> bool:
    return settings.sources.get(name, "default") != "default"


def _without_password(url: str) -> str:
    """Give the URL without its password: libpq finds one in ~/.pgpass."""
    url, mark, query = url.partition("?")
    scheme, slashes, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, place = authority.rpartition("@")
    authority = f"{user.partition(':')[0]}{at}{place}"
    pairs = [p for p in query.split("&") if "password" not in p.split("=")[0].lower()]
    kept = "&".join(pairs)
    return f"{scheme}{slashes}{authority}{slash}{path}{mark if kept else ''}{kept}"
