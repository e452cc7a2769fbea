"""An outcome that a person can go on with: a cell, or operations to pick from.

Where widgets can be shown, one stands in the same output as the text, so that stored
outputs of a notebook are equal with and without somebody before it.
"""

from typing import TYPE_CHECKING, Any

from sparknb.commands.offers import Choices, ReadyCell
from sparknb.commands.table import Outcome
from sparknb.commands.views import Code
from sparknb.displays import Shown

if TYPE_CHECKING:
    from sparknb.magics.session import Session

__all__ = ["show_offer"]


def show_offer(
    session: "Session", outcome: Outcome, kind: str, *, has_person: bool
) -> None:
    """Show an outcome together with what it offers."""
    offer, shown = outcome.offer, Shown(outcome.view, outcome.document, kind)
    if isinstance(offer, Choices):
        _display(session, shown, _picker(session, offer) if has_person else None)
        return
    _display(session, shown, None)
    if not isinstance(offer, ReadyCell):
        return
    if offer.where == "below":
        if session.place.allows_input:
            session.shell.set_next_input(offer.text)
        return
    cell = Shown(Code(offer.text.rstrip("\n")), {"cell": offer.text}, "cell")
    _display(session, cell, _replacer(session, offer) if has_person else None)


def _picker(session: "Session", offer: Choices) -> Any:
    from sparknb.widgets import OperationPicker

    picker = OperationPicker(session.host, offer, session.courier)
    session.keep(picker)
    return picker


def _replacer(session: "Session", offer: ReadyCell) -> Any:
    from sparknb.widgets import CellReplacer

    replacer = CellReplacer(offer)
    session.keep(replacer)
    return replacer


def _display(session: "Session", shown: Shown, widget: Any) -> None:
    from IPython.display import display

    bundle = session.named(shown)._repr_mimebundle_()
    if widget is not None:
        data, _ = widget._repr_mimebundle_()
        bundle = {**data, **bundle}
    display(bundle, raw=True)  # type: ignore[no-untyped-call]  # IPython's own
