"""One question to a model, and what asks it.

This is the seam to the services of `core.providers`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sparknb.core.protocols import StoredSecret
from sparknb.core.providers import ProviderProfile

__all__ = ["ChatAnswer", "ChatProvider", "ChatRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question.

    Attributes:
        messages: As the protocol has them: `{role, content}`.
        max_tokens: The longest answer.
    """

    model: str
    messages: Sequence[Mapping[str, Any]]
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What a model answered; `is_cut` says that it ran out of tokens."""

    text: str
    is_cut: bool = False
    status: int = 200


class ChatProvider(Protocol):
    """What asks services. The caller holds the clock; nothing is tried twice."""

    async def models(
        self, profile: ProviderProfile, key: StoredSecret | None
    ) -> Sequence[str]:
        """Give the names of the models that a service lists.

        Raises:
            SparknbError: It does not list them, or cannot be asked.
        """
        ...

    async def ask(
        self, profile: ProviderProfile, request: ChatRequest, key: StoredSecret | None
    ) -> ChatAnswer:
        """Ask once and give the answer.

        Raises:
            SparknbError: `UNREACHABLE`, `HTTP_ERROR`, `DENIED`, or `EXECUTION_FAILED`
                for an answer that says no or cannot be read. The message may repeat
                what the service wrote: whoever shows it hides the key in it.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...
