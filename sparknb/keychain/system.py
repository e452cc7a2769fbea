"""Secret values in the keychain of the operating system, through keyring."""

from collections.abc import Callable
from typing import Literal, NoReturn, TypeVar

from sparknb.core.errors import KeychainUnavailableError
from sparknb.core.protocols import StoredSecret
from sparknb.keychain.backends import (
    Backend,
    best_backend,
    check_allowed,
    configured,
    label_of,
)
from sparknb.keychain.entry import decode_entry, encode_entry
from sparknb.keychain.failures import WINDOWS_BYTES, Failure, explain, too_long
from sparknb.keychain.patience import Patience

__all__ = ["OsKeychain"]

_T = TypeVar("_T")

_PROBE = "sparknb:probe"  # no reference of ours has this form: it is never stored
_WINDOWS = "keyring.backends.Windows"


class OsKeychain:
    """Keeps each value in one entry of the system's keychain.

    The service name carries the registry's id, so that two homes never share or
    remove each other's secrets (ST-67); the user name is the reference.

    Args:
        registry_id: Id of the registry that the secrets belong to.
        backend: The keyring backend to use; None finds that of the system when it is
            needed first.
        patience: Seconds to wait for one answer. A locked keychain may ask in a
            window, and there may be nobody to see it.
    """

    __slots__ = ("_backend", "_patience", "_service")

    def __init__(
        self,
        registry_id: str,
        *,
        backend: Backend | None = None,
        patience: float = 10.0,
    ) -> None:
        self._service = f"sparknb:{registry_id}"
        self._backend = backend
        self._patience = Patience(patience)

    @property
    def kind(self) -> Literal["os"]:
        """Which kind answers."""
        return "os"

    @property
    def label(self) -> str:
        """A short name for people."""
        if self._backend is None:
            return "keychain of the operating system"
        return label_of(self._backend)

    @property
    def is_read_only(self) -> bool:
        """Whether write and remove always refuse."""
        return False

    @property
    def fallback_reason(self) -> None:
        """Nothing: this is what others stand in for."""
        return

    def probe(self) -> None:
        """Make sure that there is a keychain; a locked one is there.

        Raises:
            KeychainUnavailableError: There is none, or it does not answer.
        """
        _, failure = self._ask(lambda b: b.get_password(self._service, _PROBE))
        if failure is not None and not failure.is_locked:
            raise failure.error

    def variable(self, reference: str) -> None:  # the protocol's
        """Give nothing: values are no variables here."""

    def read(self, reference: str) -> StoredSecret | None:
        """Give the value, or None when there is none.

        Raises:
            KeychainUnavailableError: The keychain is locked, absent or refuses, or
                the entry is not one of ours.
        """

        def ask(backend: Backend) -> tuple[bool, StoredSecret | None]:
            text = backend.get_password(self._service, reference)
            return (False, None) if text is None else (True, decode_entry(text))

        is_there, secret = self._answer(ask)
        if is_there and secret is None:
            raise KeychainUnavailableError(
                f"the keychain's entry for {reference} cannot be read",
                hint="set the secret again: that replaces the entry",
            )
        return secret

    def write(self, reference: str, secret: StoredSecret) -> None:
        """Store value and origin in one write, in place of those before.

        Raises:
            KeychainUnavailableError: The keychain is locked, absent or refuses, or
                the value is too long for it.
        """

        def ask(backend: Backend) -> None:
            entry = encode_entry(secret)
            on_windows = type(backend).__module__ == _WINDOWS
            if on_windows and len(entry.encode("utf-16-le")) > WINDOWS_BYTES:
                raise too_long()
            backend.set_password(self._service, reference, entry)

        self._answer(ask)

    def remove(self, reference: str) -> bool:
        """Remove the value; False when there was none.

        Raises:
            KeychainUnavailableError: The keychain is locked, absent or refuses.
        """
        _, failure = self._ask(lambda b: b.delete_password(self._service, reference))
        if failure is None:
            return True
        # Backends say the same of a missing entry and of a refusal: look.
        if not failure.is_delete or self._is_there(reference):
            raise failure.error
        return False

    def __repr__(self) -> str:
        return f"<OsKeychain {self._service}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a keychain belongs to its process and cannot be pickled")

    def _is_there(self, reference: str) -> bool:
        return self._answer(
            lambda b: b.get_password(self._service, reference) is not None
        )

    def _answer(self, ask: Callable[[Backend], _T]) -> _T:
        return _or_raise(*self._ask(ask))

    def _ask(self, ask: Callable[[Backend], _T]) -> "_Outcome[_T]":
        backend = self._backend or self._find()
        return self._try(lambda: ask(backend))

    def _find(self) -> Backend:
        for place, load in configured():
            chosen, failure = self._try(load)
            if failure is not None:
                raise KeychainUnavailableError(
                    f"{place} chooses a keyring backend that cannot be used "
                    f"({failure.name})",
                    hint="correct or remove that choice",
                )
            if chosen is not None:
                self._backend = check_allowed(chosen, place)
                break
        if self._backend is None:
            self._backend = _or_raise(*self._try(best_backend))
        return self._backend

    def _try(self, question: Callable[[], _T]) -> "_Outcome[_T]":
        future = self._patience.answer(question)
        error = future.exception()
        return (future.result(), None) if error is None else (None, explain(error))


_Outcome = tuple[_T | None, Failure | None]


def _or_raise(answer: _T | None, failure: Failure | None) -> _T:
    if failure is not None:
        raise failure.error
    return answer  # type: ignore[return-value]  # it is there when no failure is
