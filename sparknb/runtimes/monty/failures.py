"""How a program failed, in words: the reason, the line, and what it had printed."""

from typing import TYPE_CHECKING

from sparknb.core.errors import ExecutionFailedError
from sparknb.core.wording import with_printed
from sparknb.runtimes.monty.program import FIRST_LINE, is_ours
from sparknb.runtimes.printed import Printed
from sparknb.runtimes.refusals import one_line

if TYPE_CHECKING:
    from pydantic_monty import MontyError

__all__ = ["failed", "failure", "thrown"]

_FED = "<python-input-0>"  # what the sandbox calls the program
_HINTS = {
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
}


def failed(reason: str, printed: Printed, hint: str | None = None) -> Exception:
    """Give the error of a run, with what the program had printed."""
    return ExecutionFailedError(with_printed(reason, printed.text), hint=hint)


def thrown(said: str, printed: Printed, line: int | None = None) -> Exception:
    """Give the error of a run that ended with an exception: its type and words."""
    for words, (reason, hint) in _OF_LIMITS.items():
        if words in said:
            return failed(f"the program failed: {reason}", printed, hint)
    told = one_line(said)
    kind = told.partition(":")[0].strip()
    where = "" if line is None else f" (line {line})"
    how = "ran out of memory" if kind == "MemoryError" else "failed"
    return failed(f"the program {how}: {told}{where}", printed, _HINTS.get(kind))


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
