"""What every sandbox does when it attacks itself, whatever its language."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sparknb.core.errors import DeniedError, SparknbError
from sparknb.core.protocols import Proof, RunOutcome

__all__ = [
    "LONGEST_ATTEMPT",
    "NoTools",
    "proven",
    "refused",
    "said",
    "started",
    "stopped",
]

LONGEST_ATTEMPT = 35.0
"""Seconds for all attacks of one sandbox, on a machine that is very busy."""

_ATTEMPTS = (20.0, LONGEST_ATTEMPT)  # the host waits a little longer than for both
_FIRST = "run a program and nothing else"


class NoTools:
    """No tool may be called."""

    async def call(self, tool_id: Any, arguments: Any) -> Any:
        """See `core.protocols.NestedTools`."""
        del tool_id, arguments
        raise DeniedError("nothing may be called here")


async def proven(attempt: Callable[[list[Proof]], Awaitable[None]]) -> list[Proof]:
    """Give what came of all attacks; where only time was short, of a second attempt.

    A busy machine is no wall that fell. One that fell is told without a second try.

    Args:
        attempt: Makes the attacks and puts into the list what came of them.
    """
    found: list[Proof] = []
    for seconds in _ATTEMPTS:
        found = []
        try:
            async with asyncio.timeout(seconds):
                await attempt(found)
        except TimeoutError:
            found.append(_too_slow(seconds, is_begun=bool(found)))
            if all(proof.held for proof in found[:-1]):
                continue
        break
    return found


async def started(run: Awaitable[RunOutcome]) -> Proof:
    """Give what came of a program that returns `[42]` and does nothing else."""
    try:
        outcome = await run
    except SparknbError as error:
        return Proof(attack=_FIRST, held=False, detail=said(error))
    held = outcome.data == [42]
    return Proof(attack=_FIRST, held=held, detail="it ran" if held else outcome.text)


async def refused(
    attack: str, run: Awaitable[RunOutcome], reason: str, sign: str | None = None
) -> Proof:
    """Give what came of a program that has to fail.

    Args:
        attack: What it tries.
        run: The run of it.
        reason: Stands in the message of the failure.
        sign: Stands in no message: it would have been read from where it must not.
    """
    try:
        outcome = await run
    except SparknbError as error:
        held = reason in error.message and (sign is None or sign not in error.message)
        return Proof(attack=attack, held=held, detail=said(error))
    detail = f"it succeeded: {outcome.text[:80]!r}"
    return Proof(attack=attack, held=False, detail=detail)


async def stopped(run: Awaitable[RunOutcome], seconds: float) -> Proof:
    """Give what came of a program without an end, which is stopped after `seconds`."""
    attack = "run without end"
    try:
        async with asyncio.timeout(seconds):
            await run
    except TimeoutError:
        return Proof(attack=attack, held=True, detail="it was stopped")
    except SparknbError as error:
        return Proof(attack=attack, held=False, detail=said(error))
    return Proof(attack=attack, held=False, detail="it ended by itself")


def _too_slow(seconds: float, *, is_begun: bool) -> Proof:
    """Give that the attacks did not come to their end, or not even to their start."""
    if not is_begun:
        detail = f"it gave no result within {seconds:.0f} seconds"
        return Proof(attack=_FIRST, held=False, detail=detail)
    detail = f"the attacks took more than {seconds:.0f} seconds"
    return Proof(attack="end in time", held=False, detail=detail)


def said(error: SparknbError) -> str:
    """Give a failure in one line, with what to do about it."""
    return error.message if error.hint is None else f"{error.message}; {error.hint}"
