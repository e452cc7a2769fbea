"""How displays look in a browser: contrast, width, nothing from elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sparknb.displays import to_html
from tests.chromium import open_chromium
from tests.displays.gallery import VIEWS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe is not installed"
)

# the colours of JupyterLab, of VS Code, and of a page that names none
THEMES = {
    "light": (
        "body{background:#fff;color:rgba(0,0,0,.87)}"
        ":root{--jp-content-font-color2:rgba(0,0,0,.54);--jp-border-color2:#e0e0e0}"
    ),
    "dark": (
        "body{background:#111;color:#fff}"
        ":root{--jp-content-font-color2:rgba(255,255,255,.7);--jp-border-color2:#616161}"
    ),
    "vscode": (
        "body{background:#1f1f1f;color:#ccc}"
        ":root{--vscode-descriptionForeground:#9d9d9d;--vscode-panel-border:#2b2b2b}"
    ),
    "bare": "body{background:#fff;color:#1f2328}",
}


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with open_chromium() as opened:
        yield opened


def page_of(theme: str) -> str:
    body = "".join(f"<section>{to_html(view)}</section>" for view in VIEWS.values())
    style = f"<style>{THEMES[theme]} section{{margin-bottom:2em}}</style>"
    head = f'<meta charset="utf-8"><title>Displays</title>{style}'
    return f'<!doctype html><html lang="en">{head}<main><h1>All</h1>{body}</main>'


@pytest.mark.parametrize("theme", THEMES)
def test_every_view_is_readable_in_every_theme(
    browser: "Browser", theme: str, tmp_path: Path
) -> None:
    asked: list[str] = []
    page = browser.new_page(viewport={"width": 860, "height": 1000})
    try:
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: asked.append(dialog.message))
        page.set_content(page_of(theme))
        page.screenshot(path=tmp_path / f"{theme}.png", full_page=True)
        found = axe.Axe().run(page).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []
        assert asked == []
    finally:
        page.close()


@pytest.mark.parametrize("width", [860, 420])
def test_nothing_stands_out_at_the_side(browser: "Browser", width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 1000})
    try:
        page.set_content(page_of("light"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        page.close()
