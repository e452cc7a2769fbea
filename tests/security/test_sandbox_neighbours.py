"""Programs beside each other: none leaves anything to the next or is in its way."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.hosting import Session
from tests.security.campaign import code_tool, plant, private_machine

_LEAVE = {
    "python": """
import json, random
kept = ['left']
def run():
    random.seed(1)
    kept.append('more')
    seen = []
    for action in (lambda: setattr(json, 'left', 1), lambda: setattr(run, 'left', 1)):
        try:
            action()
        except Exception as error:
            seen.append(type(error).__name__)
    return [len(kept), random.random()]
""",
    "typescript": """
globalThis.left = "left";
Object.prototype.left = "left";
const kept = ["left"];
export default function () {
  kept.push("more");
  return [kept.length, ({}).left];
}
""",
}
_LOOK = {
    "python": """
import json, random
def run():
    return [getattr(json, 'left', None), random.random()]
""",
    "typescript": """
export default () => [globalThis.left ?? null, ({} as any).left ?? null];
""",
}
_BUSY = {
    "python": "def run():\n    while True:\n        pass\n",
    "typescript": "export default () => { while (true) {} };\n",
}
_LANGUAGES = pytest.mark.parametrize("language", ["python", "typescript"])


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with private_machine(tmp_path):
        opened = Session(tmp_path / "home")
        yield opened
        opened.close()


def put(
    session: Session, tool_id: str, language: str, source: str, **more: Any
) -> None:
    plant(session.host, code_tool(tool_id, language, source, **more), source)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110  # another process makes it true
            await asyncio.sleep(0.02)


def busy_children(others: set[psutil.Process]) -> list[psutil.Process]:
    """Give new ones that have computed for a while: only what runs for ever does."""
    found = []
    for child in children() - others:
        with suppress(psutil.Error):
            if child.cpu_times().user > 0.5:
                found.append(child)
    return found


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


@_LANGUAGES
def test_a_call_finds_nothing_of_the_call_before(
    session: Session, language: str
) -> None:
    put(session, "leaves", language, _LEAVE[language])
    put(session, "looks", language, _LOOK[language])
    first = session.call("leaves", {})
    assert first.ok, first.text
    assert session.call("leaves", {}).data[0] == first.data[0] == 2
    seen = [session.call("looks", {}).data for _ in range(3)]
    assert {found[0] for found in seen} == {None}
    if language == "python":  # it is not the number that the seed gives
        assert len({found[1] for found in seen} | {first.data[1]}) == 4
    else:
        assert {found[1] for found in seen} == {None}


@_LANGUAGES
def test_a_call_that_is_cancelled_leaves_no_program(
    session: Session, language: str
) -> None:
    put(session, "busy", language, _BUSY[language])
    put(session, "good", language, _LOOK[language])

    others = children()  # other tests of this process may have left some

    async def cancel() -> None:
        call = asyncio.ensure_future(session.host.call("busy", {}))
        await until(lambda: bool(busy_children(others)))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: not busy_children(others))

    session.run(cancel())
    assert session.call("good", {}).ok
    assert session.statuses()[0] == ("cancelled", "CANCELLED")


@_LANGUAGES
def test_programs_that_wait_for_programs_do_not_wait_for_ever(
    session: Session, language: str
) -> None:
    calling = {
        "python": "async def run():\n    return await call_tool('below', {})\n",
        "typescript": "export default (_, sdk) => sdk.tools.call('below', {});\n",
    }
    put(session, "below", language, _LOOK[language])
    put(session, "above", language, calling[language], tools=("below",))

    async def crowd() -> list[Any]:
        return await asyncio.gather(
            *(session.host.call("above", {}) for _ in range(24))
        )

    results = session.run(crowd())
    assert [r.error_code for r in results] == [None] * 24
