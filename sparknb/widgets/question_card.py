"""The card that asks yes or no before a command changes something."""

import secrets
from collections.abc import Callable
from typing import ClassVar

import traitlets

from sparknb.commands.context import Question
from sparknb.displays import question_view, to_text
from sparknb.displays.safe_text import printable
from sparknb.widgets.assets import module, stylesheet
from sparknb.widgets.ending import Ending
from sparknb.widgets.messages import Message
from sparknb.widgets.panel import Panel

__all__ = ["QuestionCard"]


class QuestionCard(Panel):
    """Asks one question; passes on one answer, while it is open."""

    _esm: ClassVar[str] = module("question_card")
    _css: ClassVar[str] = stylesheet()

    card = traitlets.Dict().tag(sync=True)
    status = traitlets.Unicode("open").tag(sync=True)

    def __init__(self, question: Question, on_answer: Callable[[bool], None]) -> None:
        self._question = question
        self._on_answer = on_answer
        self._nonce = secrets.token_hex(16)
        details = [
            [printable(name), printable(text)] for name, text in question.details
        ]
        title = printable(question.title)
        super().__init__(
            card={"nonce": self._nonce, "title": title, "details": details}
        )

    def end(self, status: Ending) -> None:
        """Close the question; what ended stays as it ended."""
        if self.status == "open":
            self.status = status

    def _text(self) -> str:
        card = to_text(question_view(self._question))
        return card if self.status == "open" else f"{card}\n{self.status}"

    def _answer(self, message: Message) -> bool:
        if self.status != "open" or message.buffers:
            return False
        if not message.has_exactly("nonce") or message.fields["nonce"] != self._nonce:
            return False
        if message.kind not in ("approve", "reject"):
            return False
        is_yes = message.kind == "approve"
        self.end("approved" if is_yes else "rejected")
        self._on_answer(is_yes)
        return True
