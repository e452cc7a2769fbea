"""A field for one secret value that a command waits for."""

import unicodedata
from collections.abc import Callable
from typing import ClassVar

import traitlets

from sparknb.displays.safe_text import printable
from sparknb.widgets.assets import module, stylesheet
from sparknb.widgets.messages import Message
from sparknb.widgets.panel import Panel
from sparknb.widgets.secret_value import read_value

__all__ = ["SecretPrompt"]


class SecretPrompt(Panel):
    """Asks for one value and hands it on, once; it is kept nowhere here."""

    _esm: ClassVar[str] = module("secret_prompt")
    _css: ClassVar[str] = stylesheet()

    label = traitlets.Unicode().tag(sync=True)
    status = traitlets.Unicode("open").tag(sync=True)

    def __init__(self, label: str, on_value: Callable[[str | None], None]) -> None:
        self._on_value = on_value
        super().__init__(label=printable(label))

    def end(self, status: str) -> None:
        """Close the prompt: `given`, `cancelled` or `expired`."""
        if self.status == "open":
            self.status = status

    def _text(self) -> str:
        said = {
            "open": "waits for a value",
            "given": "a value was given",
            "expired": "no value was given in time",
        }
        return f"{self.label}: {said.get(self.status, 'cancelled, no value was given')}"

    def _answer(self, message: Message) -> bool:
        if self.status != "open" or message.fields:
            return False
        if message.kind == "cancel" and not message.buffers:
            self.end("cancelled")
            self._on_value(None)
            return True
        if message.kind != "value":
            return False
        secret = read_value(message.buffers)
        if isinstance(secret, str):
            self._reply(message, kind="wrong", text=secret)
        elif problem := _problem(secret.value):
            self._reply(message, kind="wrong", text=problem)
        else:
            self.end("given")
            self._on_value(secret.value)
        return True


def _problem(value: str) -> str | None:
    """Say what no secret may be; the rest is the host's to check."""
    kept = value.strip()
    if not kept:
        return "The value is empty."
    if any(unicodedata.category(character) == "Cc" for character in kept):
        return (
            "The value holds a control character; copy it again, without line breaks."
        )
    return None
