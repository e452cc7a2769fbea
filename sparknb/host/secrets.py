"""The person's door to secret values: set, status, delete (ST-66 to ST-69)."""

import unicodedata

from sparknb.core.definitions import HttpSpec, ToolDefinition, secret_reference
from sparknb.core.errors import (
    InvalidInputError,
    InvalidTemplateError,
    KeychainUnavailableError,
    NotFoundError,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import Registry, StoredSecret
from sparknb.core.redaction import SHORTEST_HIDDEN
from sparknb.core.templates import compile_request
from sparknb.host.catalog import Catalog
from sparknb.host.vault import Vault, binding

__all__ = ["LONGEST_VALUE", "Secrets", "origin_of", "secret_status"]

LONGEST_VALUE = 16_000
_IN_MEMORY_HINT = (
    "other notebooks and `sparknb mcp` do not see it: unlock or install a keychain "
    "(sparknb doctor), or give the value as a variable (docs/secrets.md)"
)


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
        secret, is_stripped = StoredSecret(value.strip()), value != value.strip()
        del value  # wrapped from here on: a traceback may show variables
        definition = await self.require_settable(tool_id, name)
        if (refusal := _refusal(secret.value)) is not None:
            raise refusal
        origin = origin_of(definition)
        await self._vault.write(tool_id, name, secret, origin)
        await self._take_back_undeclared(tool_id, name)
        notices = list(_remarks(secret.value, is_stripped=is_stripped))
        notices.append(_notice("SECRET_BOUND", f"kept for {binding(origin)} only"))
        reason = self._vault.keychain.fallback_reason
        if reason is not None:
            said = f"kept in memory until this process ends: {reason}"
            notices.append(_notice("SECRET_IN_MEMORY", said, _IN_MEMORY_HINT))
        return notices

    async def require_settable(self, tool_id: str, name: str) -> ToolDefinition:
        """Refuse what `set` would refuse whatever the value: before it is asked for.

        Gives the definition that declares the name.

        Raises:
            NotFoundError: No such tool, or the name is not declared.
            KeychainUnavailableError: The keychain is read-only, does not answer, or
                would forget the value.
        """
        definition = self._declaring(tool_id, name)
        reference = secret_reference(tool_id, name)
        keychain = self._vault.keychain
        if keychain.is_read_only:
            variable = keychain.variable(reference)
            raise KeychainUnavailableError(
                f"the {keychain.kind} keychain is read-only and stores nothing",
                hint=f"set the variable {variable} and start sparknb again",
            )
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
        keychain = self._vault.keychain
        if self._one_shot and keychain.fallback_reason is not None:
            raise KeychainUnavailableError(
                f"no keychain can keep {name} of {tool_id} after this command ends: "
                f"{keychain.fallback_reason}",
                hint="unlock or install one (sparknb doctor), or set "
                "SPARKNB_KEYCHAIN=env and give the value as a variable",
            )


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


def _refusal(value: str) -> InvalidInputError | None:
    """Give what is wrong with a value; raised elsewhere, without this frame."""
    if not value:
        return InvalidInputError("the value is empty", path="value")
    if len(value) > LONGEST_VALUE:
        return InvalidInputError(
            f"the value has {len(value)} characters; at most {LONGEST_VALUE} are kept",
            path="value",
        )
    for place, character in enumerate(value, start=1):
        code = f"U+{ord(character):04X}"
        if unicodedata.category(character) == "Cc":
            return InvalidInputError(
                f"character {place} is a control character ({code})",
                path="value",
                hint="copy the value again, without line breaks",
            )
        if ord(character) > 0xFF:  # noqa: PLR2004  # the last character of latin-1
            return InvalidInputError(
                f"character {place} ({code}) cannot stand in a request header",
                path="value",
                hint="a word processor may have replaced a dash or a quote: copy the "
                "value from where it was issued",
            )
    return None


def _remarks(kept: str, *, is_stripped: bool) -> list[Problem]:
    found = []
    if is_stripped:
        found.append(_notice("SECRET_STRIPPED", "white space around it was removed"))
    if len(kept) < SHORTEST_HIDDEN:
        text = f"shorter than {SHORTEST_HIDDEN} characters: results cannot hide it"
        found.append(_notice("SECRET_SHORT", text))
    return found


def _notice(code: str, message: str, hint: str | None = None) -> Problem:
    return Problem(code=code, message=message, path="value", hint=hint, level="notice")
