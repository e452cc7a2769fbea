"""The form that shows and changes what a call of a tool can break (NB-31)."""

from typing import Any, ClassVar

import traitlets

from sparknb.commands.views import Cell, Fields, Line, Stack
from sparknb.commands.words import repeats, triple
from sparknb.core.definitions import RISKS
from sparknb.core.errors import ConflictError, SparknbError
from sparknb.displays import in_notebook, to_text
from sparknb.displays.safe_text import printable
from sparknb.host import Host
from sparknb.widgets.assets import module, stylesheet
from sparknb.widgets.courier import Courier, hand_over
from sparknb.widgets.messages import Message
from sparknb.widgets.panel import Panel
from sparknb.widgets.risk_states import (
    EFFECTS,
    IDEMPOTENCIES,
    RiskState,
    RiskTriple,
    problems_of,
    risk_state,
    save_risk,
)

__all__ = ["RiskForm"]


class RiskForm(Panel):
    """Shows floor, derivation and chosen values; saves to the draft.

    The rules come from the core as tables, so the page holds none of its own; the
    host checks again what is saved.
    """

    _esm: ClassVar[str] = module("risk_form")
    _css: ClassVar[str] = stylesheet()

    tool = traitlets.Dict().tag(sync=True)
    rules = traitlets.Dict().tag(sync=True)

    def __init__(
        self, host: Host, tool_id: str, state: RiskState, courier: Courier
    ) -> None:
        self._host = host
        self._tool_id = tool_id
        self._state = state
        self._courier = courier
        self._is_busy = False
        super().__init__(tool=_tool(state), rules=_rules(state))

    def _text(self) -> str:
        state = self._state
        rows: list[tuple[str, Cell]] = [
            ("tool", f"{state.tool_id}, {_stands(state)}"),
            ("risk", triple(*state.chosen)),
            ("floor", _floor(state)),
        ]
        said = [Line(s) for s in (_derivation(state), meaning(state.chosen.risk))]
        return to_text(Stack([Fields(rows), *said]))

    # ----------------------------------------------------------------- messages
    def _answer(self, message: Message) -> bool:
        if self._is_busy or message.buffers:
            return False
        if message.kind == "load" and not message.fields:
            self._is_busy = True
            hand_over(
                self._courier,
                lambda: risk_state(self._host, self._tool_id),
                lambda outcome: self._loaded(message, outcome),
            )
            return True
        return message.kind == "save" and self._save(message)

    def _save(self, message: Message) -> bool:
        chosen = _chosen(message)
        if chosen is None:
            return False
        opened = self._state
        self._is_busy = True
        hand_over(
            self._courier,
            lambda: save_risk(self._host, opened, chosen),
            lambda outcome: self._saved(message, outcome),
        )
        return True

    def _loaded(self, message: Message, outcome: RiskState | SparknbError) -> None:
        self._is_busy = False
        if isinstance(outcome, SparknbError):
            self._refuse(message, outcome)
            return
        self._show(outcome)
        self._reply(message, kind="loaded")

    def _saved(self, message: Message, outcome: RiskState | SparknbError) -> None:
        self._is_busy = False
        if isinstance(outcome, SparknbError):
            self._refuse(message, outcome)
            return
        is_unchanged = outcome.digest == self._state.digest
        self._show(outcome)
        self._reply(message, kind="unchanged" if is_unchanged else "saved")

    def _refuse(self, message: Message, error: SparknbError) -> None:
        kind = "conflict" if isinstance(error, ConflictError) else "wrong"
        text = printable(in_notebook(error.message))
        hint = printable(in_notebook(error.hint or ""))
        self._reply(message, kind=kind, text=text, hint=hint)

    def _show(self, state: RiskState) -> None:
        self._state = state
        with self.hold_sync():
            self.tool = _tool(state)
            self.rules = _rules(state)


def _chosen(message: Message) -> RiskTriple | None:
    """Give the triple of a message; its values are checked by the host again."""
    fields = message.fields
    if not message.has_exactly("risk", "effect", "idempotency"):
        return None
    for name, known in (
        ("risk", RISKS),
        ("effect", EFFECTS),
        ("idempotency", IDEMPOTENCIES),
    ):
        if not isinstance(fields[name], str) or fields[name] not in known:
            return None
    return RiskTriple(**fields)


def meaning(risk: str) -> str:
    """Say what a risk means for the person and for agents."""
    return _MEANING[risk]


_MEANING = {
    "read": "Agents run it without asking anybody.",
    "low-write": "A person is asked before every call.",
    "high-write": "A person is asked before every call.",
    "destructive": "A person is asked before every call, and told that it destroys.",
}


def _derivation(state: RiskState) -> str:
    derived = state.derived
    if derived is None:
        if state.tool_type == "provider-vision":
            return "A vision tool only reads: its risk and effect are fixed."
        return f"Nothing is derived for a {state.tool_type} tool: its author says."
    said = "/".join(derived)
    return f"{state.method} → {said}: {_WHY[state.method or '']}."


_WHY = {
    "GET": "a GET request only reads",
    "POST": "a POST request creates something, and twice creates two",
    "PUT": "a PUT request replaces something, and twice is like once",
    "PATCH": "a PATCH request changes something, and may change it again",
    "DELETE": "a DELETE request takes something away for good",
}


def _floor(state: RiskState) -> str:
    derived = state.derived
    return "read" if derived is None else derived.risk


def _stands(state: RiskState) -> str:
    if state.is_draft:
        return f"draft version {state.version}"
    return f"published version {state.version}"


def _tool(state: RiskState) -> dict[str, Any]:
    return {
        "id": printable(state.tool_id),
        "stands": _stands(state),
        "isDraft": state.is_draft,
        "from": state.method or state.tool_type,
        "floor": _floor(state),
        "derivation": _derivation(state),
        "chosen": state.chosen._asdict(),
    }


def _rules(state: RiskState) -> dict[str, Any]:
    """Give what is allowed: by risk, and by risk for effect and idempotency."""
    risks, effects, again = {}, {}, {}
    for risk in RISKS:
        given = RiskTriple(risk, "read", "unsafe")
        risks[risk] = {
            "why": _why(state, given, "risk"),
            "meaning": _MEANING[risk],
        }
        effects[risk] = {
            e: _why(state, given._replace(effect=e), "effect") for e in EFFECTS
        }
        again[risk] = {
            i: _why(state, given._replace(idempotency=i), "idempotency")
            for i in IDEMPOTENCIES
        }
    words = {i: repeats(i) for i in IDEMPOTENCIES}
    return {"risk": risks, "effect": effects, "idempotency": again, "repeats": words}


def _why(state: RiskState, chosen: RiskTriple, path: str) -> str:
    """Give why a value cannot be chosen, empty when it can."""
    for problem in problems_of(state, chosen):
        if problem.path == path:
            return problem.message
    return ""
