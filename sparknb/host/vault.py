"""Secret values on their way from the keychain to a call, bound to an origin."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit

from sparknb.core.addresses import leads_home
from sparknb.core.definitions import ToolDefinition, secret_reference
from sparknb.core.errors import SecretMissingError
from sparknb.core.protocols import Keychain, StoredSecret

__all__ = ["Vault", "binding"]

_T = TypeVar("_T")


def binding(origin: str | None) -> str | None:
    """Give what a value is bound to (ST-67).

    A loopback service changes its port from run to run, so there only the host
    counts: `http://127.0.0.1:8701` gives `127.0.0.1`.
    """
    if origin is None:
        return None
    host = urlsplit(origin).hostname or ""
    return host if leads_home(host) else origin


class Vault:
    """Reads and writes secret values; keychains may block, so in a worker thread."""

    def __init__(self, keychain: Keychain) -> None:
        self.keychain = keychain

    async def missing(
        self, tool_id: str, names: Iterable[str], origin: str | None
    ) -> list[str]:
        """Give the names that have no value for this origin.

        Raises:
            KeychainUnavailableError: The keychain cannot be asked.
        """
        names = list(names)
        found = await self._read(tool_id, names)
        return [n for n, s in zip(names, found, strict=True) if not _fits(s, origin)]

    def refusal(
        self, tool_id: str, names: Sequence[str], origin: str | None
    ) -> SecretMissingError:
        """Give the refusal for names without a value, with the way to set the first."""
        name = names[0]
        variable = self.keychain.variable(secret_reference(tool_id, name))
        command = f"set it: sparknb secret set {tool_id} {name}"
        verb = "has" if len(names) == 1 else "have"
        place = f" for {binding(origin)}" if origin is not None else ""
        return SecretMissingError(
            f"{', '.join(names)} of {tool_id} {verb} no value{place}",
            path=f"secretRefs.{name}",
            hint=f"set the variable {variable}" if variable else command,
        )

    async def values(
        self, tool_id: str, names: Sequence[str], origin: str | None
    ) -> dict[str, str]:
        """Give the values for this origin.

        Raises:
            SecretMissingError: One was removed or bound elsewhere in the meantime.
            KeychainUnavailableError: The keychain cannot be asked.
        """
        if not names:
            return {}
        values = {}
        for name, stored in zip(names, await self._read(tool_id, names), strict=True):
            if stored is None or not _fits(stored, origin):
                raise SecretMissingError(
                    f"the value of {name} went away while the call was prepared",
                    path=f"secretRefs.{name}",
                )
            values[name] = stored.value
        return values

    async def known_values(self, definition: ToolDefinition) -> tuple[str, ...]:
        """Give all values of the tool, wherever they are bound: for redaction."""
        found = await self._read(definition.id, definition.secrets)
        return tuple(s.value for s in found if s is not None)

    async def write(
        self, tool_id: str, name: str, secret: StoredSecret, origin: str | None
    ) -> None:
        """Store a value for this origin, in place of the one before."""
        bound = replace(secret, origin=binding(origin))
        await self._work(
            lambda: self.keychain.write(secret_reference(tool_id, name), bound)
        )

    async def remove(self, references: Collection[str]) -> int:
        """Remove values by reference; give how many there were."""

        def work() -> int:
            return sum([self.keychain.remove(r) for r in references])

        return await self._work(work) if references else 0

    async def _read(
        self, tool_id: str, names: Sequence[str]
    ) -> list[StoredSecret | None]:
        references = [secret_reference(tool_id, name) for name in names]
        if not references:
            return []
        return await self._work(lambda: [self.keychain.read(r) for r in references])

    async def _work(self, function: Callable[[], _T]) -> _T:
        return await asyncio.to_thread(function)


def _fits(stored: StoredSecret | None, origin: str | None) -> bool:
    if stored is None:
        return False
    return stored.origin is None or stored.origin == binding(origin)
