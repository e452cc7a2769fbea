"""A client that is not ours: the MCP Inspector's command line, from npm."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sparknb.examples import ExampleService
from sparknb.mcp.config import command
from tests.mcp.agents import Shop, open_shop, run, served

pytestmark = pytest.mark.skipif(
    shutil.which("npx") is None or shutil.which("node") is None,
    reason="the MCP Inspector needs Node.js with npx: apt-get install nodejs npm",
)

PACKAGE = "@modelcontextprotocol/inspector"


NO_WAY_TO_NPM = re.compile(r"EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH")


@pytest.fixture
def npm_cache(request: pytest.FixtureRequest) -> Path:
    """Give a cache that outlives the test's private home, so npm loads things once."""
    cache: pytest.Cache = request.config.cache
    return cache.mkdir("npm")


def inspect(shop: Shop, npm_cache: Path, *words: str) -> dict[str, Any]:
    """Run one method of the Inspector against `sparknb mcp`."""
    flags: list[str] = []
    for name, value in shop.environment.items():
        flags += ["-e", f"{name}={value}"]
    return inspector(npm_cache, *flags, *command(), "mcp", *words)


def inspector(npm_cache: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        ["npx", "-y", PACKAGE, "--cli", *words],
        cwd=npm_cache,
        env=os.environ | {"npm_config_cache": str(npm_cache)},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    if done.returncode and NO_WAY_TO_NPM.search(done.stderr):
        pytest.skip("the MCP Inspector comes from npm, which cannot be reached")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_inspector_lists_and_calls_the_tools_of_the_demo(
    example_service: ExampleService, tmp_path: Path, npm_cache: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            listed = inspect(shop, npm_cache, "--method", "tools/list")
            assert [tool["name"] for tool in listed["tools"]] == [
                "custom_city_weather",
                "custom_order_item",
            ]
            call = ["--method", "tools/call", "--tool-name"]
            read = inspect(
                shop, npm_cache, *call, "custom_city_weather", "--tool-arg", "city=Oslo"
            )
            assert read["structuredContent"]["city"] == "Oslo"
            refused = inspect(
                shop,
                npm_cache,
                *call,
                "custom_order_item",
                "--tool-arg",
                "city=Oslo",
                "item=globe",
            )
            assert refused["isError"] is True
            code = refused["structuredContent"]["error"]["code"]
            assert code == "APPROVAL_UNAVAILABLE"
            assert not shop.orders()

    run(test(), 400)


def test_the_inspector_is_served_over_http_and_not_without_the_token(
    example_service: ExampleService, tmp_path: Path, npm_cache: Path
) -> None:
    async def ask(url: str, *words: str) -> dict[str, Any]:
        where = [url, "--transport", "http", "--method"]
        return await asyncio.to_thread(inspector, npm_cache, *where, *words)

    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            assert len((await ask(url, "tools/list"))["tools"]) == 2
            call = ["tools/call", "--tool-name", "custom_city_weather"]
            read = await ask(url, *call, "--tool-arg", "city=Oslo")
            assert read["structuredContent"]["city"] == "Oslo"
        token = {"SPARKNB_MCP_TOKEN": "tok-9fA3_kQ7.zX1~mB5vW8y"}
        async with (
            open_shop(example_service, tmp_path / "token", **token) as shop,
            served(shop) as url,
        ):
            with pytest.raises(AssertionError, match="needed as bearer token"):
                await ask(url, "tools/list")

    run(test(), 400)
