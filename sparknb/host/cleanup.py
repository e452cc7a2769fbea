"""Removing secret values that no definition declares any more (ST-68, ST-72)."""

import asyncio
import logging
from collections.abc import Collection, Sequence

from sparknb.core.definitions import ToolDefinition, secret_reference
from sparknb.core.errors import KeychainUnavailableError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Registry
from sparknb.host.vault import Vault

__all__ = ["Cleanup"]

_log = logging.getLogger("sparknb.host")


class Cleanup:
    """Keeps keychain and registry in step.

    A step that makes secrets superfluous notes their references in its own
    transaction; they are removed after the commit, or by the next step if the
    process dies in between.
    """

    def __init__(self, registry: Registry, vault: Vault) -> None:
        self._registry = registry
        self._vault = vault

    def declared_names(self, tool_id: str) -> set[str]:
        """Give the names that the draft or the published version declares."""
        record = self._registry.get(tool_id)
        if record is None:
            return set()
        numbers = (record.draft_version, record.published_version)
        return {name for n in numbers for name in self._names(tool_id, n)}

    def note_dropped(self, tool_id: str, *, keeping: Collection[str] = ()) -> None:
        """Note the names that a save (`keeping` its names) or a discard drops.

        Noted before the step: if that fails, the names are still declared, and
        `finish` forgets the note.
        """
        record = self._registry.get(tool_id)
        if record is None or not record.is_pending:
            return
        kept = {*keeping, *self._names(tool_id, record.published_version)}
        dropped = self.declared_names(tool_id) - kept
        if dropped:
            self._registry.note_removals(
                [secret_reference(tool_id, name) for name in sorted(dropped)]
            )

    def references_beyond(self, definition: ToolDefinition) -> list[str]:
        """Give references of any version's secrets that `definition` lacks."""
        kept = {secret_reference(definition.id, n) for n in definition.secrets}
        return [r for r in self.all_references(definition.id) if r not in kept]

    def all_references(self, tool_id: str) -> list[str]:
        """Give the references of all secrets that any version declares."""
        names = {
            name: None
            for version in self._registry.versions(tool_id)
            for name in version.definition.get("secretRefs", {})
        }
        noted = [
            r
            for r in self._registry.pending_removals()
            if r.startswith(secret_reference(tool_id, ""))
        ]
        return list(
            dict.fromkeys([*(secret_reference(tool_id, n) for n in names), *noted])
        )

    async def finish(self) -> list[Problem]:
        """Remove what steps have noted; a failure is reported, the steps stand."""
        noted = await asyncio.to_thread(self._registry.pending_removals)
        if not noted:
            return []
        stale = await asyncio.to_thread(self._not_declared_again, noted)
        problems = await self._try_removing(stale)
        if not problems:
            await asyncio.to_thread(self._registry.confirm_removals, noted)
        return problems

    async def remove(self, references: Collection[str]) -> None:
        """Remove values for good.

        Raises:
            KeychainUnavailableError: The keychain refuses.
        """
        await self._vault.remove(references)

    async def remove_again(self, references: Collection[str]) -> None:
        """Remove values that were set while their tool was being deleted.

        The tool is gone, so a keychain that refuses now is only logged.
        """
        await self._try_removing(references)

    def _names(self, tool_id: str, version: int | None) -> list[str]:
        if version is None:
            return []
        stored = self._registry.version(tool_id, version)
        return [] if stored is None else list(stored.definition.get("secretRefs", {}))

    async def _try_removing(self, references: Collection[str]) -> list[Problem]:
        try:
            await self._vault.remove(references)
        except KeychainUnavailableError as error:
            listed = ", ".join(r.rpartition(":")[2] for r in references)
            message = f"{listed} is still in the keychain: {error.message}"
            _log.warning("secret cleanup: %s", message)
            return [
                Problem(
                    code="KEYCHAIN_UNAVAILABLE",
                    message=message,
                    path="secretRefs",
                    hint="it is removed with the next publish, or delete it yourself",
                    level="warning",
                )
            ]
        return []

    def _not_declared_again(self, references: Sequence[str]) -> list[str]:
        """Leave out names that were declared again since the step noted them."""
        return [
            reference
            for reference in references
            if reference.rpartition(":")[2]
            not in self.declared_names(reference.split(":")[1])
        ]
