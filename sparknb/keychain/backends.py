"""Which of keyring's backends may hold secrets: those of operating systems only.

keyring itself would, left alone, choose a plaintext file where a package with one is
installed (keyrings.alt), or chain it behind a real one. So it is not asked for its
choice: the real ones are tried by name, and what a person configured must be one.
"""

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from sparknb.core.errors import KeychainUnavailableError

__all__ = ["Backend", "best_backend", "check_allowed", "configured", "label_of"]

_ALLOWED = {
    ("keyring.backends.SecretService", "Keyring"): "Secret Service",
    ("keyring.backends.kwallet", "DBusKeyring"): "KWallet",
    ("keyring.backends.libsecret", "Keyring"): "Secret Service (libsecret)",
    ("keyring.backends.macOS", "Keyring"): "macOS Keychain",
    ("keyring.backends.Windows", "WinVaultKeyring"): "Windows Credential Manager",
}
_LABELS = {module: label for (module, _), label in _ALLOWED.items()}
_CHAINER = "keyring.backends.chainer"


class Backend(Protocol):
    """The part of keyring's backends that is used here."""

    def get_password(self, service: str, username: str) -> str | None:
        """Give the text of an entry, or None when there is none."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Write an entry in place of the one before."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Remove an entry."""
        ...


def configured() -> tuple[tuple[str, Callable[[], Backend | None]], ...]:
    """Give where a person may have chosen a backend, and how to load it from there."""
    from keyring import core

    return (
        ("the variable PYTHON_KEYRING_BACKEND", core.load_env),
        ("the file keyringrc.cfg of keyring", core.load_config),
    )


def check_allowed(backend: Backend, place: str) -> Backend | None:
    """Give a configured backend, or None for a chain: then the best real one is used.

    Raises:
        KeychainUnavailableError: It is no keychain of an operating system.
    """
    module = type(backend).__module__
    if module == _CHAINER:
        return None
    if module not in _LABELS:
        raise KeychainUnavailableError(
            f"{place} chooses {module}.{type(backend).__qualname__}, which is no "
            "keychain of the operating system",
            hint="remove that choice, or set SPARKNB_KEYCHAIN to env or memory",
        )
    return backend


def best_backend() -> Backend:
    """Give the keychain of this system; may block on a session bus.

    Raises:
        KeychainUnavailableError: There is none.
    """
    kinds = [getattr(importlib.import_module(m), name) for m, name in _ALLOWED]
    usable: list[tuple[float, Any]] = [(k.priority, k) for k in kinds if k.viable]
    if not usable:
        raise KeychainUnavailableError(
            "no keychain of the operating system answers",
            hint="on Linux, gnome-keyring or KWallet must run in the same session; or "
            "set SPARKNB_KEYCHAIN to env or memory",
        )
    best: Backend = max(usable, key=lambda pair: pair[0])[1]()
    return best


def label_of(backend: Backend) -> str:
    """Give a name for people."""
    return _LABELS.get(type(backend).__module__, type(backend).__qualname__)
