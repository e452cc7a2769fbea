"""The runtimes of a host: found by what a tool is, and trusted once they proved it.

A sandbox attacks itself once in each process, before it is used there the first time.
One whose walls did not hold is switched off for as long as the process lives.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparknb.core.definitions import SOURCE_PATH, CodeSpec, ToolDefinition
from sparknb.core.errors import ExecutionFailedError, SparknbError, UnsupportedError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Proof, Runtime, RuntimeKind
from sparknb.core.validation.python_source import source_problems

__all__ = ["Runtimes", "kind_of"]

_log = logging.getLogger("sparknb.host")

_PROOF_SECONDS = 60.0
_KEPT_CHECKS = 512
_DOCTOR = "sparknb doctor shows what was tried and what came of it"
_IS_PYTHON = 'this is Python: say "language": "python" in spec.runtime'


class Runtimes:
    """Gives the runtime of each tool, and keeps the unsafe ones away from them.

    Belongs to the event loop of its host.
    """

    def __init__(self, by_kind: Mapping[RuntimeKind, Runtime]) -> None:
        self._by_kind = by_kind
        self._proving: dict[RuntimeKind, asyncio.Task[Sequence[Proof]]] = {}
        self._sound: set[RuntimeKind] = set()
        self._checked: OrderedDict[str, Sequence[Problem]] = OrderedDict()

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of tools that run here: types, and languages of code."""
        return tuple(self._by_kind)

    def of(self, definition: ToolDefinition) -> Runtime:
        """Give the runtime for a tool: by its type, for code by its language.

        Raises:
            UnsupportedError: There is none.
        """
        kind = kind_of(definition)
        found = self._by_kind.get(kind)
        if found is None:
            is_code = definition.type == "code"
            what = f"code tools in {kind}" if is_code else f"{kind} tools"
            path = "spec.runtime.language" if is_code else "type"
            raise UnsupportedError(
                f"nothing here runs {what}",
                path=path,
                hint=f"what runs: {', '.join(self._by_kind)}",
            )
        return found

    def can_run(self, definition: ToolDefinition) -> bool:
        """Say whether a tool can run here, as far as is known: nothing is tried."""
        kind = kind_of(definition)
        if kind not in self._by_kind:
            return False
        task = self._proving.get(kind)
        if task is None or not task.done():
            return True
        return not _is_void(task) and _refusal(kind, task.result()) is None

    async def require_sound(self, definition: ToolDefinition) -> None:
        """Let a tool run only where the walls around it hold.

        Raises:
            ExecutionFailedError: The sandbox is missing, or did not hold.
            UnsupportedError: There is no runtime for it.
        """
        kind = kind_of(definition)
        if kind in self._sound:
            return
        self.of(definition)
        refusal = _refusal(kind, await self.proofs(kind))
        if refusal is not None:
            raise refusal
        self._sound.add(kind)

    async def check(self, definition: ToolDefinition) -> Sequence[Problem]:
        """Give what only the runtime can see in a valid definition.

        Of code that cannot be looked at here, the one warning `CHECK_SKIPPED`.
        """
        if not isinstance(definition.spec, CodeSpec):
            runtime = self._by_kind.get(kind_of(definition))
            return () if runtime is None else await runtime.check(definition)
        known = self._checked.get(definition.digest)
        if known is not None:
            self._checked.move_to_end(definition.digest)
            return known
        try:
            await self.require_sound(definition)
            seen = await self.of(definition).check(definition)
            found = tuple(_told(problem, definition) for problem in seen)
        except (ExecutionFailedError, UnsupportedError) as error:
            return (_skipped(error),)
        if not any(problem.code == "CHECK_SKIPPED" for problem in found):
            self._checked[definition.digest] = found
            if len(self._checked) > _KEPT_CHECKS:
                self._checked.popitem(last=False)
        return found

    async def proofs(self, kind: RuntimeKind) -> Sequence[Proof]:
        """Give what came of the attacks of a sandbox on itself; tried once.

        An attempt that could not be made is made again the next time.

        Raises:
            ExecutionFailedError: The sandbox is missing or does not start.
        """
        task = self._proving.get(kind)
        if task is None or (task.done() and _is_void(task)):
            task = asyncio.get_running_loop().create_task(self._prove(kind))
            self._proving[kind] = task
        # Who waits may be stopped; the others go on waiting.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End attempts, connections and processes."""
        proving = [task for task in self._proving.values() if not task.done()]
        for task in proving:
            task.cancel()
        if proving:
            await asyncio.wait(proving)
        for runtime in self._by_kind.values():
            await runtime.close()

    async def _prove(self, kind: RuntimeKind) -> Sequence[Proof]:
        try:
            async with asyncio.timeout(_PROOF_SECONDS):
                found = tuple(await self._by_kind[kind].prove())
        except SparknbError:
            raise
        except Exception as error:
            _log.warning("the %s sandbox could not be tried out: %r", kind, error)
            raise ExecutionFailedError(
                f"the {kind} sandbox could not be tried out: {type(error).__name__}",
                hint=_DOCTOR,
            ) from error
        if len(found) == 1 and not found[0].held:  # it did not even start
            detail = found[0].detail or f"the {kind} sandbox does not start"
            raise ExecutionFailedError(detail, hint=_DOCTOR)
        return found


def kind_of(definition: ToolDefinition) -> RuntimeKind:
    """Give what kind of runtime a tool needs."""
    spec = definition.spec
    if isinstance(spec, CodeSpec):
        return spec.language
    return "http" if definition.type == "http" else "provider-vision"


def _is_void(task: asyncio.Task[Sequence[Proof]]) -> bool:
    """Say whether an attempt came to nothing."""
    return task.cancelled() or task.exception() is not None


def _refusal(kind: RuntimeKind, proofs: Sequence[Proof]) -> ExecutionFailedError | None:
    """Give why a sandbox is switched off, if it is."""
    failed = next((proof for proof in proofs if not proof.held), None)
    if failed is None:
        return None
    detail = f" ({failed.detail})" if failed.detail else ""
    return ExecutionFailedError(
        f"code tools in {kind} are switched off, since the sandbox did not hold: "
        f"{failed.attack}{detail}",
        hint=_DOCTOR,
    )


def _told(problem: Problem, definition: ToolDefinition) -> Problem:
    """Tell who left the language out why a parser cannot read the program.

    Without a word about its language a program is TypeScript.
    """
    spec = definition.spec
    if problem.code != "CODE_SYNTAX" or not isinstance(spec, CodeSpec):
        return problem
    if spec.language != "typescript":
        return problem
    as_python = source_problems(spec.source, definition.input_schema)
    if any(found.code == "CODE_SYNTAX" for found in as_python):
        return problem
    return replace(problem, hint=_IS_PYTHON)


def _skipped(error: SparknbError) -> Problem:
    return Problem(
        code="CHECK_SKIPPED",
        message=f"the source was not checked: {error.message}",
        path=SOURCE_PATH,
        hint=error.hint or "the draft can be kept, but not published",
        level="warning",
    )
