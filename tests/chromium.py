"""The Chromium that tests drive: where it is, and how it is started."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["open_chromium"]

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


@contextmanager
def open_chromium() -> Iterator["Browser"]:
    """Give a running browser; skip the test where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    if _CHROMIUM is None:
        pytest.skip("there is no chromium here: apt-get install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=_CHROMIUM, args=list(_FLAGS))
        yield browser
        browser.close()
