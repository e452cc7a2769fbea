"""How views look: as text, as ANSI text, as HTML, as JSON; one look for every door.

The names are imported at their first use: a door that prints nothing loads nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparknb.displays.bundle import Shown
    from sparknb.displays.cards import approval_view, question_view
    from sparknb.displays.forms import FORMS, shown
    from sparknb.displays.markup import to_html
    from sparknb.displays.notebook import in_notebook
    from sparknb.displays.plain import to_ansi, to_text
    from sparknb.displays.renaming import renamed
    from sparknb.displays.safe_text import printable
    from sparknb.displays.wire import MIME_TYPE, to_wire

__all__ = [
    "FORMS",
    "MIME_TYPE",
    "Shown",
    "approval_view",
    "in_notebook",
    "printable",
    "question_view",
    "renamed",
    "shown",
    "to_ansi",
    "to_html",
    "to_text",
    "to_wire",
]

_HOMES = {
    "FORMS": "forms",
    "MIME_TYPE": "wire",
    "Shown": "bundle",
    "approval_view": "cards",
    "in_notebook": "notebook",
    "printable": "safe_text",
    "question_view": "cards",
    "renamed": "renaming",
    "shown": "forms",
    "to_ansi": "plain",
    "to_html": "markup",
    "to_text": "plain",
    "to_wire": "wire",
}


def __getattr__(name: str) -> object:
    """Import a name of the package at its first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sparknb.displays' has no attribute {name!r}")
    found = getattr(import_module(f"sparknb.displays.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
