"""Sandboxes that attack themselves on a machine that has little time for it."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from sparknb.core.protocols import Proof, Runtime
from sparknb.runtimes import proving
from sparknb.runtimes.deno import DenoRuntime
from sparknb.runtimes.deno import reader as parsing
from sparknb.runtimes.deno.reader import Reading, SourceReader
from sparknb.runtimes.monty import MontyRuntime

_HELD = Proof(attack="held", held=True)
_FELL = Proof(attack="fell", held=False)


def _proofs(make: Callable[[], Runtime]) -> Sequence[Proof]:
    async def main() -> Sequence[Proof]:
        runtime = make()
        try:
            async with asyncio.timeout(60):
                return await runtime.prove()
        finally:
            await runtime.close()

    return asyncio.run(main())


@pytest.mark.parametrize("make", [DenoRuntime, MontyRuntime])
def test_a_sandbox_that_was_only_slow_is_tried_once_more(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], Runtime]
) -> None:
    monkeypatch.setattr(proving, "_ATTEMPTS", (0.0, 40.0))
    found = _proofs(make)
    assert len(found) > 10
    assert [proof for proof in found if not proof.held] == []


def test_a_parser_that_was_only_slow_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late: list[bool] = []
    read = SourceReader.read

    async def hurried_once(self: SourceReader, source: str) -> Reading:
        monkeypatch.setattr(parsing, "_PARSE_SECONDS", 30.0 if late else 0.0)
        reading = await read(self, source)
        late.append(reading.is_late)
        return reading

    monkeypatch.setattr(SourceReader, "read", hurried_once)
    assert [proof for proof in _proofs(DenoRuntime) if not proof.held] == []
    assert late == [True, False]


@pytest.mark.parametrize(
    ("begins_with", "attempts", "told"),
    [
        ([], 2, ["run a program and nothing else"]),
        ([_HELD], 2, ["held", "end in time"]),
        ([_HELD, _FELL], 1, ["held", "fell", "end in time"]),
    ],
)
def test_what_is_slow_twice_did_not_hold_and_what_fell_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
    begins_with: list[Proof],
    attempts: int,
    told: list[str],
) -> None:
    monkeypatch.setattr(proving, "_ATTEMPTS", (0.0, 0.0))
    made = 0

    async def attempt(found: list[Proof]) -> None:
        nonlocal made
        made += 1
        found.extend(begins_with)
        await asyncio.Event().wait()

    found = asyncio.run(proving.proven(attempt))
    assert [proof.attack for proof in found] == told
    assert not found[-1].held
    assert made == attempts


def test_a_wall_that_fell_is_not_tried_again() -> None:
    made = 0

    async def attempt(found: list[Proof]) -> None:
        nonlocal made
        made += 1
        found.append(_FELL)

    assert asyncio.run(proving.proven(attempt)) == [_FELL]
    assert made == 1
