"""The real browser: one JupyterLab and one Chromium for all tests of a worker."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparknb.examples import ExampleService
from tests.browser.browsing import CHROMIUM, BrowserThread
from tests.browser.desk import Desk
from tests.browser.lab_server import LabServer
from tests.browser.shop import open_shop

_HERE = Path(__file__).parent


def _missing() -> str | None:
    for module, package in (
        ("playwright", "playwright"),
        ("axe_playwright_python", "axe-playwright-python"),
    ):
        if importlib.util.find_spec(module) is None:
            return f"no browser tests without {package}: pip install '.[test,browser]'"
    if not Path(CHROMIUM).exists():
        return f"no browser tests without {CHROMIUM}: .ci/setup installs it"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    why = _missing()
    for item in items:
        if why is not None and item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that uses the desk in the browser's thread, and judge the page."""
    if "desk" not in pyfuncitem.fixturenames:
        return None
    thread, desk = (pyfuncitem.funcargs[name] for name in ("browser_thread", "desk"))
    assert isinstance(thread, BrowserThread)
    assert isinstance(desk, Desk)
    names = pyfuncitem._fixtureinfo.argnames
    given = {name: pyfuncitem.funcargs[name] for name in names}
    try:
        thread.call(lambda: pyfuncitem.obj(**given))
        wrong = thread.call(desk.clear)
    except BaseException:
        thread.call(lambda: _give_up(desk, pyfuncitem.name))
        raise
    assert not wrong, "\n".join(["the page misbehaved:", *wrong])
    return True


def _give_up(desk: Desk, name: str) -> None:
    """Keep a picture of what was there, and begin afresh."""
    try:
        desk.picture(desk.page, f"failed-{name}")
    finally:
        desk.leave()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """Give the worker's JupyterLab server."""
    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def browser_thread(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[BrowserThread]:
    """Give the worker's browser."""
    thread = BrowserThread(tmp_path_factory.mktemp("chromium"))
    yield thread
    thread.close()


@pytest.fixture(scope="session")
def desk(lab: LabServer, browser_thread: BrowserThread) -> Iterator[Desk]:
    """Give the page of JupyterLab."""
    desk = Desk(lab, browser_thread)
    yield desk
    browser_thread.call(desk.leave, longest=30)


@pytest.fixture(scope="session")
def shop(lab: LabServer, example_service: ExampleService) -> ExampleService:
    """Publish some tools in the home of the kernels; give the service they call."""
    open_shop(lab.sparknb, example_service)
    return example_service


@pytest.fixture
def service(shop: ExampleService) -> ExampleService:
    """Give the service that the tools call; it has seen no request yet."""
    shop.forget()
    return shop
