"""How a program failed, in words: the reason, the line, and what it had printed."""

import builtins
import re
from typing import TYPE_CHECKING

from sparknb.core.errors import ExecutionFailedError
from sparknb.core.wording import with_printed
from sparknb.runtimes.monty.program import FIRST_LINE, is_ours
from sparknb.runtimes.printed import Printed
from sparknb.runtimes.refusals import one_line

if TYPE_CHECKING:
    from pydantic_monty import MontyError

__all__ = ["MOST_QUESTIONS", "failed", "failure", "thrown"]

MOST_QUESTIONS = 10_000
"""Calls and sleeps of one program together; calls have a limit of their own, too."""

_FED = "<python-input-0>"  # what the sandbox calls the program
_PART = (
    "the interpreter has a part of Python only: docs/code-tools.md lists what differs"
)
_OF_A_TYPE = re.compile(r"'([\w.]+)'(?: object)? has no attribute")
_HINTS = {
    "ImportError": _PART,
    "NotImplementedError": _PART,
    "PermissionError": "a tool has no files; give it what it needs as input",
    "FileNotFoundError": "a tool has no files; give it what it needs as input",
    "ModuleNotFoundError": "a tool has only the modules that the docs list",
    "MemoryError": "raise memoryMb, or let the tool hold less at a time",
}
# What the interpreter says of its own limits: our words, and what to do.
_OF_LIMITS = {
    "exceptions can only be called with zero or one string argument": (
        "an exception was made of something else than one text",
        "give the exception one text, as in KeyError(str(x))",
    ),
    "suspension limit": (
        f"it made more than {MOST_QUESTIONS:,} calls and sleeps",
        "call and sleep less often: sleep once and longer, not in small steps",
    ),
}


def failed(reason: str, printed: Printed, hint: str | None = None) -> Exception:
    """Give the error of a run, with what the program had printed."""
    return ExecutionFailedError(with_printed(reason, printed.text), hint=hint)


def thrown(said: str, printed: Printed, line: int | None = None) -> Exception:
    """Give the error of a run that ended with an exception: its type and words."""
    where = "" if line is None else f" (line {line})"
    for words, (reason, hint) in _OF_LIMITS.items():
        if words in said:
            return failed(f"the program failed: {reason}{where}", printed, hint)
    told = one_line(said)
    kind = told.partition(":")[0].strip()
    how = "ran out of memory" if kind == "MemoryError" else "failed"
    reason = f"the program {how}: {told}{where}"
    return failed(reason, printed, _HINTS.get(kind, _part_hint(kind, told)))


def _part_hint(kind: str, told: str) -> str | None:
    """Give a hint where it may be the interpreter that lacks something."""
    if "not yet support" in told:
        return _PART
    found = _OF_A_TYPE.search(told) if kind == "AttributeError" else None
    if found is None or found[1] == "NoneType":
        return None
    is_known = "." in found[1] or found[1] == "module" or hasattr(builtins, found[1])
    return _PART if is_known else None  # else it is a class of the source


def failure(error: "MontyError", printed: Printed) -> Exception:
    """Give the error of a run that the sandbox ended with this one."""
    from pydantic_monty import (
        MontyConversionError,
        MontyCrashedError,
        MontyRuntimeError,
        MontySyntaxError,
    )

    match error:
        case MontyRuntimeError() | MontySyntaxError():
            return thrown(error.display("type-msg"), printed, _line(error))
        case MontyCrashedError():
            status = error.exit_status
            how = "was killed" if status is None else f"ended with status {status}"
            reason = f"the sandbox {how} while the program ran"
            hint = "most likely it took too much memory: let the tool hold less"
            return failed(reason, printed, hint)
        case MontyConversionError():
            reason = "an argument or a nested result cannot be given to the program"
            return failed(reason, printed)
        case _:
            reason = f"the sandbox failed with {type(error).__name__}"
            return failed(reason, printed)


def _line(error: "MontyError") -> int | None:
    """Give the innermost line of the source that was under way."""
    from pydantic_monty import MontyRuntimeError, MontySyntaxError

    if not isinstance(error, MontyRuntimeError | MontySyntaxError):
        return None
    last = None
    for frame in error.traceback():
        if frame.filename == _FED and not is_ours(frame.source_line):
            last = frame.line - FIRST_LINE + 1
    return last
