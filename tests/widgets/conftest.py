"""Widgets with a comm that is a list, and views of them in a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import comm
import pytest
from ipywidgets import Widget  # type: ignore[import-untyped]  # it ships no types

from sparknb.bootstrap import open_host
from sparknb.core.protocols import ApprovalRequest, Preview
from sparknb.host import Host
from sparknb.host.loop_thread import LoopThread
from tests.chromium import open_chromium
from tests.hosting import Definition, http_tool
from tests.widgets.stage import Hand, RecordingComm, Stage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_PATIENCE = 20_000  # ms; for machines with other work


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(comm, "create_comm", RecordingComm)
    yield
    Widget.close_all()


# -------------------------------------------------------------------- the kernel
@pytest.fixture
def ask() -> Callable[..., ApprovalRequest]:
    """Give a request of a POST; keywords change it."""

    def make(**changes: Any) -> ApprovalRequest:
        values: dict[str, Any] = {
            "call_id": "call-1",
            "tool_id": "place_order",
            "title": "Place an order",
            "version": 3,
            "risk": "low-write",
            "effect": "create",
            "idempotency": "unsafe",
            "arguments": {"item": "lamp", "quantity": 5},
            "preview": Preview(method="POST", url="http://127.0.0.1:8701/orders"),
        }
        return ApprovalRequest(**(values | changes))

    return make


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    thread.close()


@pytest.fixture
def host(loop: LoopThread, tmp_path: Path) -> Iterator[Host]:
    opened = loop.run(open_host(tmp_path / "home", keychain="memory"))
    yield opened
    loop.run(opened.close())


@pytest.fixture
def hand(loop: LoopThread) -> Hand:
    return Hand(loop)


@pytest.fixture
def order_tool(loop: LoopThread, host: Host) -> Definition:
    """Give a POST tool with a secret, saved as a draft."""
    tool = http_tool(
        "http://127.0.0.1:8701/orders/{{q}}", tool_id="place_order", method="POST"
    )
    tool["secretRefs"] = {"api_key": "custom-tool:place_order:api_key"}
    header = {"name": "X-Api-Key", "secretRef": "api_key"}
    tool["spec"]["request"]["headers"] = [header]
    loop.run(host.studio.create_draft(tool))
    return tool


# ------------------------------------------------------------------- the browser
@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    playwright.expect.set_options(timeout=_PATIENCE)
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def stage_in(chromium: "Browser") -> Iterator[Callable[..., Stage]]:
    """Give a maker of pages: theme, width, and what a context takes."""
    contexts = []

    def make(theme: str = "light", width: int = 800, **options: Any) -> Stage:
        context = chromium.new_context(
            viewport={"width": width, "height": 700}, **options
        )
        context.set_default_timeout(_PATIENCE)
        contexts.append(context)
        return Stage(context.new_page(), theme)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def stage(stage_in: Callable[..., Stage]) -> Iterator[Stage]:
    """Give a page that must have stayed offline and without script errors."""
    made = stage_in()
    yield made
    assert made.errors == []
    assert [url for url in made.requests if not url.startswith("blob:")] == []
