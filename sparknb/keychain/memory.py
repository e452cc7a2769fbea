"""Secret values in memory, for as long as the process lives."""

import threading
from typing import Literal, NoReturn

from sparknb.core.protocols import StoredSecret

__all__ = ["MemoryKeychain"]


class MemoryKeychain:
    """Keeps values in this object only; safe to share between threads.

    Args:
        fallback_reason: Why it stands in for the keychain of the system, None when
            it was asked for.
    """

    __slots__ = ("_fallback_reason", "_lock", "_secrets")

    def __init__(self, *, fallback_reason: str | None = None) -> None:
        self._fallback_reason = fallback_reason
        self._lock = threading.Lock()
        self._secrets: dict[str, StoredSecret] = {}

    @property
    def kind(self) -> Literal["memory"]:
        """Which kind answers."""
        return "memory"

    @property
    def label(self) -> str:
        """A short name for people."""
        return "memory of this process"

    @property
    def is_read_only(self) -> bool:
        """Whether write and remove always refuse."""
        return False

    @property
    def fallback_reason(self) -> str | None:
        """Why it stands in for the keychain of the system, None when asked for."""
        return self._fallback_reason

    def variable(self, reference: str) -> None:  # the protocol's
        """Give nothing: values are no variables here."""

    def read(self, reference: str) -> StoredSecret | None:
        """Give the value, or None when there is none."""
        with self._lock:
            return self._secrets.get(reference)

    def write(self, reference: str, secret: StoredSecret) -> None:
        """Keep the value in place of the one before."""
        with self._lock:
            self._secrets[reference] = secret

    def remove(self, reference: str) -> bool:
        """Forget the value; False when there was none."""
        with self._lock:
            return self._secrets.pop(reference, None) is not None

    def __repr__(self) -> str:
        return f"<MemoryKeychain with {len(self._secrets)} secrets>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a keychain holds secret values and cannot be pickled")
