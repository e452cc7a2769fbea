"""The approver at a terminal: a card, then approve, edit or reject."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from sparknb.cli.output import draw
from sparknb.commands.running import failed
from sparknb.core.errors import SparknbError
from sparknb.core.protocols import ApprovalRequest, Decision
from sparknb.displays.cards import approval_view
from sparknb.displays.safe_text import printable

__all__ = ["TerminalApprover"]


@dataclass(frozen=True, slots=True)
class TerminalApprover:
    """Asks the person at the terminal; anything but a clear yes is a no."""

    console: Console
    read_line: Callable[[], Awaitable[str]]

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Show the card and give the answer; after an edit it is drawn anew."""
        arguments: Mapping[str, Any] = dict(request.arguments)
        edited = False
        draw(self.console, approval_view(request))
        while True:
            answer = await self._ask("[a]pprove, [e]dit arguments or [R]eject: ")
            if answer in ("a", "approve", "y", "yes"):
                return Decision(
                    outcome="allow", arguments=arguments if edited else None
                )
            if answer not in ("e", "edit"):
                return Decision(outcome="reject", reason="you rejected the call")
            if not arguments:
                self.console.print("There are no arguments to edit.")
                continue
            arguments = await self._edit(arguments)
            edited = True
            self._show(request, arguments)

    async def _ask(self, prompt: str) -> str:
        self.console.print(Text(prompt, style="bold"), end="")
        answer = await self.read_line()
        if not answer.endswith("\n"):
            self.console.print()  # the input ended: nobody pressed Enter
        return answer.strip().lower()

    async def _edit(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Go through the arguments; an empty line keeps one as it is."""
        self.console.print(
            "Enter keeps a value; - leaves the argument out.", style="dim"
        )
        changed = dict(arguments)
        for name, value in arguments.items():
            shown = json.dumps(value, ensure_ascii=False)
            prompt = Text(f"  {printable(name)} ", style="bold")
            prompt.append(f"({printable(shown)}) ", "dim")
            self.console.print(prompt, end="")
            text = (await self.read_line()).rstrip("\r\n")
            if text == "-":
                del changed[name]
            elif text:
                changed[name] = _read_value(text, value)
        return changed

    def _show(self, request: ApprovalRequest, arguments: Mapping[str, Any]) -> None:
        """Show what would be done with these, or why it cannot be."""
        if request.with_arguments is None:
            shown = json.dumps(arguments, ensure_ascii=False)
            self.console.print(Text(f"arguments are now {printable(shown)}"))
            return
        try:
            draw(self.console, approval_view(request.with_arguments(arguments)))
        except SparknbError as error:
            draw(self.console, failed(error).view)


def _read_value(text: str, before: Any) -> Any:
    """Read what was typed: text for text, JSON for anything else.

    What is no JSON stays text: the host checks it against the tool's schema.
    """
    if isinstance(before, str) and not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
