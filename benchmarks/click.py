"""A click on a card in a real browser, until the cell that waits for it goes on."""

import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Figure, in_time

if TYPE_CHECKING:
    from tests.browser.desk import Desk

__all__ = ["run"]

_MOST_MS = 300
_ROUNDS = 20
_ASKING = """%spark call custom_note --input '{"text": "click"}'
import time; print(f"went on at {time.time()!r}")
"""
# Both clocks are this machine's.
_NOTE_CLICKS = """() => addEventListener("click", () => {
  window.clickedAt = (performance.timeOrigin + performance.now()) / 1000;
}, true)"""


def run() -> list[Figure]:
    """Measure; half a minute. Nothing where there is no browser."""
    from tests.browser.browsing import CHROMIUM

    if not Path(CHROMIUM).exists():
        print(f"no {CHROMIUM}: .ci/setup installs it", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        times = _measure(Path(folder))
    median = statistics.median(times) * 1000
    return [
        Figure(
            id="click",
            work="a click on Approve, until the waiting cell has its result",
            against="-",
            unit="ms",
            ours=median,
            goal=f"< {_MOST_MS} ms",
            met=median < _MOST_MS,
        )
    ]


def _measure(folder: Path) -> list[float]:
    from sparknb.examples import serve_examples
    from tests.browser.browsing import BrowserThread
    from tests.browser.desk import Desk
    from tests.browser.lab_server import LabServer
    from tests.browser.shop import open_shop

    (folder / "chromium").mkdir()
    with serve_examples() as service:
        server = LabServer(folder / "lab")
        browser = BrowserThread(folder / "chromium")
        try:
            open_shop(server.sparknb, service)
            desk = Desk(server, browser)
            return browser.call(lambda: _click(desk))
        finally:
            browser.close()
            server.close()


def _click(desk: "Desk") -> list[float]:
    """Give the seconds of each click; the first ones warm everything up."""
    from tests.browser.shop import LOAD, asked, button

    notebook = desk.open([LOAD, _ASKING])
    desk.page.evaluate(_NOTE_CLICKS)
    notebook.run(0)
    times: list[float] = []
    for _ in in_time(_ROUNDS + 2):
        notebook.start(1)
        button(asked(notebook, 1), "Approve").click()
        notebook.wait(1)
        went_on = float(notebook.text(1).rpartition("went on at ")[2])
        times.append(went_on - float(desk.page.evaluate("() => window.clickedAt")))
    return times[2:]
