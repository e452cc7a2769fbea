"""Secret values on their way from the keychain to a call, bound to an origin."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit

from sparknb.core.addresses import leads_home
from sparknb.core.definitions import ToolDefinition, VisionSpec, secret_reference
from sparknb.core.errors import SecretMissingError
from sparknb.core.protocols import Keychain, StoredSecret
from sparknb.core.providers import KeyReference, ProviderProfile, key_reference

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
    """Reads and writes secret values; keychains may block, so in a worker thread.

    Names are those of a tool's own secrets, or `KeyReference`s of a provider's key.

    Args:
        keychain: Where the values are.
        profiles: Gives the provider profile with an id, None where there is none.
    """

    def __init__(
        self,
        keychain: Keychain,
        profiles: Callable[[str], ProviderProfile | None] = lambda _: None,
    ) -> None:
        self.keychain = keychain
        self._profiles = profiles

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
        variable = self.keychain.variable(_reference(tool_id, name))
        if isinstance(name, KeyReference):
            return _no_key(name.profile_id, variable, origin)
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
                shown = "key" if isinstance(name, KeyReference) else name
                raise SecretMissingError(
                    f"the value of {shown} went away while the call was prepared",
                    path=f"secretRefs.{shown}",
                )
            values[name] = stored.value
        return values

    async def known_values(self, definition: ToolDefinition) -> tuple[str, ...]:
        """Give all values of the tool, wherever they are bound: for redaction.

        Of a vision tool that is its provider's key.
        """
        found = await self._read(definition.id, self._names(definition))
        return tuple(s.value for s in found if s is not None)

    async def write(
        self, tool_id: str, name: str, secret: StoredSecret, origin: str | None
    ) -> None:
        """Store a value for this origin, in place of the one before."""
        bound = replace(secret, origin=binding(origin))
        reference = _reference(tool_id, name)
        await self._work(lambda: self.keychain.write(reference, bound))

    async def remove(self, references: Collection[str]) -> int:
        """Remove values by reference; give how many there were."""

        def work() -> int:
            return sum([self.keychain.remove(r) for r in references])

        return await self._work(work) if references else 0

    def _names(self, definition: ToolDefinition) -> Sequence[str]:
        spec = definition.spec
        if not isinstance(spec, VisionSpec):
            return definition.secrets
        profile = self._profiles(spec.provider_profile_id)
        if profile is None or not profile.needs_key:
            return ()
        return (key_reference(profile.id),)

    async def _read(
        self, tool_id: str, names: Sequence[str]
    ) -> list[StoredSecret | None]:
        references = [_reference(tool_id, name) for name in names]
        if not references:
            return []
        return await self._work(lambda: [self.keychain.read(r) for r in references])

    async def _work(self, function: Callable[[], _T]) -> _T:
        return await asyncio.to_thread(function)


def _reference(tool_id: str, name: str) -> str:
    """Give the keychain reference; told by type: no text of a definition is a key."""
    return name if isinstance(name, KeyReference) else secret_reference(tool_id, name)


def _no_key(
    profile_id: str, variable: str | None, origin: str | None
) -> SecretMissingError:
    command = f"give it: sparknb provider key {profile_id}"
    return SecretMissingError(
        f"the provider {profile_id} has no key for {binding(origin)}",
        path="spec.providerProfileId",
        hint=f"set the variable {variable}" if variable else command,
    )


def _fits(stored: StoredSecret | None, origin: str | None) -> bool:
    if stored is None:
        return False
    return stored.origin is None or stored.origin == binding(origin)
