"""One planted secret, all doors, all failure paths: it must be nowhere (promise 1).

The server gives the secret back in every spelling, in every way that a server can
fail. Everything that was written or shown is then searched.
"""

import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.canary import forms, search_tree, text_forms
from tests.hosting import http_tool

SECRET = "c4n4ry/+\"<&>'é=%20 value"
ENVIRONMENT = {
    "SPARKNB_KEYCHAIN": "env",
    "SPARKNB_SECRET__LEAKY__KEY": SECRET,
}
LONG = "filler " * 12_000  # above the token budget, so that the text is clipped


@dataclass
class House:
    """A home with a published tool whose server is hostile, and all that was shown."""

    home: Path
    shown: list[bytes] = field(default_factory=list)

    def run(self, *words: str, stdin: str | None = None, **environment: str) -> str:
        """Run one command; keep what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "sparknb", *words],
            input=None if stdin is None else stdin.encode(),
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=120,
            check=False,
            env={**os.environ, **ENVIRONMENT, **environment},
        )
        self.shown += [done.stdout, done.stderr]
        return (done.stdout + done.stderr).decode("utf-8", "replace")


def echoes() -> str:
    return "\n".join(text_forms(SECRET))


def answer(request: Request) -> Response:
    """Give the secret back in the way that the path names."""
    path, sent = request.path.strip("/"), request.headers["X-Api-Key"]
    assert sent == SECRET, "the secret did not arrive"
    cut = "x" * (500 - len(SECRET) // 2) + SECRET  # an excerpt ends within the secret
    answers: dict[str, dict[str, Any]] = {
        "error": {"response": echoes(), "status": 500},
        "cut": {"response": cut, "status": 502},
        "clip": {"response": LONG + echoes() + LONG},
        "json": {"response": json.dumps({echoes(): [echoes(), {SECRET: SECRET}]})},
        "redirect": {"status": 302, "headers": {"Location": "/gone"}},
        "broken": {"response": echoes(), "headers": {"Content-Encoding": "gzip"}},
    }
    plain = {"response": echoes(), "headers": {"X-Echo": sent, "Set-Cookie": "k=v"}}
    return Response(**answers.get(path, plain))


@pytest.fixture
def house(isolated_home: Path, httpserver: HTTPServer) -> House:
    for path in ("plain", "error", "cut", "clip", "json", "redirect", "broken"):
        httpserver.expect_request(f"/{path}").respond_with_handler(answer)
    house = House(isolated_home)
    tool = http_tool(httpserver.url_for("/{{q}}"), tool_id="leaky", method="POST")
    tool["secretRefs"] = {"key": "custom-tool:leaky:key"}
    request = tool["spec"]["request"]
    request["headers"] = [{"name": "X-Api-Key", "secretRef": "key"}]
    request["body"] = {"mode": "json", "jsonTemplate": '{"q": {{q}}}'}
    house.run("draft", "-", stdin=json.dumps(tool))
    said = house.run("publish", "leaky", "--yes", "--json")
    assert json.loads(said)["tool"]["enabled"]
    return house


PATHS = ["plain", "error", "cut", "clip", "json", "redirect", "broken"]


def nowhere(house: House) -> None:
    """Fail when the secret is in a file below the home or in anything shown."""
    assert search_tree(house.home, SECRET) == []
    for spelling in forms(SECRET):
        for text in house.shown:
            assert spelling not in text, spelling


def half_nowhere(house: House) -> None:
    half = SECRET[: len(SECRET) // 2]
    assert not [text for text in house.shown if half.encode() in text]


def test_the_command_line_shows_and_keeps_no_secret(house: House) -> None:
    for path in PATHS:
        given = json.dumps({"q": path})
        house.run("call", "leaky", "--input", given, "--yes", "--json")
        house.run("test", "leaky", "--input", given, "--yes")
    assert b"[REDACTED]" in b"".join(house.shown)
    for words in (
        ["list"],
        ["show", "leaky"],
        ["show", "leaky", "--json"],
        ["secret", "status", "leaky"],
        ["traces"],
        ["traces", "--json"],
        ["doctor", "--json"],
        ["call", "leaky", "--dry-run", "--input", '{"q": "plain"}'],
    ):
        house.run(*words)
    half_nowhere(house)
    given = json.dumps({"q": SECRET})  # the caller's own words, sent back by the server
    house.run("call", "leaky", "--input", given, "--yes", "--json")
    nowhere(house)


@pytest.mark.parametrize("keychain", ["memory", "os", "nonsense"])
def test_setting_a_secret_leaves_no_copy(house: House, keychain: str) -> None:
    for value in (f"  {SECRET}\n", f"{SECRET}\0", f"{SECRET}—", SECRET * 900):
        house.run(
            *("secret", "set", "leaky", "key", "--json"),
            stdin=value,
            SPARKNB_KEYCHAIN=keychain,
        )
    house.run("secret", "set", "leaky", "nobody", stdin=SECRET)
    house.run("secret", "set", "nobody", "key", stdin=SECRET)
    house.run("secret", "set", "leaky", "key", SECRET)  # wrong usage, on purpose
    nowhere(house)


CLIENT = """
import asyncio, json, os, sys
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import ElicitResult

async def approve(context, params):
    print(params.message)
    return ElicitResult(action="accept", content={"approve": True})

async def main():
    child = StdioServerParameters(
        command=sys.executable, args=["-m", "sparknb", "mcp"], env=dict(os.environ)
    )
    async with Client(stdio_client(child), elicitation_callback=approve) as client:
        print((await client.list_tools()).model_dump_json())
        for path in json.loads(sys.argv[1]):
            result = await client.call_tool("custom_leaky", {"q": path})
            print(result.model_dump_json())

asyncio.run(main())
"""


def test_an_mcp_client_gets_no_secret(house: House) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, json.dumps(PATHS)],
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, **ENVIRONMENT},
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"[REDACTED]" in done.stdout
    house.shown += [done.stdout, done.stderr]
    half_nowhere(house)
    nowhere(house)


def test_the_handle_and_its_log_hold_no_secret(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    import sparknb
    from sparknb.host import FlagApprover

    caplog.set_level(logging.DEBUG)
    environment = {**os.environ, **ENVIRONMENT}
    with sparknb.open_spark(approver=FlagApprover(), environment=environment) as spark:
        for path in PATHS:
            result: Any = spark.call("leaky", {"q": path})
            house.shown.append(repr(result).encode())
            house.shown.append(json.dumps(result.to_wire()).encode())
        house.shown.append(spark.traces().to_csv().encode())
        house.shown.append(repr(vars(spark)).encode())
    house.shown.append(caplog.text.encode())
    nowhere(house)


def test_deleted_values_are_not_left_in_freed_pages(house: House) -> None:
    house.run("call", "leaky", "--input", '{"q": "error"}', "--yes")
    house.run("delete", "leaky", "--yes")
    house.run("traces", "--clear", "--yes")
    nowhere(house)
    assert b"leaky" not in (house.home / "sparknb" / "registry.db").read_bytes()
