"""The one page of JupyterLab that tests share: notebooks come and go in it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tests.browser.browsing import WINDOW, BrowserThread, Watch
from tests.browser.lab_server import LabServer
from tests.browser.limits import LONGEST_START
from tests.browser.notebook_page import NotebookPage, write_notebook

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

__all__ = ["OWN_KERNEL", "THEMES", "Desk", "Theme"]

_ARTEFACTS = Path(__file__).parents[2] / "test-artefacts" / "browser"
OWN_KERNEL = "python3"
"""Kind of a kernel that a notebook does not share."""

_DRIVER = Path(__file__).with_name("driver.js")
_SERIOUS = ("serious", "critical")

# JupyterLab's body has no height, and axe takes what is outside of it for hidden.
_RUN_AXE = """async (elements) => {
  document.body.style.height = "100vh";
  try {
    return await axe.run({ include: elements });
  } finally {
    document.body.style.height = "";
  }
}"""

_EVERYTHING = """() => [
  document.documentElement.outerHTML,
  ...[...document.querySelectorAll("input, textarea")].map((field) => field.value),
  JSON.stringify({ ...localStorage }),
  JSON.stringify({ ...sessionStorage }),
].join("\\n")"""

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")


class Desk:
    """JupyterLab in a browser. Everything here is called in the browser's thread."""

    def __init__(self, server: LabServer, thread: BrowserThread) -> None:
        self.server = server
        self._thread = thread
        self._open: list[NotebookPage] = []
        self._kernel: str | None = None
        self._count = 0
        self._page: Page | None = None
        self._watch: Watch | None = None

    @property
    def page(self) -> "Page":
        """The page, opened at first use."""
        if self._page is None:
            self._page = self._thread.new_page()
            self._watch = Watch(self._page)
            self._page.add_init_script(path=_DRIVER)
            address = f"{self.server.url}/lab?token={self.server.token}&reset"
            self._page.goto(
                address, wait_until="domcontentloaded", timeout=LONGEST_START * 1000
            )
            self._page.evaluate("() => sparkTest.started()")
        return self._page

    @property
    def watch(self) -> Watch:
        """What is noted about the page."""
        _ = self.page
        assert self._watch is not None
        return self._watch

    def open(self, cells: Sequence[str], *, kernel: str | None = None) -> NotebookPage:
        """Write a notebook with these code cells and open it.

        Args:
            cells: What stands in them.
            kernel: Kind of the kernel that is started for it; None takes the one
                that waits for the next test, with all that others left in it.
        """
        self._count += 1
        file = self.server.notebooks / f"notebook-{self._count}.ipynb"
        write_notebook(file, cells)
        return self.open_file(file, kernel=kernel)

    def open_file(self, file: Path, *, kernel: str | None = None) -> NotebookPage:
        """Open a notebook that lies in the server's folder."""
        if kernel is None and self._kernel is not None:
            notebook = NotebookPage(self.page, file, {"id": self._kernel})
        else:
            notebook = NotebookPage(self.page, file, {"name": kernel or OWN_KERNEL})
        if kernel is None:
            self._kernel = notebook.kernel_id
        self._open.append(notebook)
        return notebook

    def everything_on_the_page(self) -> str:
        """Give all that the page holds: elements, values of fields, storage."""
        return str(self.page.evaluate(_EVERYTHING))

    @property
    def profile(self) -> Path:
        """Where the browser keeps its files."""
        return self._thread.folder

    def clear(self) -> list[str]:
        """Close all notebooks; give what went wrong on the page since the last time."""
        if self._page is None:
            return []
        for notebook in self._open:
            is_shared = notebook.kernel_id == self._kernel
            if not notebook.close(keeps_kernel=is_shared) and is_shared:
                self._kernel = None
        self._open.clear()
        return self.watch.take()

    def leave(self) -> None:
        """Give the page up; the next use opens a fresh one."""
        page, self._page, self._watch = self._page, None, None
        self._open.clear()
        self._kernel = None
        if page is not None:
            page.context.close()
            self.server.end_kernels()

    # -------------------------------------------------------------------- looking
    @contextmanager
    def theme(self, theme: Theme) -> Iterator[None]:
        """Show all in a theme, within the block."""
        self._set_theme(theme)
        try:
            yield
        finally:
            self._set_theme("light")

    def picture(self, where: "Locator | Page", name: str) -> Path:
        """Take a screenshot and give its file; it is an artefact, never compared."""
        _ARTEFACTS.mkdir(parents=True, exist_ok=True)
        file = _ARTEFACTS / f"{name}.png"
        where.screenshot(path=file, animations="disabled")
        return file

    def pictures(self, where: "Locator", name: str) -> None:
        """Take a screenshot in each theme."""
        with self.room(where):
            for theme in THEMES:
                with self.theme(theme):
                    self.picture(where, f"{name}-{theme}")

    @contextmanager
    def room(self, where: "Locator") -> Iterator[None]:
        """Make the window so high that all of an element is in sight."""
        height = int(where.evaluate("e => e.getBoundingClientRect().height"))
        self.page.set_viewport_size({**WINDOW, "height": height + WINDOW["height"]})
        try:
            where.scroll_into_view_if_needed()
            yield
        finally:
            self.page.set_viewport_size(WINDOW)

    def violations(self, where: "Locator") -> list[str]:
        """Give the serious findings of axe in elements, one line each.

        It sees only what is in sight: see `room`.
        """
        if not self.page.evaluate("() => 'axe' in window"):
            script = files("axe_playwright_python").joinpath("axe.min.js")
            self.page.evaluate(script.read_text("utf-8"))
        found: dict[str, Any] = where.evaluate_all(_RUN_AXE)
        assert found["passes"], "axe looked at nothing: is the element in sight?"
        return [
            f"{rule['id']} ({rule['impact']}): {rule['help']}: {_nodes(rule)}"
            for rule in found["violations"]
            if rule["impact"] in _SERIOUS
        ]

    def _set_theme(self, theme: Theme) -> None:
        self.page.evaluate(
            "name => sparkTest.theme(name)", f"JupyterLab {theme.capitalize()}"
        )
        is_light = "true" if theme == "light" else "false"
        self.page.locator(f"body[data-jp-theme-light={is_light}]").wait_for(
            state="attached"
        )


def _nodes(rule: dict[str, Any]) -> str:
    return "; ".join(re.sub(r"\s+", " ", node["html"])[:200] for node in rule["nodes"])
