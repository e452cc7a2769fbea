"""News of changes: told once, and not lost when the registry stumbles."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from sparknb.core.errors import RegistryUnavailableError
from sparknb.demo.stage import definition
from sparknb.examples import ExampleService
from tests.mcp.agents import Shop, connected, open_shop, run, slow_tool, until


class Stirred:
    """A host whose watch is stirred by hand, so that tests wait for no clock."""

    def __init__(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.callbacks: list[Callable[[], None]] = []
        monkeypatch.setattr(shop.host, "watch", self._watch)

    def _watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        self.callbacks.append(callback)
        return lambda: self.callbacks.remove(callback)

    async def stir(self) -> None:
        (callback,) = self.callbacks
        callback()
        for _ in range(5):
            await asyncio.sleep(0)


class Heard(list[str]):
    async def __call__(self, message: Any) -> None:
        assert isinstance(message, types.ToolListChangedNotification)
        self.append(message.method)

    def are(self, count: int) -> bool:
        return len(self) == count


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_what_agents_can_call_is_news_and_the_rest_is_not(
    example_service: ExampleService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    heard: Heard,
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            watch = Stirred(shop, monkeypatch)
            studio = shop.host.studio
            async with connected(shop, "legacy", message_handler=heard) as client:
                await client.call_tool("custom_city_weather", {"city": "Oslo"})
                await studio.draft(slow_tool(example_service))
                await watch.stir()
                await client.list_tools()
                assert heard == []
                changed = definition("weather", example_service.url)
                changed["spec"]["request"]["urlTemplate"] += "&day=1"
                for step in (
                    studio.publish("wait"),
                    shop.publish(changed),  # looks the same, does another thing
                    studio.rollback("city_weather", 1),
                    studio.set_enabled("wait", enabled=False),
                    studio.set_enabled("wait", enabled=True),
                ):
                    before = len(heard)
                    await step
                    await watch.stir()
                    await until(partial(heard.are, before + 1))
                await studio.set_enabled("wait", enabled=False)
                await client.list_tools()
                await watch.stir()  # the client has just seen it
                await client.list_tools()
                assert len(heard) == 5
            assert watch.callbacks == []

    run(test())


def test_a_registry_that_stumbles_delays_the_news_and_says_so(
    example_service: ExampleService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    heard: Heard,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken() -> None:
        raise RegistryUnavailableError("the disk is gone")

    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            watch = Stirred(shop, monkeypatch)
            async with connected(shop, "legacy", message_handler=heard):
                await shop.host.studio.set_enabled("order_item", enabled=False)
                with monkeypatch.context() as patch:
                    patch.setattr(shop.host, "surface", broken)
                    await watch.stir()
                    await until(lambda: "the disk is gone" in caplog.text)
                await watch.stir()
                await until(partial(heard.are, 1))

    with caplog.at_level(logging.WARNING, "sparknb.mcp"):
        run(test())
