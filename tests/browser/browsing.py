"""A thread with a browser, and a watch over what its pages do."""

import os
import queue
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from tests.browser.limits import LONGEST_MS, LONGEST_START, LONGEST_TEST

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        ConsoleMessage,
        Dialog,
        Page,
        Playwright,
        ViewportSize,
    )

T = TypeVar("T")

__all__ = ["CHROMIUM", "WINDOW", "BrowserThread", "Watch"]

CHROMIUM = "/usr/bin/chromium"
WINDOW: "ViewportSize" = {"width": 1200, "height": 900}

# Nothing that is not on this machine can be reached: the only way out is a proxy that
# nobody serves. Chromium itself never asks a proxy for loopback.
_FLAGS = (
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--proxy-server=http://127.0.0.1:1",
)

_KEPT = ("PATH", "LANG")

_LOCAL_SCHEMES = ("about", "blob", "data")

# Messages of JupyterLab itself that say nothing about us: pattern, and why it may come.
_ALLOWED = (
    (
        r"Canceled future for \w+ message before replies were done",
        "what was asked of a kernel that was restarted or died gets no answer",
    ),
)


class BrowserThread:
    """The one thread in which Playwright lives.

    Playwright keeps an event loop running in the thread that started it; there,
    `asyncio.run` of any other test would fail.

    Attributes:
        folder: Where the browser keeps its files.
    """

    def __init__(self, folder: Path) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, daemon=True, name="browser")
        self._thread.start()
        self.folder = folder
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self.call(self._launch)

    def call(self, work: Callable[[], T], longest: float = LONGEST_TEST) -> T:
        """Do `work` in the thread and give what it gives, or raise what it raises."""
        future: Future[T] = Future()

        def step() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  # also pytest's own outcomes
                future.set_exception(error)

        self._work.put(step)
        return future.result(longest)

    def new_page(self) -> "Page":
        """Open a page that shares nothing with others; call it in the thread."""
        assert self._browser is not None
        context = self._browser.new_context(
            viewport=WINDOW,
            color_scheme="light",
            reduced_motion="reduce",
            service_workers="block",
        )
        context.set_default_timeout(LONGEST_MS)
        return context.new_page()

    def close(self) -> None:
        """End the browser."""
        try:
            self.call(self._quit, longest=30)
        finally:
            self._work.put(None)
            self._thread.join(5)

    def _serve(self) -> None:
        while (step := self._work.get()) is not None:
            step()

    def _launch(self) -> None:
        from playwright.sync_api import sync_playwright

        kept = {
            name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ
        }
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=list(_FLAGS),
            timeout=LONGEST_START * 1000,
            env={**kept, "HOME": str(self.folder), "TMPDIR": str(self.folder)},
        )

    def _quit(self) -> None:
        if self._browser is not None:
            self._browser.close()
        if self._playwright is not None:
            self._playwright.stop()


class Watch:
    """What a page must not do: ask another machine, complain, open a dialog.

    Attributes:
        hosts: All hosts that were asked for anything.
    """

    def __init__(self, page: "Page") -> None:
        self.hosts: set[str | None] = set()
        self._outside: list[str] = []
        self._complaints: list[str] = []
        self._expected: list[str] = []
        page.context.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))
        page.on("console", self._said)
        page.on("pageerror", lambda error: self._complaints.append(f"error: {error}"))
        page.on("dialog", self._asked_person)

    def expect(self, pattern: str) -> None:
        """Allow complaints that match `pattern`, until the next `take`."""
        self._expected.append(pattern)

    def take(self) -> list[str]:
        """Give what went wrong since the last time, and forget it."""
        allowed = [pattern for pattern, _ in _ALLOWED] + self._expected
        found = [f"asked another machine: {url}" for url in self._outside]
        found += [c for c in self._complaints if not _matches(c, allowed)]
        self._outside.clear()
        self._complaints.clear()
        self._expected.clear()
        return found

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in _LOCAL_SCHEMES:
            return
        self.hosts.add(parts.hostname)
        if parts.hostname != "127.0.0.1":
            self._outside.append(url)

    def _said(self, message: "ConsoleMessage") -> None:
        if message.type in ("error", "assert"):
            place: dict[str, Any] = dict(message.location)
            self._complaints.append(f"console: {message.text} ({place.get('url', '')})")

    def _asked_person(self, dialog: "Dialog") -> None:
        self._complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def _matches(text: str, patterns: list[str]) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)
