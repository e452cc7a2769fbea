"""The card that asks before a call changes anything (NB-33)."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import traitlets

from sparknb.commands.words import repeats
from sparknb.core.definitions import Effect
from sparknb.core.protocols import ApprovalRequest, Decision
from sparknb.displays import approval_view, to_text
from sparknb.displays.safe_text import printable
from sparknb.widgets.arguments import LONGEST_SHOWN, Argument, changed, read_arguments
from sparknb.widgets.assets import module, stylesheet
from sparknb.widgets.ending import Ending
from sparknb.widgets.messages import Message
from sparknb.widgets.panel import Panel

__all__ = ["ConfirmationCard"]

_EFFECTS: Mapping[Effect, str] = {
    "read": "It only reads",
    "create": "It creates something",
    "update": "It changes something",
    "delete": "It deletes something",
    "send": "It sends something to somebody",
    "publish": "It makes something public",
}
_LONGEST_ANSWER = 1_000_000  # characters of all edited fields together


class ConfirmationCard(Panel):
    """Asks about one call; passes on one answer, while it is open.

    An answer counts when it names this card's call and nonce and has no field too
    many, missing or of another type. Everything else is ignored: nothing runs.
    What is synced is masked text for reading; edited values are never kept.
    """

    _esm: ClassVar[str] = module("confirmation_card")
    _css: ClassVar[str] = stylesheet()

    card = traitlets.Dict().tag(sync=True)
    status = traitlets.Unicode("open").tag(sync=True)
    edited = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self, request: ApprovalRequest, on_answer: Callable[[Decision], None]
    ) -> None:
        self._request = request
        self._on_answer = on_answer
        self._arguments = read_arguments(request.arguments)
        self._nonce = secrets.token_hex(16)
        super().__init__(card=_card(request, self._nonce, self._arguments))

    def end(self, status: Ending) -> None:
        """Close the question; what ended stays as it ended."""
        if self.status == "open":
            self.status = status

    def _text(self) -> str:
        card = to_text(approval_view(self._request))
        return card if self.status == "open" else f"{card}\n{self.status}"

    def _answer(self, message: Message) -> bool:
        fields = message.fields
        key = (fields.get("call"), fields.get("nonce"))
        if self.status != "open" or message.buffers:
            return False
        if key != (self._request.call_id, self._nonce):
            return False
        if message.kind == "reject" and message.has_exactly("call", "nonce"):
            self._settle(
                Decision(outcome="reject", reason="you rejected the call"), "rejected"
            )
            return True
        return message.kind == "approve" and self._approve(message)

    def _approve(self, message: Message) -> bool:
        if not message.has_exactly("call", "nonce", "edits", "leftOut"):
            return False
        names = {argument.name for argument in self._arguments}
        edits, left_out = message.fields["edits"], message.fields["leftOut"]
        if not _are_edits(edits, names) or not _are_names(left_out, names):
            return False
        arguments, wrong = changed(self._arguments, edits, left_out)
        if wrong:
            self._reply(message, kind="wrong", fields=wrong)
            return True
        if arguments is not None:
            self.edited = [
                printable(a.name) for a in self._arguments if _differs(a, arguments)
            ]
        self._settle(Decision(outcome="allow", arguments=arguments), "approved")
        return True

    def _settle(self, decision: Decision, status: Ending) -> None:
        self.end(status)  # first: whatever the callback does, there is no second
        self._on_answer(decision)


def _card(
    request: ApprovalRequest, nonce: str, arguments: Sequence[Argument]
) -> dict[str, Any]:
    preview = request.preview
    number = "unsaved" if request.version is None else f"version {request.version}"
    return {
        "call": request.call_id,
        "nonce": nonce,
        "title": printable(request.title),
        "tool": printable(f"{request.tool_id}, {number}"),
        "risk": request.risk,
        "means": f"{_EFFECTS[request.effect]} and is {repeats(request.idempotency)}.",
        "method": preview.method or "",
        "url": _shown(preview.url),
        "body": _shown(preview.excerpt),
        "mayCall": [printable(name) for name in preview.dependencies],
        "arguments": [argument.to_wire() for argument in arguments],
    }


def _shown(text: str | None) -> str:
    shown = printable(text or "")
    if len(shown) <= LONGEST_SHOWN:
        return shown
    left = len(shown) - LONGEST_SHOWN
    return f"{shown[:LONGEST_SHOWN]}… ({left:,} more characters)"


def _are_edits(edits: object, names: set[str]) -> bool:
    if not isinstance(edits, dict) or not edits.keys() <= names:
        return False
    texts = list(edits.values())
    if not all(isinstance(text, str) for text in texts):
        return False
    return sum(len(text) for text in texts) <= _LONGEST_ANSWER


def _are_names(left_out: object, names: set[str]) -> bool:
    if not isinstance(left_out, list):
        return False
    return len(left_out) <= len(names) and all(
        isinstance(name, str) and name in names for name in left_out
    )


def _differs(argument: Argument, arguments: Mapping[str, Any]) -> bool:
    return argument.name not in arguments or (
        arguments[argument.name] is not argument.value
    )
