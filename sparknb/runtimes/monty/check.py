"""What only the interpreter sees in a source: types, and syntax that it lacks.

The source is fed behind a call of a function that nobody answers, so the sandbox
reads and checks all of it and runs nothing.
"""

import ast
import asyncio
import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from sparknb.core.definitions import SOURCE_PATH
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.problems import Problem
from sparknb.core.validation.python_source import further_problems
from sparknb.core.wording import show
from sparknb.runtimes.monty.hints import METHOD_DECORATORS, syntax_hint, type_hint
from sparknb.runtimes.monty.lacks import lacking, lines_of_decorated
from sparknb.runtimes.monty.names import Name, answers, lacking_names, names_used
from sparknb.runtimes.monty.workers import Lease, Workers, require_sandbox

__all__ = ["checked"]

_STOP = "sparknb_stop"
# The interpreter has these, and the checker would not know them.
_ALSO_THERE = (
    "filter", "format", "getattr", "hasattr", "map", "setattr", "FileExistsError",
    "FileNotFoundError", "ImportError", "IsADirectoryError", "ModuleNotFoundError",
    "NotADirectoryError", "PermissionError", "UnboundLocalError",
    "UnicodeDecodeError", "UnicodeEncodeError",
)  # fmt: skip
_STUBS = f"""\
from typing import Any
async def call_tool(tool_id: str, input: dict) -> Any: ...
def {_STOP}() -> None: ...
""" + "".join(f"{name}: Any\n" for name in _ALSO_THERE)
_LACKS = "The monty syntax parser does not yet support "
_SECONDS = 10.0
_MOST_MB = 1024  # of the process that checks
_MOST = 50  # problems of one source
_LONGEST = 300  # characters of a message
_ERRORS = frozenset({"major", "critical", "blocker"})  # not what only advises
_MOST_KNOWN = 10_000  # names of modules that are remembered
_MOST_STEPS = 32  # questions of the checker before it comes to our call


async def checked(
    source: str, workers: Workers, known: MutableMapping[Name, bool]
) -> Sequence[Problem]:
    """Give the problems of a source that passed the rules of its text.

    Args:
        source: Python.
        workers: Those that check.
        known: Which names the interpreter's modules have; learns more of them.

    Returns:
        `CODE_SYNTAX`, `CODE_IMPORT` and `CODE_TYPES` by line, or one warning
        `CHECK_SKIPPED` where the check could not be made.
    """
    from_types: list[Problem] = []
    try:
        async with asyncio.timeout(_SECONDS):
            syntax = await _fed(source, workers, skip_type_check=True)
            from_types = await _fed(source, workers, skip_type_check=False)
            syntax += further_problems(source, lacking)
            names = await _of_names(source, workers, known)
    except TimeoutError:
        return [_skipped(f"the type check took more than {_SECONDS:.0f} seconds")]
    except ExecutionFailedError as error:
        return [_skipped(error.message, error.hint)]
    if any(METHOD_DECORATORS in p.message for p in syntax):
        from_types = _beside_decorated(source, from_types)
    # what is no syntax may be told by both, in other words and at another column
    lines = {p.line for p in syntax}
    told = [p for p in from_types if p.code != "CODE_SYNTAX" or p.line not in lines]
    places = {(p.line, p.column) for p in told}  # names that Python lacks, too
    told += [p for p in names if (p.line, p.column) not in places]
    found = {(p.code, p.line, p.column): p for p in [*told, *syntax]}
    problems = sorted(found.values(), key=lambda p: (p.line or 0, p.column or 0))
    return problems[:_MOST]


async def _fed(
    source: str, workers: Workers, *, skip_type_check: bool
) -> list[Problem]:
    require_sandbox()
    from pydantic_monty import (
        MontyCrashedError,
        MontyError,
        MontyRuntimeError,
        MontySyntaxError,
        MontyTypingError,
    )

    try:
        async with workers.lease(
            _MOST_MB,
            type_check=True,
            type_check_stubs=_STUBS,
            type_check_format="gitlab",
        ) as lease:
            await workers.run(lease, _read, lease, source, skip_type_check)
    except MontyTypingError as error:
        return list(_from_types(error.display()))
    except (MontyRuntimeError, MontySyntaxError) as error:
        return [_from_interpreter(error)]
    except MontyCrashedError:
        raise ExecutionFailedError("the type check crashed on this source") from None
    except MontyError as error:
        name = type(error).__name__
        raise ExecutionFailedError(f"the type check failed with {name}") from None
    return []


async def _of_names(
    source: str, workers: Workers, known: MutableMapping[Name, bool]
) -> list[Problem]:
    from pydantic_monty import MontyError

    if len(known) > _MOST_KNOWN:
        known.clear()
    new: set[Name] = set()

    def learned(tree: ast.Module) -> tuple[()]:
        new.update(name for name, _ in names_used(tree) if name not in known)
        return ()

    further_problems(source, learned)
    if new:
        asked = sorted(new)
        try:
            async with workers.lease(_MOST_MB) as lease:
                known.update(await workers.run(lease, answers, lease, asked))
        except MontyError as error:
            name = type(error).__name__
            raise ExecutionFailedError(f"the check of names failed: {name}") from None
    return further_problems(source, lambda tree: lacking_names(tree, known))


def _beside_decorated(source: str, found: Sequence[Problem]) -> list[Problem]:
    """Leave out what only follows from decorators that mean nothing."""
    lines: set[int | None] = set()

    def seen(tree: ast.Module) -> tuple[()]:
        lines.update(lines_of_decorated(tree))
        return ()

    further_problems(source, seen)
    return [p for p in found if p.line not in lines]


def _read(lease: Lease, source: str, skip_type_check: bool) -> None:  # noqa: FBT001  # a thread takes arguments by position
    """Feed the source; ends where it would begin to run."""
    session = lease.enter()
    try:
        fed = f"{_STOP}()\n{source}\n"
        step: Any = session.feed_start(fed, skip_type_check=skip_type_check)
        for _ in range(_MOST_STEPS):
            if not getattr(step, "is_os_function", False):
                return
            step = step.resume_not_handled()
    finally:
        lease.leave()


def _from_interpreter(error: Any) -> Problem:
    frames = error.traceback()
    line, column = (frames[-1].line - 1, frames[-1].column) if frames else (1, 1)
    said = error.display("msg")
    message, hint = f"the interpreter refuses it: {said}", None
    if said.startswith(_LACKS):
        lacking = said.removeprefix(_LACKS)
        message = f"the interpreter does not support {lacking.replace(chr(39), '`')}"
        hint = syntax_hint(lacking)
    return _problem("CODE_SYNTAX", message, line, column, hint)


def _from_types(report: str) -> Iterator[Problem]:
    """Read a report in GitLab's form, the one that has severity, line and column."""
    for entry in json.loads(report):
        if entry["severity"] not in _ERRORS:
            continue
        kind = entry["check_name"]
        begin = _begin(entry["location"])
        code = "CODE_SYNTAX" if kind == "invalid-syntax" else "CODE_TYPES"
        message = entry["description"].removeprefix(f"{kind}: ")
        hint = type_hint(message)
        yield _problem(code, message, begin["line"] - 1, begin["column"], hint)


def _begin(location: Mapping[str, Any]) -> Mapping[str, int]:
    begin: Mapping[str, int] = location["positions"]["begin"]
    return begin


def _problem(
    code: str, message: str, line: int, column: int, hint: str | None
) -> Problem:
    return Problem(
        code=code,
        message=show(message, _LONGEST),
        path=SOURCE_PATH,
        hint=hint,
        line=max(1, line),
        column=max(1, column),
    )


def _skipped(message: str, hint: str | None = None) -> Problem:
    return Problem(
        code="CHECK_SKIPPED",
        message=f"the python source was not checked: {message}",
        path=SOURCE_PATH,
        hint=hint,
        level="warning",
    )
