import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError, UsageError
from sparknb.mcp.config import CLIENTS, command, print_config, print_http_config
from sparknb.mcp.endpoint import parse_endpoint


@dataclass(frozen=True)
class FakeSettings:
    home: Path = Path("/data/sparknb")
    database_url: str = "sqlite:////data/sparknb/registry.db"
    keychain: str = "auto"
    sources: dict[str, str] = field(default_factory=dict)


def entry(client: str, settings: FakeSettings | None = None) -> dict[str, Any]:
    document = json.loads(print_config(client, settings or FakeSettings()))
    (servers,) = document.values()
    assert list(servers) == ["sparknb"]
    found: dict[str, Any] = servers["sparknb"]
    return found


@pytest.mark.parametrize("client", CLIENTS)
def test_the_entry_starts_this_installation_with_the_same_home(client: str) -> None:
    found = entry(client)
    assert found["command"] == command()[0]
    assert found["args"][-1] == "mcp"
    assert found["env"] == {"SPARKNB_HOME": "/data/sparknb"}
    assert Path(found["command"]).is_absolute()


def test_each_client_has_its_own_shape() -> None:
    claude = json.loads(print_config("claude", FakeSettings()))
    vscode = json.loads(print_config("vscode", FakeSettings()))
    assert list(claude) == ["mcpServers"]
    assert "type" not in claude["mcpServers"]["sparknb"]
    assert vscode["servers"]["sparknb"]["type"] == "stdio"


def test_a_relative_home_is_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = FakeSettings(home=Path(".sparknb"))
    assert entry("claude", settings)["env"]["SPARKNB_HOME"] == str(
        tmp_path / ".sparknb"
    )


def test_settings_that_were_chosen_are_passed_on() -> None:
    settings = FakeSettings(
        keychain="env",
        database_url="postgresql+psycopg://db.test/sparknb",
        sources={"keychain": "environment", "database_url": "settings.toml"},
    )
    assert entry("cursor", settings)["env"] == {
        "SPARKNB_HOME": "/data/sparknb",
        "SPARKNB_DATABASE_URL": "postgresql+psycopg://db.test/sparknb",
        "SPARKNB_KEYCHAIN": "env",
    }


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "postgresql+psycopg://ann:hunter2@db.test:5432/x?sslmode=require",
            "postgresql+psycopg://ann@db.test:5432/x?sslmode=require",
        ),
        (
            "postgresql+psycopg://ann:hunt@er:2@db.test/x",
            "postgresql+psycopg://ann@db.test/x",
        ),
        (
            "postgresql+psycopg://db.test/x?password=hunter2&user=ann",
            "postgresql+psycopg://db.test/x?user=ann",
        ),
        ("postgresql+psycopg://db.test/x?sslpassword=hunter2", None),
        ("sqlite:////data/registry.db", "sqlite:////data/registry.db"),
    ],
)
def test_a_password_in_the_database_url_is_left_out(
    url: str, shown: str | None
) -> None:
    settings = FakeSettings(database_url=url, sources={"database_url": "environment"})
    text = print_config("claude", settings)
    assert "hunt" not in text
    environment = json.loads(text)["mcpServers"]["sparknb"]["env"]
    assert environment["SPARKNB_DATABASE_URL"] == (
        shown or "postgresql+psycopg://db.test/x"
    )


def test_secrets_of_the_environment_are_never_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPARKNB_SECRET__ORDER_ITEM__API_KEY", "canary-4711")
    settings = FakeSettings(keychain="env", sources={"keychain": "environment"})
    assert "canary" not in print_config("claude", settings)


@pytest.mark.parametrize("client", ["", "Claude", "emacs", "\x1b[0m"])
def test_an_unknown_client_is_refused_naming_the_known_ones(client: str) -> None:
    with pytest.raises(UsageError) as caught:
        print_config(client, FakeSettings())
    assert "claude" in str(caught.value.hint)


def test_asking_for_the_configuration_does_not_import_the_sdk() -> None:
    import subprocess

    code = "import sys, sparknb.mcp.config; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ------------------------------------------------------------------------- HTTP
def http_document(client: str, place: str, *, has_token: bool) -> dict[str, Any]:
    text = print_http_config(client, parse_endpoint(place), has_token=has_token)
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.parametrize(
    ("client", "key", "kind"),
    [
        ("claude", "mcpServers", "http"),
        ("cursor", "mcpServers", None),
        ("vscode", "servers", "http"),
    ],
)
def test_the_entry_for_http_connects_and_starts_nothing(
    client: str, key: str, kind: str | None
) -> None:
    document = http_document(client, "localhost:8765", has_token=False)
    assert list(document) == [key]
    found = document[key]["sparknb"]
    assert found.pop("type", None) == kind
    assert found == {"url": "http://127.0.0.1:8765/mcp"}


@pytest.mark.parametrize(
    ("client", "reference"),
    [
        ("claude", "${SPARKNB_MCP_TOKEN}"),
        ("cursor", "${env:SPARKNB_MCP_TOKEN}"),
        ("vscode", "${input:sparknb-mcp-token}"),
    ],
)
@pytest.mark.parametrize("place", ["127.0.0.1:8765", "10.0.0.7:8765"])
def test_the_token_is_named_and_not_written(
    client: str, reference: str, place: str
) -> None:
    has_token = place.startswith("127.")  # elsewhere there must be one
    document = http_document(client, place, has_token=has_token)
    servers = document["servers" if client == "vscode" else "mcpServers"]
    headers = servers["sparknb"]["headers"]
    assert headers == {"Authorization": f"Bearer {reference}"}


def test_vscode_asks_for_the_token_hidden() -> None:
    (question,) = http_document("vscode", "[::1]:1", has_token=True)["inputs"]
    assert question["password"] is True
    assert question["id"] == "sparknb-mcp-token"


def test_an_entry_for_http_needs_a_port_and_a_known_client() -> None:
    with pytest.raises(InvalidInputError, match="port"):
        print_http_config("claude", parse_endpoint("127.0.0.1:0"), has_token=False)
    with pytest.raises(UsageError):
        print_http_config("other", parse_endpoint("127.0.0.1:1"), has_token=False)
