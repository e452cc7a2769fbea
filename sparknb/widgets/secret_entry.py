"""The field that takes the value of a tool's secret and forgets it (NB-32)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import traitlets

from sparknb.commands.views import Cell, Fields, Line, Stack
from sparknb.core.errors import SparknbError
from sparknb.core.problems import Problem
from sparknb.core.protocols import StoredSecret
from sparknb.displays import in_notebook, to_text
from sparknb.displays.safe_text import printable
from sparknb.host import Host
from sparknb.widgets.assets import module, stylesheet
from sparknb.widgets.courier import Courier, hand_over
from sparknb.widgets.messages import Message
from sparknb.widgets.panel import Panel
from sparknb.widgets.secret_states import SecretState, secret_state
from sparknb.widgets.secret_value import read_value

__all__ = ["SecretEntry"]

_Stored = tuple[SecretState, Sequence[Problem]]


class SecretEntry(Panel):
    """Takes a value, any number of times, and gives each to the host at once.

    The value comes as the binary buffer of one message. It is no trait, stands in
    no reply and no log; what is synced is where the secret stands.
    """

    _esm: ClassVar[str] = module("secret_entry")
    _css: ClassVar[str] = stylesheet()

    secret = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        host: Host,
        tool_id: str,
        name: str,
        state: SecretState,
        courier: Courier,
    ) -> None:
        self._host = host
        self._key = (tool_id, name)
        self._state = state
        self._courier = courier
        self._is_storing = False
        super().__init__(secret=_wire(state))

    def _text(self) -> str:
        state = self._state
        rows: list[tuple[str, Cell]] = [
            ("secret", f"{state.name} of {state.tool_id}"),
            ("value", _status(state)),
            ("kept in", state.keychain),
        ]
        if state.bound_to is not None:
            rows.append(("sent to", state.bound_to))
        if state.refusal is None:
            step = f"%spark secret set {state.tool_id} {state.name}"
            return to_text(Stack([Fields(rows), Line(f"{step} asks for a value")]))
        said = Line(state.refusal, "warning")
        hint = [] if state.hint is None else [Line(in_notebook(state.hint))]
        return to_text(Stack([Fields(rows), said, *hint]))

    def _answer(self, message: Message) -> bool:
        if message.kind != "store" or message.fields or self._is_storing:
            return False
        secret = read_value(message.buffers)
        if isinstance(secret, str):
            self._reply(message, kind="wrong", text=secret)
            return True
        self._is_storing = True
        hand_over(
            self._courier,
            lambda: self._store(secret),
            lambda outcome: self._stored(message, outcome),
        )
        return True

    async def _store(self, secret: StoredSecret) -> _Stored:
        notices = await self._host.secrets.set(*self._key, secret.value)
        return await secret_state(self._host, *self._key), notices

    def _stored(self, message: Message, outcome: _Stored | SparknbError) -> None:
        self._is_storing = False
        if isinstance(outcome, SparknbError):
            text = printable(in_notebook(outcome.message))
            hint = printable(in_notebook(outcome.hint or ""))
            self._reply(message, kind="wrong", text=text, hint=hint)
            return
        self._state, notices = outcome
        self.secret = _wire(self._state)
        self._reply(message, kind="stored", notices=[n.message for n in notices])


def _status(state: SecretState) -> str:
    if state.is_set is None:
        return "unknown: the keychain does not answer"
    return f"stored in the {state.keychain}" if state.is_set else "no value yet"


def _wire(state: SecretState) -> dict[str, Any]:
    return {
        "tool": printable(state.tool_id),
        "name": printable(state.name),
        "isSet": state.is_set,
        "status": printable(_status(state)),
        "boundTo": printable(state.bound_to or ""),
        "refusal": printable(state.refusal or ""),
        "hint": printable(in_notebook(state.hint or "")),
    }
