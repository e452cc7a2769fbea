"""The person's door to secret values: set, status, delete (ST-66 to ST-69)."""

from sparknb.core.definitions import HttpSpec, ToolDefinition, secret_reference
from sparknb.core.errors import (
    InvalidInputError,
    InvalidTemplateError,
    KeychainUnavailableError,
    NotFoundError,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import Registry
from sparknb.core.templates import compile_request
from sparknb.host.catalog import Catalog
from sparknb.host.secret_values import (
    LONGEST_VALUE,
    refuse_forgetting,
    refuse_read_only,
    value_refusal,
    value_remarks,
    wrapped,
)
from sparknb.host.vault import Vault

__all__ = ["LONGEST_VALUE", "Secrets", "origin_of", "secret_status"]


class Secrets:
    """Secret values of Studio tools; only a person writes them."""

    def __init__(
        self, registry: Registry, catalog: Catalog, vault: Vault, *, one_shot: bool
    ) -> None:
        self._registry = registry
        self._catalog = catalog
        self._vault = vault
        self._one_shot = one_shot

    async def set(self, tool_id: str, name: str, value: str) -> list[Problem]:
        """Store a value, bound to the origin of the tool's URL; give notices.

        Raises:
            NotFoundError: No such tool, or the name is not declared.
            InvalidInputError: The value is empty, too long or cannot be sent.
            KeychainUnavailableError: The keychain refuses, or would forget it.
        """
        secret, is_stripped = wrapped(value)
        del value  # wrapped from here on: a traceback may show variables
        definition = await self.require_settable(tool_id, name)
        if (refusal := value_refusal(secret.value)) is not None:
            raise refusal
        origin = origin_of(definition)
        await self._vault.write(tool_id, name, secret, origin)
        await self._take_back_undeclared(tool_id, name)
        return value_remarks(
            secret,
            self._vault.keychain,
            origin=origin,
            is_stripped=is_stripped,
        )

    async def require_settable(self, tool_id: str, name: str) -> ToolDefinition:
        """Refuse what `set` would refuse whatever the value: before it is asked for.

        Gives the definition that declares the name.

        Raises:
            NotFoundError: No such tool, or the name is not declared.
            KeychainUnavailableError: The keychain is read-only, does not answer, or
                would forget the value.
        """
        definition = self._declaring(tool_id, name)
        refuse_read_only(self._vault.keychain, secret_reference(tool_id, name))
        self.refuse_forgetting(tool_id, name)
        await self._vault.missing(tool_id, [name], None)  # it answers
        return definition

    async def status(self, tool_id: str) -> dict[str, bool]:
        """Give for each declared name whether it has a value.

        Raises:
            NotFoundError: No such tool.
            KeychainUnavailableError: The keychain cannot be asked.
        """
        found: dict[str, bool] = {}
        for definition in self._definitions(tool_id):
            names = [n for n in definition.secrets if n not in found]
            found |= await secret_status(self._vault, definition, names)
        return found

    async def delete(self, tool_id: str, name: str) -> bool:
        """Remove a value; False when there was none.

        Raises:
            NotFoundError: No such tool, or the name is not declared.
            KeychainUnavailableError: The keychain refuses.
        """
        self._declaring(tool_id, name)
        keychain = self._vault.keychain
        if keychain.is_read_only:
            raise KeychainUnavailableError(
                f"the {keychain.kind} keychain is read-only",
                hint="remove the variable from the environment instead",
            )
        return bool(await self._vault.remove([secret_reference(tool_id, name)]))

    def _definitions(self, tool_id: str) -> list[ToolDefinition]:
        """Give the definitions that count: the pending draft's, then the published."""
        record = self._registry.get(tool_id)
        if record is None:
            raise NotFoundError(f"no tool has the id {tool_id[:80]!r}", path="id")
        numbers = dict.fromkeys((record.draft_version, record.published_version))
        stored = [self._registry.version(tool_id, n) for n in numbers if n is not None]
        return [self._catalog.definition(v) for v in stored if v is not None]

    async def _take_back_undeclared(self, tool_id: str, name: str) -> None:
        """Leave no value behind where the tool or the name went away meanwhile."""
        try:
            self._declaring(tool_id, name)
        except NotFoundError:
            await self._vault.remove([secret_reference(tool_id, name)])
            raise

    def _declaring(self, tool_id: str, name: str) -> ToolDefinition:
        found = self._definitions(tool_id)
        for definition in found:
            if name in definition.secrets:
                return definition
        declared = sorted({n for d in found for n in d.secrets})
        listed = f"declared: {', '.join(declared)}" if declared else "it declares none"
        raise NotFoundError(
            f"{tool_id} declares no secret of this name ({listed})", path="name"
        )

    def refuse_forgetting(self, tool_id: str, name: str) -> None:
        """Refuse to store what would be gone when this command ends (ST-67).

        Raises:
            KeychainUnavailableError: There is only memory, and nobody chose that.
        """
        if self._one_shot:
            refuse_forgetting(self._vault.keychain, f"{name} of {tool_id}")


async def secret_status(
    vault: Vault, definition: ToolDefinition, names: list[str] | None = None
) -> dict[str, bool]:
    """Give for each name whether a value fits the definition's origin.

    None does while that cannot be told: an imported draft may have a URL that is
    refused when it is published.
    """
    names = list(definition.secrets) if names is None else names
    if not names:
        return {}
    try:
        origin = origin_of(definition)
    except (InvalidInputError, InvalidTemplateError):
        return dict.fromkeys(names, False)
    missing = await vault.missing(definition.id, names, origin)
    return {name: name not in missing for name in names}


def origin_of(definition: ToolDefinition) -> str | None:
    """Give the origin that a definition's secrets go to."""
    if not isinstance(definition.spec, HttpSpec):
        return None
    parameters = definition.input_schema.parameters
    return compile_request(definition.spec, parameters).origin
