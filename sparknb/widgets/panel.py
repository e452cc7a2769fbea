"""What all widgets have in common: one way in, a text twin, a clean end."""

import logging
from collections.abc import Mapping
from typing import Any

from anywidget import AnyWidget

from sparknb.widgets.messages import Message, read_message

__all__ = ["Panel"]

_log = logging.getLogger("sparknb.widgets")


class Panel(AnyWidget):
    """A widget whose state is written by the kernel alone.

    A page shows the state and sends messages; each gets an acknowledgement at once,
    so that a view can tell "taken" from "the kernel is busy". Handlers never wait:
    the kernel's loop is not theirs.
    """

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._receive)

    # ------------------------------------------------------- what a kind supplies
    def _text(self) -> str:
        """Give the text twin: what a person reads where no widget can be shown."""
        raise NotImplementedError

    def _answer(self, message: Message) -> bool:
        """Act on a message; False when it is none that may be acted on."""
        raise NotImplementedError

    # --------------------------------------------------------------- the way in
    def _receive(self, _: object, content: object, buffers: object) -> None:
        message = read_message(content, buffers)
        if message is None:
            _log.debug("a message of unknown form was ignored")
            return
        self._reply(message, kind="taken")
        if not self._answer(message):
            # Not what it said: it may hold anything.
            _log.debug("a message was ignored: %s", type(self).__name__)
            self._reply(message, kind="ignored")

    def _reply(self, message: Message, **fields: Any) -> None:
        """Tell the view that sent a message; views know theirs by the id."""
        self.send({"re": message.id, **fields})

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Ignore what a page wants the state to be; it only ever shows it."""
        del sync_data
        _log.debug("a change of state by the page was ignored")

    # ------------------------------------------------------------- display, end
    def __repr__(self) -> str:
        return self._text()

    def __str__(self) -> str:
        return self._text()

    def _repr_mimebundle_(
        self, **_: Any
    ) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Give the view, and the text twin for places without widgets."""
        given = super()._repr_mimebundle_()
        if given is None or self.comm is None:
            return {"text/plain": self._text()}, {}
        return {**given[0], "text/plain": self._text()}, given[1]

    def close(self) -> None:
        """Take the widget off all pages, together with its layout."""
        if self.comm is not None:
            layout = self.layout
            super().close()
            layout.close()
