"""What a pasted command would become, before anything is stored (ST-91)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from sparknb.core.problems import Problem
from sparknb.importers import free_ids
from sparknb.importers.curl.command import Shell
from sparknb.importers.curl.definition import make_definition
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.reading import read_command
from sparknb.importers.curl.request import read_request

__all__ = ["Preview", "free_id", "read_curl"]

_FIRST_ID = "custom_http_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A definition with all notices, or all problems.

    Attributes:
        definition: Valid and in normal form; None where there is a problem.
        notices: What was dropped, is done in another way, or is still to be done.
        problems: Why there is no definition, at `curl.N`: the number of a word.
        secret_names: The secrets that the definition declares.
        secrets: The values found for them, never to be shown; those that the command
            does not say are not in it.
        shell: Whose rules the text was read by.
    """

    definition: dict[str, Any] | None
    notices: Sequence[Problem]
    problems: Sequence[Problem]
    secret_names: Sequence[str]
    secrets: Mapping[str, str] = field(repr=False)
    shell: Shell

    def to_wire(self) -> dict[str, Any]:
        """Give `{definition, notices, problems, secretNames}`, without any value."""
        return {
            "definition": self.definition,
            "notices": [notice.to_wire() for notice in self.notices],
            "problems": [problem.to_wire() for problem in self.problems],
            "secretNames": list(self.secret_names),
        }

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a pickle would show the values."""
        raise TypeError("a preview with secret values cannot be pickled or copied")


def read_curl(
    text: str,
    *,
    tool_id: str | None = None,
    shell: Shell | None = None,
    parameters: Literal["none", "auto"] = "none",
) -> Preview:
    """Read a pasted command; nothing is executed, expanded, fetched or stored.

    Args:
        text: The command, of at most 256 KiB.
        tool_id: The id of the tool; see `free_id`.
        shell: The shell that it was written for; None finds out.
        parameters: `auto` makes values of query, form and JSON optional parameters
            with the pasted values as defaults, and variables required ones.
    """
    command = read_command(text, shell)
    notes = Notes()
    notes.problems += command.problems
    notes.notices += command.notices
    request = read_request(command, notes, is_auto=parameters == "auto")
    definition = make_definition(command, request, tool_id or _FIRST_ID, notes)
    names: list[str] = [] if definition is None else [*definition.get("secretRefs", {})]
    return Preview(
        definition=definition,
        notices=tuple(notes.notices),
        problems=tuple(sorted(notes.problems, key=_word_number)),
        secret_names=tuple(names),
        secrets={n: v for n, v in request.headers.secrets.items() if n in names},
        shell=command.shell,
    )


def free_id(is_taken: Callable[[str], bool]) -> str:
    """Give the first of `custom_http_tool`, `custom_http_tool_2`, … that is free."""
    return free_ids.free_id(_FIRST_ID, is_taken)


def _word_number(problem: Problem) -> int:
    number = problem.path.removeprefix("curl.")
    return int(number) if number.isdecimal() else 0
