"""The runtime of TypeScript tools (ST-37, ST-38, ST-41 to ST-43)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparknb.core.definitions import SOURCE_PATH, CodeSpec, ToolDefinition
from sparknb.core.errors import ExecutionFailedError, InvalidInputError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Preview, Proof
from sparknb.runtimes.deno.call import DenoCall
from sparknb.runtimes.deno.proofs import proofs
from sparknb.runtimes.deno.reader import SourceReader
from sparknb.runtimes.turns import Turns, processors

__all__ = ["DenoRuntime"]

_PER_PROCESSOR = 2  # programs at once; more would only wait for each other
_LARGEST = 2**53 - 1


class DenoRuntime:
    """See `core.protocols.Runtime`; belongs to one event loop.

    Args:
        binary: The program of Deno; None for the installed one.
        at_once: Programs that run at the same time, not counting nested ones; None
            for two for each processor.
    """

    def __init__(
        self, *, binary: Path | None = None, at_once: int | None = None
    ) -> None:
        self._binary = binary
        self._turns = Turns(at_once or _PER_PROCESSOR * processors())
        self._reader = SourceReader(binary)

    def prepare(
        self, definition: ToolDefinition, arguments: Mapping[str, Any]
    ) -> DenoCall:
        """See `Runtime`.

        Raises:
            InvalidInputError: A number that JavaScript cannot hold.
        """
        spec = _spec(definition)
        problems = list(_numbers(arguments, "input"))
        if problems:
            first = problems[0]
            raise InvalidInputError(
                first.message, path=first.path, hint=first.hint, problems=problems
            )
        return DenoCall(
            spec=spec,
            arguments=dict(arguments),
            reader=self._reader,
            turns=self._turns,
            seconds=definition.timeout_ms / 1000,
            binary=self._binary,
            preview=Preview(dependencies=spec.tool_ids),
        )

    async def check(self, definition: ToolDefinition) -> Sequence[Problem]:
        """See `Runtime`."""
        try:
            reading = await self._reader.read(_spec(definition).source)
        except ExecutionFailedError as error:
            return (
                Problem(
                    code="CHECK_SKIPPED",
                    message=f"the source was not checked: {error.message}",
                    path=SOURCE_PATH,
                    hint=error.hint,
                    level="warning",
                ),
            )
        return reading.problems

    async def prove(self) -> Sequence[Proof]:
        """See `Runtime`."""
        return await proofs(self._reader, self._turns, self._binary)

    async def close(self) -> None:
        """See `Runtime`."""
        await self._reader.close()


def _spec(definition: ToolDefinition) -> CodeSpec:
    spec = definition.spec
    if not isinstance(spec, CodeSpec):
        raise TypeError("only code tools run here")
    return spec


def _numbers(value: Any, path: str) -> Iterator[Problem]:
    """Yield the numbers that would be another number there (ST-42)."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _numbers(each, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for position, each in enumerate(value):
            yield from _numbers(each, f"{path}.{position}")
    elif isinstance(value, int) and abs(value) > _LARGEST:
        yield Problem(
            code="INVALID_INPUT",
            message="TypeScript holds no integer beyond ±(2^53 - 1)",
            path=path,
            hint="give a smaller number, or make the parameter a string",
        )
    elif isinstance(value, float) and not math.isfinite(value):
        message = "must be a finite number"
        yield Problem(code="INVALID_INPUT", message=message, path=path)
