"""Chooses a keychain by its kind."""

from collections.abc import Mapping

from sparknb.core.errors import InvalidInputError, KeychainUnavailableError
from sparknb.core.protocols import Keychain
from sparknb.keychain.env import EnvKeychain
from sparknb.keychain.memory import MemoryKeychain
from sparknb.keychain.system import OsKeychain

__all__ = ["open_keychain"]


def open_keychain(
    kind: str, *, registry_id: str, environment: Mapping[str, str]
) -> Keychain:
    """Open a keychain; `auto` asks the system's own, and may wait for its answer.

    Args:
        kind: `os`, `env`, `memory`, or `auto`: the system's where one is there (a
            locked one is), else memory, whose `fallback_reason` then says why.
        registry_id: Id of the registry that the secrets belong to.
        environment: Variables for `env`.

    Raises:
        InvalidInputError: Another kind.
    """
    match kind:
        case "auto":
            return _system_or_memory(OsKeychain(registry_id))
        case "os":
            return OsKeychain(registry_id)
        case "env":
            return EnvKeychain(environment)
        case "memory":
            return MemoryKeychain()
    raise InvalidInputError(
        f"no keychain is called {kind[:40]!r}",
        path="keychain",
        hint="use auto, os, env or memory",
    )


def _system_or_memory(keychain: OsKeychain) -> Keychain:
    try:
        keychain.probe()
    except KeychainUnavailableError as error:
        return MemoryKeychain(fallback_reason=error.message)
    return keychain
