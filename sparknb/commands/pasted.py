"""A pasted cURL command on its way to a definition; nothing may show its text."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sparknb.commands.table import Option, Values
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import (
    ExecutionFailedError,
    InvalidInputError,
    SparknbError,
    refusal,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import StoredSecret

if TYPE_CHECKING:
    from sparknb.importers.curl import Preview

__all__ = [
    "PARAMS",
    "PASTE_LIMIT",
    "SHELL",
    "Pasted",
    "captured",
    "definition_of",
    "preview",
]

PASTE_LIMIT = 256 * 1024
"""Bytes of a command; the reader refuses more."""

PARAMS = Option(
    name="--params",
    kind="choice",
    choices=("auto", "none"),
    help="With auto, values of query and body become optional parameters.",
)
SHELL = Option(
    name="--shell",
    kind="choice",
    choices=("posix", "cmd", "powershell"),
    help="The shell that the command is written for; else it is told by its look.",
)


@dataclass(frozen=True, slots=True)
class Pasted:
    """The text of a command; most often it holds a secret, so nothing shows it."""

    text: str = field(repr=False)

    @classmethod
    def of_bytes(cls, data: bytes) -> "Pasted":
        """Read it as UTF-8.

        Raises:
            InvalidInputError: It is no text.
        """
        text = data.decode("utf-8-sig", "surrogateescape")
        if any("\udc80" <= character <= "\udcff" for character in text):
            # not by a failure of the decoder: that would carry the bytes with it
            raise InvalidInputError("the command is no UTF-8 text", path="FILE")
        return cls(text)


def preview(pasted: Pasted, values: Values, tool_id: str | None) -> "Preview":
    """Read a command; everything that is wrong with it is one refusal.

    Raises:
        InvalidInputError: No tool can do what it says; all problems.
    """
    found = _read(pasted, values["shell"], values["params"] or "none", tool_id)
    wrong = [p for p in found.problems if p.level == "error"]
    if wrong or found.definition is None:
        raise refusal(wrong or [_NOTHING], "the command")
    return found


_NOTHING = Problem(code="CURL_NOT_CURL", message="it says nothing", path="curl.0")


def _read(
    pasted: Pasted,
    shell: Any,
    parameters: Literal["auto", "none"],
    tool_id: str | None,
) -> "Preview":
    from sparknb.importers.curl import read_curl

    failure = ""
    try:
        return read_curl(
            pasted.text, tool_id=tool_id, shell=shell, parameters=parameters
        )
    except SparknbError:
        raise
    except Exception as error:  # noqa: BLE001  # a traceback would show the secret in the text
        failure = f"{type(error).__name__} in {_place(error)}"
    # outside of the handler: the error above must not travel on with this one
    raise ExecutionFailedError(
        f"sparknb itself failed while it read the command ({failure}): please report it"
        " with a command that shows no secret"
    )


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    if trace is None:
        return "an unknown place"
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"{code.co_name}, line {trace.tb_lineno}"


def captured(found: "Preview") -> dict[str, StoredSecret]:
    """Give the secrets that were found, wrapped so that nothing shows them."""
    return {name: StoredSecret(value) for name, value in found.secrets.items()}


def definition_of(found: "Preview") -> ToolDefinition:
    """Give the definition of a preview, which has passed all rules."""
    from sparknb.core.validation import read_definition

    return read_definition(found.definition or {})
