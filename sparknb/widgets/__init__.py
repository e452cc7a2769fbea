"""What a person sees and touches in a notebook: cards, a secret field, a risk form.

The names are imported at their first use: anywidget costs time where no widget is
shown. Widgets belong to the kernel's thread; work of the host goes through a courier.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparknb.widgets.cell_replacer import CellReplacer
    from sparknb.widgets.confirmation_card import ConfirmationCard
    from sparknb.widgets.courier import Courier
    from sparknb.widgets.ending import Ending
    from sparknb.widgets.operation_picker import OperationPicker
    from sparknb.widgets.question_card import QuestionCard
    from sparknb.widgets.risk_form import RiskForm
    from sparknb.widgets.risk_states import RiskState, risk_state
    from sparknb.widgets.secret_entry import SecretEntry
    from sparknb.widgets.secret_prompt import SecretPrompt
    from sparknb.widgets.secret_states import SecretState, secret_state

__all__ = [
    "CellReplacer",
    "ConfirmationCard",
    "Courier",
    "Ending",
    "OperationPicker",
    "QuestionCard",
    "RiskForm",
    "RiskState",
    "SecretEntry",
    "SecretPrompt",
    "SecretState",
    "risk_state",
    "secret_state",
]

_HOMES = {
    "CellReplacer": "cell_replacer",
    "ConfirmationCard": "confirmation_card",
    "Courier": "courier",
    "Ending": "ending",
    "OperationPicker": "operation_picker",
    "QuestionCard": "question_card",
    "RiskForm": "risk_form",
    "RiskState": "risk_states",
    "SecretEntry": "secret_entry",
    "SecretPrompt": "secret_prompt",
    "SecretState": "secret_states",
    "risk_state": "risk_states",
    "secret_state": "secret_states",
}


def __getattr__(name: str) -> object:
    """Import a name of the package at its first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sparknb.widgets' has no attribute {name!r}")
    return getattr(import_module(f"sparknb.widgets.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
