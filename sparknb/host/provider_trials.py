"""Trying a service: what it lists, and whether its model answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sparknb.core.chat import ChatProvider, ChatRequest
from sparknb.core.errors import (
    ExecutionFailedError,
    HttpStatusError,
    SparknbError,
    ToolTimeoutError,
)
from sparknb.core.protocols import StoredSecret
from sparknb.core.providers import ProviderProfile
from sparknb.core.redaction import Redactor

__all__ = ["ProviderReport", "try_provider"]

_SECONDS = 60
_TOKENS = 256  # models that think first need some for that
_QUESTION = "Answer with the one word: ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReport:
    """What a service did when it was tried.

    Attributes:
        models: What it lists; None where it does not.
        unlisted: Why it does not.
        reply: What its model answered; None where the profile names no model.
    """

    profile: ProviderProfile
    models: Sequence[str] | None
    unlisted: str | None
    reply: str | None

    @property
    def is_model_listed(self) -> bool:
        """Whether the profile's model is one of those listed, as far as is known."""
        model, models = self.profile.model, self.models
        return model is None or models is None or model in models


async def try_provider(
    chat: ChatProvider, profile: ProviderProfile, key: StoredSecret | None
) -> ProviderReport | SparknbError:
    """Ask a service for its models, and its model for one word.

    Gives what it did. A failure is given too, as a new one without the key, so that
    it is raised outside of the frames that saw the key.
    """
    redactor = Redactor([] if key is None else [key.value], patterns=True)
    try:
        async with asyncio.timeout(_SECONDS):
            return await _try(chat, profile, key, redactor)
    except TimeoutError:
        return ToolTimeoutError(f"{profile.id} did not answer within {_SECONDS} s")
    except SparknbError as error:
        hidden = redactor.text(error.message, cut=True)
        return type(error)(hidden, path=error.path, hint=error.hint)


async def _try(
    chat: ChatProvider,
    profile: ProviderProfile,
    key: StoredSecret | None,
    redactor: Redactor,
) -> ProviderReport:
    models: Sequence[str] | None = None
    unlisted = reply = None
    try:
        models = [redactor.text(name) for name in await chat.models(profile, key)]
    except (HttpStatusError, ExecutionFailedError) as error:
        if profile.model is None:
            raise  # nothing is left to be tried
        unlisted = redactor.text(error.message, cut=True)
    if profile.model is not None:
        request = ChatRequest(
            model=profile.model,
            messages=[{"role": "user", "content": _QUESTION}],
            max_tokens=_TOKENS,
        )
        answer = await chat.ask(profile, request, key)
        reply = redactor.text(answer.text.strip(), cut=True)
    return ProviderReport(
        profile=profile, models=models, unlisted=unlisted, reply=reply
    )
