"""Every exception that sparknb raises on purpose.

    SparknbError                      code, message, path, hint, problems
    ├── UsageError                    USAGE            the command line was wrong
    ├── InvalidInputError             INVALID_INPUT    definition, argument, call input
    ├── InvalidTemplateError          INVALID_TEMPLATE
    ├── UnsupportedError              NOT_IMPLEMENTED
    ├── NotFoundError                 NOT_FOUND
    ├── AlreadyExistsError            ALREADY_EXISTS
    ├── ConflictError                 CONFLICT         somebody else changed it
    ├── CasesNotPassingError          CASES_NOT_PASSING
    ├── DeniedError                   DENIED           approval, guard, disabled tool
    ├── ApprovalUnavailableError      APPROVAL_UNAVAILABLE
    ├── SecretMissingError            SECRET_MISSING
    ├── KeychainUnavailableError      KEYCHAIN_UNAVAILABLE
    ├── ToolTimeoutError              TIMEOUT
    ├── ToolCancelledError            CANCELLED
    ├── UnreachableError              UNREACHABLE      DNS, connect, TLS, broken answer
    ├── HttpStatusError               HTTP_ERROR
    ├── ExecutionFailedError          EXECUTION_FAILED
    ├── RegistryNewerError            REGISTRY_NEWER   made by a later sparknb
    ├── RegistryUnavailableError      REGISTRY_UNAVAILABLE
    └── ToolCallError                 (the code of the result)  from ToolResult.unwrap

A tool call never raises these out of the host: it ends in a `ToolResult` that
carries the code. Other host operations raise them.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

from sparknb.core.problems import Problem

__all__ = [
    "AlreadyExistsError",
    "ApprovalUnavailableError",
    "CasesNotPassingError",
    "ConflictError",
    "DeniedError",
    "ExecutionFailedError",
    "HttpStatusError",
    "InvalidInputError",
    "InvalidTemplateError",
    "KeychainUnavailableError",
    "NotFoundError",
    "RegistryNewerError",
    "RegistryUnavailableError",
    "SecretMissingError",
    "SparknbError",
    "ToolCallError",
    "ToolCancelledError",
    "ToolTimeoutError",
    "UnreachableError",
    "UnsupportedError",
    "UsageError",
    "refusal",
]


class SparknbError(Exception):
    """Base of all expected failures; `code` is stable, `problems` lists all causes."""

    code: ClassVar[str] = "EXECUTION_FAILED"

    def __init__(
        self,
        message: str,
        *,
        path: str = "",
        hint: str | None = None,
        problems: Iterable[Problem] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint
        self.problems = tuple(problems)

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{code, message, path, hint?, issues}` of a refusal."""
        wire: dict[str, Any] = {"code": self.code, "message": self.message}
        wire["path"] = self.path
        if self.hint is not None:
            wire["hint"] = self.hint
        return wire | {"issues": [p.to_wire() for p in self.problems]}


class UsageError(SparknbError):
    """A command was used in a way it does not know."""

    code = "USAGE"


class InvalidInputError(SparknbError):
    """A definition, an argument or a call input breaks a rule."""

    code = "INVALID_INPUT"


class InvalidTemplateError(SparknbError):
    """A template cannot be read, or cannot be rendered to a valid request."""

    code = "INVALID_TEMPLATE"


class UnsupportedError(SparknbError):
    """The thing asked for has a reserved name but does not exist yet."""

    code = "NOT_IMPLEMENTED"


class NotFoundError(SparknbError):
    """No tool, version or secret has this name."""

    code = "NOT_FOUND"


class AlreadyExistsError(SparknbError):
    """The name is taken."""

    code = "ALREADY_EXISTS"


class ConflictError(SparknbError):
    """Somebody else changed it in the meantime: load it again."""

    code = "CONFLICT"


class CasesNotPassingError(SparknbError):
    """The publish gate wants passing cases for exactly this draft."""

    code = "CASES_NOT_PASSING"


class DeniedError(SparknbError):
    """A person, a rule or the egress guard said no."""

    code = "DENIED"


class ApprovalUnavailableError(SparknbError):
    """The call needs a person's answer and nobody can be asked."""

    code = "APPROVAL_UNAVAILABLE"


class SecretMissingError(SparknbError):
    """A declared secret has no value; the message names it."""

    code = "SECRET_MISSING"


class KeychainUnavailableError(SparknbError):
    """The keychain is locked, absent, read-only or refuses."""

    code = "KEYCHAIN_UNAVAILABLE"


class ToolTimeoutError(SparknbError):
    """The tool's own time limit passed."""

    code = "TIMEOUT"


class ToolCancelledError(SparknbError):
    """The caller stopped the call."""

    code = "CANCELLED"


class UnreachableError(SparknbError):
    """The other side could not be reached, or its answer was broken."""

    code = "UNREACHABLE"


class HttpStatusError(SparknbError):
    """The final status is not 2xx, or there were too many redirects."""

    code = "HTTP_ERROR"


class ExecutionFailedError(SparknbError):
    """The runtime failed."""

    code = "EXECUTION_FAILED"


class RegistryNewerError(SparknbError):
    """The registry was made by a later version of sparknb: upgrade sparknb."""

    code = "REGISTRY_NEWER"


class RegistryUnavailableError(SparknbError):
    """The registry cannot be opened, read or written."""

    code = "REGISTRY_UNAVAILABLE"


class ToolCallError(SparknbError):
    """A tool call ended in a failure; `code` is the result's own."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message, **more)
        self.code = code  # type: ignore[misc]  # the one class whose code varies


def refusal(
    problems: Iterable[Problem], subject: str = "the definition"
) -> SparknbError:
    """Give the one error for an operation that these problems refuse (ST-14)."""
    found = [p for p in problems if p.level == "error"]
    codes = {p.code for p in found}
    kinds: dict[frozenset[str], type[SparknbError]] = {
        frozenset({"NOT_IMPLEMENTED"}): UnsupportedError,
        frozenset({"INVALID_TEMPLATE"}): InvalidTemplateError,
        frozenset({"DEPENDENCY_DISABLED"}): DeniedError,
    }
    kind = kinds.get(frozenset(codes), InvalidInputError)
    first = found[0]
    count = "one problem" if len(found) == 1 else f"{len(found)} problems"
    message = f"{subject} has {count}: {first.message}"
    return kind(message, path=first.path, hint=first.hint, problems=found)
