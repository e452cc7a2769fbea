"""The runtime of Python tools (ST-39 to ST-43)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.problems import Problem
from sparknb.core.protocols import Preview, Proof
from sparknb.core.validation.python_source import source_problems
from sparknb.runtimes.monty.call import MontyCall, arguments_for
from sparknb.runtimes.monty.check import checked
from sparknb.runtimes.monty.proofs import proofs
from sparknb.runtimes.monty.workers import Workers
from sparknb.runtimes.turns import Turns, processors

if TYPE_CHECKING:
    from sparknb.runtimes.monty.names import Name

__all__ = ["MontyRuntime"]

_PER_PROCESSOR = 2  # programs at once; more would only wait for each other
_REMEMBERED = 256  # sources that were read
_MOST_NAMES = 4096  # of modules, that the interpreter was asked for


class MontyRuntime:
    """See `core.protocols.Runtime`; belongs to one event loop.

    Args:
        binary: The program of the sandbox; None for the installed one.
        at_once: Programs that run at the same time, not counting nested ones; None
            for two for each processor.
    """

    def __init__(
        self, *, binary: Path | None = None, at_once: int | None = None
    ) -> None:
        most = at_once or _PER_PROCESSOR * processors()
        self._turns = Turns(most)
        self._workers = Workers(binary, most)
        self._checkers = Workers(binary, 1)  # the type check keeps much memory
        self._names: dict[Name, bool] = {}  # what the modules have
        self._read: dict[tuple[str, str], Problem | None] = {}

    def prepare(
        self, definition: ToolDefinition, arguments: Mapping[str, Any]
    ) -> MontyCall:
        """See `Runtime`."""
        spec = _spec(definition)
        return MontyCall(
            spec=spec,
            seconds=definition.timeout_ms / 1000,
            arguments=arguments_for(definition, arguments),
            flaw=self._flaw(definition, spec),
            workers=self._workers,
            turns=self._turns,
            preview=Preview(dependencies=spec.tool_ids),
        )

    async def check(self, definition: ToolDefinition) -> Sequence[Problem]:
        """See `Runtime`."""
        spec = _spec(definition)
        if self._flaw(definition, spec) is not None:
            return ()  # what the rules of the text say comes first
        if len(self._names) >= _MOST_NAMES:
            self._names.clear()
        return await checked(spec.source, self._checkers, self._names)

    async def prove(self) -> Sequence[Proof]:
        """See `Runtime`."""
        return await proofs(self._workers, self._turns)

    async def close(self) -> None:
        """See `Runtime`."""
        await self._workers.close()
        await self._checkers.close()

    def _flaw(self, definition: ToolDefinition, spec: CodeSpec) -> Problem | None:
        """Give the first rule that the source breaks; read once for each source."""
        key = (definition.digest, spec.source)
        if key not in self._read:
            if len(self._read) >= _REMEMBERED:
                self._read.clear()
            problems = source_problems(spec.source, definition.input_schema)
            self._read[key] = problems[0] if problems else None
        return self._read[key]


def _spec(definition: ToolDefinition) -> CodeSpec:
    spec = definition.spec
    if not isinstance(spec, CodeSpec):
        raise TypeError("only code tools run here")
    return spec
