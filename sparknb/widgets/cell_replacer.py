"""The cell to go on with, and the button that puts it in place (NB-13)."""

from typing import Any, ClassVar

import traitlets

from sparknb.commands.offers import ReadyCell
from sparknb.widgets.assets import module, stylesheet
from sparknb.widgets.messages import Message
from sparknb.widgets.panel import Panel

__all__ = ["CellReplacer"]

_REPLACES = "%%spark_curl"
"""What the cell begins with that may be replaced; one that was changed stays."""


class CellReplacer(Panel):
    """Shows a cell; the page replaces the one above by it when the person says so.

    A kernel cannot change a cell that has run. The page asks the notebook for it, and
    only tells here that it was done, so that other views show it too.
    """

    _esm: ClassVar[str] = module("cell_replacer")
    _css: ClassVar[str] = stylesheet()

    cell = traitlets.Dict().tag(sync=True)
    status = traitlets.Unicode("open").tag(sync=True)

    def __init__(self, offer: ReadyCell) -> None:
        self._cell_text = offer.text
        shown: dict[str, Any] = {
            "text": offer.text.rstrip("\n"),
            "magic": _REPLACES,
            "hasSecret": offer.has_secret,
        }
        super().__init__(cell=shown)

    def _text(self) -> str:
        return self._cell_text.rstrip("\n")

    def _answer(self, message: Message) -> bool:
        if message.kind != "replaced" or message.fields or message.buffers:
            return False
        self.status = "replaced"
        self._reply(message, kind="noted")
        return True
