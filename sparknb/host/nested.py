"""Tools that call tools, while they run (ST-58, ST-59, ST-62)."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from sparknb.core.errors import (
    DeniedError,
    InvalidInputError,
    NotFoundError,
    SparknbError,
    ToolCallError,
)
from sparknb.core.json_text import MAX_BYTES
from sparknb.core.responses import JSON_FENCE
from sparknb.core.results import Approval, ToolResult
from sparknb.core.risk import is_above
from sparknb.host.calls import Caller, CallTarget, Nesting, Tally
from sparknb.host.catalog import Catalog, Published
from sparknb.host.dependencies import MOST_LEVELS, named_tools, shown_chain

__all__ = ["NestedCalls"]

_TOOL_IDS = "spec.permissions.toolIds"
_LONGEST_ID = 80  # characters of what a program calls an id, in a message
_LEADING = re.compile(r"[a-z ]+: \w+: ")  # what runtimes write before an error's words
_TELLING = 200  # characters of a refusal by which it is found again
_FENCE, _FENCE_END = JSON_FENCE

Call = Callable[[CallTarget, Any, Caller], Awaitable[ToolResult]]


@dataclass(slots=True, kw_only=True)
class NestedCalls:
    """The calls that one running program makes; see `core.protocols.NestedTools`.

    Attributes:
        call: Carries a call out, as for anybody else.
    """

    call_tool: Call
    catalog: Catalog
    target: CallTarget
    caller: Caller
    approval: Approval
    _is_over: bool = field(default=False, init=False)
    _nesting: Nesting = field(init=False)
    _hints: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        above, definition = self.caller.nesting, self.target.definition
        self._nesting = Nesting(
            chain=(*(above.chain if above else ()), definition.id),
            risk=definition.risk,
            approval=self.approval,
            tally=above.tally if above else Tally(),
        )

    async def call(self, tool_id: Any, arguments: Any) -> Any:
        """See `NestedTools`."""
        try:
            return await self._answer(tool_id, arguments)
        except SparknbError as error:
            if error.hint is not None:
                self._hints[_beginning(error)] = error.hint
            raise

    def advise(self, failure: SparknbError) -> None:
        """Give a failure of the program the hint of the refused call that ended it.

        The program got the words of the refusal alone, and need not have passed on
        more of them. A refusal that was caught may stand further behind, in what the
        program printed or in words of its own.
        """
        if failure.hint is not None:
            return
        reason = failure.message.partition("\n")[0]
        for said, hint in self._hints.items():
            before, found, _ = reason.partition(said)
            if found and _LEADING.fullmatch(before):
                failure.hint = hint

    async def _answer(self, tool_id: Any, arguments: Any) -> Any:
        if self._is_over:
            raise DeniedError(f"the run of {self.target.definition.id} is over")
        self._nesting.tally.add()
        self._require_named(tool_id)
        if not isinstance(arguments, Mapping):
            raise InvalidInputError(
                f"the input of {tool_id} must be an object",
                path="input",
                hint="give its parameters by name",
            )
        given = dict(arguments)
        if _is_larger(given, MAX_BYTES):  # at once: to judge it would take long
            raise InvalidInputError(
                f"the input of {tool_id} must not be larger than {MAX_BYTES:,} bytes",
                path="input",
                hint="give it less at a time",
            )
        caller = replace(self.caller, source="nested", nesting=self._nesting)
        result = await self.call_tool(self._found(tool_id), given, caller)
        if not result.ok:
            code = result.error_code or "EXECUTION_FAILED"
            raise ToolCallError(
                code, result.text, hint=result.hint, problems=result.problems
            )
        self._nesting.tally.take(len(result.text))
        return _value(result.text)

    def end(self) -> None:
        """Refuse what the program, or what it left running, calls from now on."""
        self._is_over = True

    def _require_named(self, tool_id: Any) -> None:
        definition = self.target.definition
        allowed = named_tools(definition)
        if not isinstance(tool_id, str) or tool_id not in allowed:
            shown = ascii(tool_id)[:_LONGEST_ID] if isinstance(tool_id, str) else "this"
            language = getattr(definition.spec, "language", None)
            setting = "# tools: ID" if language == "python" else "tools: ID"
            raise DeniedError(
                f"{definition.id} may not call {shown.strip(chr(39))}",
                path=_TOOL_IDS,
                hint=f"name it in its cell, as in {setting}, or in {_TOOL_IDS}",
            )

    def _found(self, tool_id: str) -> CallTarget:
        found = self.catalog.published(tool_id)
        if found is None:
            if self.catalog.record(tool_id) is None:
                raise NotFoundError(f"no tool has the id {tool_id}")
            raise DeniedError(f"{tool_id} was never published", hint="publish it first")
        barred, remedy = self._bar(found)
        return CallTarget(
            definition=found.definition,
            version=found.version,
            barred=barred,
            remedy=remedy,
            require_open=lambda: self.catalog.require_enabled(tool_id),
            hide_patterns=self.target.hide_patterns,
        )

    def _bar(self, found: Published) -> tuple[str | None, str | None]:
        """Give why this tool may not be called here and now, and what to do."""
        tool_id, chain = found.definition.id, self._nesting.chain
        shown = shown_chain((*chain, tool_id))
        if tool_id in chain:
            return f"tools call each other in a circle: {shown}", "break the chain"
        if len(chain) >= MOST_LEVELS:
            said = f"the chain is longer than {MOST_LEVELS} tools: {shown}"
            return said, "shorten the chain"
        if not found.record.enabled:
            return f"{tool_id} is disabled", "enable it first"
        mine = self._nesting.risk
        if is_above(found.definition.risk, mine):
            caller = self.target.definition.id
            said = (
                f"{tool_id} has the risk {found.definition.risk} by now, and {caller}"
                f" was published with {mine}"
            )
            return said, f"publish {caller} again, with that risk or a higher one"
        return None, None


def _beginning(error: SparknbError) -> str:
    """Give how a failure begins that tells this refusal; the rest may be cut there."""
    return f"{error.code}: {error.message}".partition("\n")[0][:_TELLING]


def _is_larger(value: Any, most: int) -> bool:
    """Say whether a value must have more bytes than this, without writing it out."""
    left, todo = most, [value]
    while todo and left >= 0:
        one = todo.pop()
        if isinstance(one, str | bytes):
            left -= len(one) + 2
        elif isinstance(one, dict):
            left -= 2 + len(one)
            todo += [*one.keys(), *one.values()] if left >= 0 else []
        elif isinstance(one, list | tuple):
            left -= 1 + len(one)  # brackets, and commas between
            todo += one if left >= 0 else []
        elif isinstance(one, int):
            left -= 1 + one.bit_length() // 8
        else:
            left -= 1
    return left < 0


def _value(text: str) -> Any:
    """Give a text as a JSON value where it is one, with or without its fence."""
    inner = text
    if text.startswith(_FENCE) and text.endswith(_FENCE_END):
        inner = text[len(_FENCE) : -len(_FENCE_END)]
    try:
        return json.loads(inner, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
