"""The person's door to services that answer questions to a model (ST-45)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from sparknb.core.addresses import leads_home
from sparknb.core.chat import ChatProvider
from sparknb.core.errors import (
    AlreadyExistsError,
    KeychainUnavailableError,
    NotFoundError,
    SparknbError,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import Registry, StoredSecret
from sparknb.core.providers import ProviderProfile, key_reference
from sparknb.core.secret_variables import in_variable
from sparknb.host.provider_trials import ProviderReport, try_provider
from sparknb.host.secret_values import (
    refuse_forgetting,
    refuse_read_only,
    value_refusal,
    value_remarks,
    wrapped,
)
from sparknb.host.vault import Vault

__all__ = ["ProviderState", "Providers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderState:
    """A profile, and whether its key is there.

    Attributes:
        has_key: None where that cannot be told, or no key is wanted.
    """

    profile: ProviderProfile
    has_key: bool | None


class Providers:
    """Provider profiles and their keys; only a person adds, removes or tries them.

    Args:
        registry: Keeps the profiles.
        vault: Keeps the keys, each bound to the origin of its profile.
        chat: Asks the services.
        one_shot: The process ends after one command, so memory keeps no key.
    """

    def __init__(
        self, registry: Registry, vault: Vault, chat: ChatProvider, *, one_shot: bool
    ) -> None:
        self._registry = registry
        self._vault = vault
        self._chat = chat
        self._one_shot = one_shot

    # ----------------------------------------------------------------- profiles
    def takes_key(self, profile: ProviderProfile) -> bool:
        """Whether a person is to give its key here; `env` reads it elsewhere."""
        return profile.needs_key and not self._vault.keychain.is_read_only

    async def require_addable(self, profile: ProviderProfile) -> None:
        """Refuse what `add` would refuse whatever the key: before it is asked for.

        Raises:
            AlreadyExistsError: The id is taken, or one that can hardly be told apart.
            KeychainUnavailableError: The keychain would not keep the key.
        """
        if self._registry.provider(profile.id) is not None:
            raise AlreadyExistsError(
                f"there is a provider with the id {profile.id} already",
                path="id",
                hint=f"sparknb provider remove {profile.id}, or choose another id",
            )
        variable = in_variable(profile.id)
        for other in await asyncio.to_thread(self._registry.providers):
            if in_variable(other.id) == variable:  # it would hold the keys of both
                raise AlreadyExistsError(
                    f"the id {profile.id} is too much like that of {other.id}",
                    path="id",
                    hint="choose one that differs in more than case and signs",
                )
        if self.takes_key(profile):
            await self._require_keeping(profile)

    async def add(
        self, profile: ProviderProfile, key: str | None = None
    ) -> Sequence[Problem]:
        """Store a profile, and its key where one is given; give notices.

        Raises:
            AlreadyExistsError: The id is taken.
            InvalidInputError: The key is empty, too long or cannot be sent.
            KeychainUnavailableError: The keychain refuses, or would forget the key.
        """
        secret, is_stripped = (None, False) if key is None else wrapped(key)
        del key  # wrapped from here on: a traceback may show variables
        await self.require_addable(profile)
        if secret is not None:
            _require_sound(secret)
        await asyncio.to_thread(self._registry.add_provider, profile)
        notices = _unencrypted(profile)
        if secret is None:
            return notices
        try:
            kept = await self._keep(profile, secret, is_stripped=is_stripped)
        except KeychainUnavailableError:
            await asyncio.to_thread(self._registry.remove_provider, profile.id)
            raise
        return [*notices, *kept]

    async def list(self, *, with_keys: bool = True) -> Sequence[ProviderState]:
        """Give all profiles, sorted by id; without their keys no keychain is asked."""
        profiles = await asyncio.to_thread(self._registry.providers)
        if not with_keys:
            return [ProviderState(profile=p, has_key=None) for p in profiles]
        return [await self.state(profile) for profile in profiles]

    async def state(self, profile: ProviderProfile) -> ProviderState:
        """Give a profile, and whether its key is there."""
        has_key = None
        if profile.needs_key:
            names = [key_reference(profile.id)]
            try:
                missing = await self._vault.missing(profile.id, names, profile.origin)
                has_key = not missing
            except KeychainUnavailableError:
                has_key = None  # a list is shown also when it does not answer
        return ProviderState(profile=profile, has_key=has_key)

    async def remove(self, profile_id: str) -> Sequence[str]:
        """Remove a profile and its key; give the ids of the tools that name it.

        The key goes first: a keychain that refuses leaves everything as it is.

        Raises:
            NotFoundError: There is no such profile.
            KeychainUnavailableError: The keychain refuses.
        """
        profile = self.get(profile_id)
        if self.takes_key(profile):
            await self._vault.remove([key_reference(profile.id)])
        await asyncio.to_thread(self._registry.remove_provider, profile.id)
        return await asyncio.to_thread(self._tools_of, profile.id)

    def get(self, profile_id: str) -> ProviderProfile:
        """Give a profile.

        Raises:
            NotFoundError: There is none.
        """
        profile = self._registry.provider(profile_id)
        if profile is None:
            raise NotFoundError(
                f"no provider has the id {profile_id[:80]!r}",
                path="id",
                hint="sparknb provider list shows them",
            )
        return profile

    # --------------------------------------------------------------------- keys
    async def require_key_settable(self, profile_id: str) -> ProviderProfile:
        """Refuse what `set_key` would refuse whatever the key; give the profile.

        Raises:
            NotFoundError: There is no such profile, or it wants no key.
            KeychainUnavailableError: The keychain would not keep the key.
        """
        profile = self.get(profile_id)
        if not profile.needs_key:
            raise NotFoundError(
                f"the provider {profile.id} was added without a key",
                path="id",
                hint="remove it and add it again, without --no-key",
            )
        refuse_read_only(self._vault.keychain, key_reference(profile.id))
        await self._require_keeping(profile)
        return profile

    async def set_key(self, profile_id: str, key: str) -> Sequence[Problem]:
        """Store a key in place of the one before; give notices.

        Raises:
            NotFoundError: There is no such profile, or it wants no key.
            InvalidInputError: The key is empty, too long or cannot be sent.
            KeychainUnavailableError: The keychain refuses, or would forget the key.
        """
        secret, is_stripped = wrapped(key)
        del key  # wrapped from here on: a traceback may show variables
        profile = await self.require_key_settable(profile_id)
        _require_sound(secret)
        kept = await self._keep(profile, secret, is_stripped=is_stripped)
        if self._registry.provider(profile.id) is None:  # removed meanwhile
            await self._vault.remove([key_reference(profile.id)])
        return kept

    # --------------------------------------------------------------------- trial
    async def test(self, profile_id: str) -> ProviderReport:
        """Ask a service for its models, and its model for one word.

        Raises:
            NotFoundError: There is no such profile.
            SecretMissingError: It has no key.
            ToolTimeoutError: It took longer than a minute.
            SparknbError: It cannot be asked, or says no; without the key.
        """
        profile = self.get(profile_id)
        outcome = await try_provider(self._chat, profile, await self._key(profile))
        if isinstance(outcome, SparknbError):
            raise outcome  # here, outside of the frames that saw the key
        return outcome

    # ------------------------------------------------------------------- inside
    async def _key(self, profile: ProviderProfile) -> StoredSecret | None:
        if not profile.needs_key:
            return None
        names, origin = [key_reference(profile.id)], profile.origin
        missing = await self._vault.missing(profile.id, names, origin)
        if missing:
            refusal = self._vault.refusal(profile.id, missing, origin)
            refusal.path = ""  # it is of a definition, and here is none
            raise refusal
        values = await self._vault.values(profile.id, names, origin)
        return StoredSecret(values.popitem()[1])

    async def _require_keeping(self, profile: ProviderProfile) -> None:
        keychain, reference = self._vault.keychain, key_reference(profile.id)
        if self._one_shot:
            refuse_forgetting(keychain, f"the key of {profile.id}")
        await self._vault.missing(profile.id, [reference], None)  # it answers

    async def _keep(
        self, profile: ProviderProfile, secret: StoredSecret, *, is_stripped: bool
    ) -> Sequence[Problem]:
        reference, origin = key_reference(profile.id), profile.origin
        await self._vault.write(profile.id, reference, secret, origin)
        keychain = self._vault.keychain
        return value_remarks(secret, keychain, origin=origin, is_stripped=is_stripped)

    def _tools_of(self, profile_id: str) -> Sequence[str]:
        """Give the ids of the tools whose draft or published version names it."""
        found = []
        for tool in self._registry.tools()[0]:
            if tool.type != "provider-vision":
                continue
            numbers = {tool.draft_version, tool.published_version} - {None}
            stored = [self._registry.version(tool.id, n) for n in numbers if n]
            specs = [v.definition.get("spec", {}) for v in stored if v is not None]
            if any(s.get("providerProfileId") == profile_id for s in specs):
                found.append(tool.id)
        return sorted(found)


def _require_sound(secret: StoredSecret) -> None:
    if (refusal := value_refusal(secret.value)) is not None:
        raise refusal


def _unencrypted(profile: ProviderProfile) -> Sequence[Problem]:
    """Give the warning about a key that anybody on the way can read."""
    parts = urlsplit(profile.base_url)
    is_private = parts.scheme == "https" or leads_home(parts.hostname or "")
    if is_private or not profile.needs_key:
        return []
    return [
        Problem(
            code="KEY_UNENCRYPTED",
            message="its address is http, so the key and the images travel unencrypted",
            path="baseUrl",
            hint="use https where the service has it",
            level="warning",
        )
    ]
