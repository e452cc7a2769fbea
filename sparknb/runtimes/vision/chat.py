"""Asks OpenAI-compatible services; see `core.chat.ChatProvider`."""

import asyncio
import json
from collections.abc import Callable, Sequence

from sparknb.core.chat import ChatAnswer, ChatRequest
from sparknb.core.errors import ExecutionFailedError, HttpStatusError
from sparknb.core.protocols import StoredSecret
from sparknb.core.providers import ProviderProfile, key_reference
from sparknb.runtimes.egress import Answer, Egress
from sparknb.runtimes.redirects import Outgoing
from sparknb.runtimes.refusals import sendable, status_error
from sparknb.runtimes.targets import parse_target
from sparknb.runtimes.vision.answers import chat_answer, model_names

__all__ = ["ChatClient"]

_MOST_BYTES = 4 * 1024 * 1024  # of an answer; the longest text is far below it
_NOT_FOUND = 404


class ChatClient:
    """Asks services over the egress; belongs to one event loop.

    A service may be on a private address, as a person chose it; cloud metadata stays
    out of reach.

    Args:
        egress: The way out; it is closed together with this.
        variable: Gives the environment variable that a key is read from, by its
            reference; None where keys are in no variables.
    """

    def __init__(
        self,
        egress: Egress,
        variable: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self._egress = egress
        self._variable = variable

    async def models(
        self, profile: ProviderProfile, key: StoredSecret | None
    ) -> Sequence[str]:
        """See `ChatProvider`."""
        answer = await self._send("GET", profile, "/models", key)
        return model_names(profile, answer)

    async def ask(
        self, profile: ProviderProfile, request: ChatRequest, key: StoredSecret | None
    ) -> ChatAnswer:
        """See `ChatProvider`."""
        body = await asyncio.to_thread(_written, request)
        answer = await self._send("POST", profile, "/chat/completions", key, body)
        return chat_answer(profile, answer)

    async def close(self) -> None:
        """Close all connections."""
        await self._egress.close()

    async def _send(
        self,
        method: str,
        profile: ProviderProfile,
        path: str,
        key: StoredSecret | None,
        body: bytes | None = None,
    ) -> Answer:
        target = parse_target(profile.base_url + path)
        if target is None:
            raise ExecutionFailedError(
                f"the base URL of {profile.id} cannot be asked",
                hint="remove the provider and add it again",
            )
        headers = [
            ("User-Agent", self._egress.user_agent),
            ("Accept", "application/json"),
            ("Accept-Encoding", "gzip, deflate"),
        ]
        if body is not None:
            headers.append(("Content-Type", "application/json"))
        if key is not None:
            subject, place = f"the key of {profile.id}", "spec.providerProfileId"
            value = sendable(subject, key.value, place)
            headers.append(("Authorization", f"Bearer {value}"))
        outgoing = Outgoing(
            method=method,
            target=target,
            headers=tuple(headers),
            body=body,
            secret_headers=frozenset(() if key is None else {"authorization"}),
        )
        answer = await self._egress.fetch(
            outgoing, allow_private=None, max_bytes=_MOST_BYTES
        )
        if not answer.is_success:
            raise self._refused(profile, answer)
        return answer

    def _refused(self, profile: ProviderProfile, answer: Answer) -> HttpStatusError:
        hint = None
        if answer.status in (401, 403):
            hint = self._other_key(profile)
        elif answer.status == _NOT_FOUND:
            hint = f"check the base URL and the model of {profile.id}"
        return status_error(answer, hint=hint)

    def _other_key(self, profile: ProviderProfile) -> str:
        if not profile.needs_key:
            return "if it wants a key: remove the provider, add it without --no-key"
        variable = self._variable(key_reference(profile.id))
        if variable is None:
            return f"give its key again: sparknb provider key {profile.id}"
        return f"set the variable {variable} to its key and start sparknb again"


def _written(request: ChatRequest) -> bytes:
    document = {
        "model": request.model,
        "messages": request.messages,
        "max_tokens": request.max_tokens,
        "stream": False,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
