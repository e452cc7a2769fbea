"""What was read elsewhere becomes drafts: all of them, or none (ST-85, ST-96, ST-100).

Nothing of an import is stored before a person accepts it. What is accepted goes into
the registry in one transaction; captured secrets then go straight to the keychain, and
if that refuses, the drafts are taken away again.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sparknb.core.definitions import ToolDefinition, secret_reference
from sparknb.core.errors import KeychainUnavailableError, SparknbError
from sparknb.core.problems import Problem
from sparknb.core.protocols import (
    DOCUMENT_LIMIT,
    Fetched,
    Fetcher,
    Registry,
    StoredSecret,
)
from sparknb.core.records import ToolRecord
from sparknb.host.documents import Cases, accepted
from sparknb.host.outcomes import DraftOutcome
from sparknb.host.secrets import Secrets, origin_of
from sparknb.host.studio import Studio
from sparknb.host.vault import Vault

__all__ = ["Accepted", "Imports", "Kept", "PassedOver"]

_log = logging.getLogger("sparknb.host")

DOCUMENT_SECONDS = 30.0

Values = Mapping[str, StoredSecret]
"""Secret values by their names; wrapped, since a traceback may show variables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A definition that was not stored; the others were."""

    id: str
    reason: str
    message: str

    def to_wire(self) -> dict[str, Any]:
        """Give `{id, reason, message}`."""
        return {"id": self.id, "reason": self.reason, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What became of an import.

    Attributes:
        saved: The new drafts, in the order given.
        skipped: Those whose id is taken: nothing is ever overwritten.
        notices: What a person should know about the secrets that were stored.
    """

    saved: Sequence[ToolRecord] = ()
    skipped: Sequence[PassedOver] = ()
    notices: Sequence[Problem] = ()

    def to_wire(self) -> dict[str, Any]:
        """Give `{saved: [{id, draftVersion}], skipped}`."""
        return {
            "saved": [
                {"id": t.id, "draftVersion": t.draft_version} for t in self.saved
            ],
            "skipped": [skip.to_wire() for skip in self.skipped],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A draft that was saved together with its secrets."""

    outcome: DraftOutcome
    notices: Sequence[Problem] = ()


@dataclass(slots=True)
class _Written:
    """What an import has written so far, with what was there before."""

    before: dict[str, StoredSecret | None] = field(default_factory=dict, repr=False)


class Imports:
    """Takes definitions that were read from a pasted text, a document or a file."""

    def __init__(
        self,
        *,
        registry: Registry,
        vault: Vault,
        secrets: Secrets,
        studio: Studio,
        fetcher: Fetcher,
    ) -> None:
        self._registry = registry
        self._vault = vault
        self._secrets = secrets
        self._studio = studio
        self._fetcher = fetcher

    async def fetch(self, url: str) -> Fetched:
        """Give a document by its http(s) address, under the egress guard.

        Raises:
            InvalidInputError: The address cannot be asked, or there is too much.
            DeniedError: The guard refuses a host, an address or a redirect.
            UnreachableError: No answer, or a broken one.
            HttpStatusError: The answer is none of 200-299.
            ToolTimeoutError: It took longer than 30 s.
        """
        return await self._fetcher.fetch(
            url, seconds=DOCUMENT_SECONDS, limit=DOCUMENT_LIMIT
        )

    async def is_taken(self, ids: Sequence[str]) -> Mapping[str, bool]:
        """Say for each id whether a tool has it already."""

        def look() -> dict[str, bool]:
            return {i: self._registry.get(i) is not None for i in ids}

        return await asyncio.to_thread(look)

    # ------------------------------------------------------------------- accept
    async def accept(
        self,
        definitions: Sequence[ToolDefinition | Mapping[str, Any]],
        *,
        origin: Literal["local", "imported"] = "imported",
        secrets: Mapping[str, Values] | None = None,
        cases: Mapping[str, Cases] | None = None,
    ) -> Accepted:
        """Store new drafts in one transaction, then their secrets.

        An id that is taken is passed over. A secret that cannot be kept takes all
        drafts of this import away again.

        Args:
            definitions: Valid ones. A mapping is checked; a `ToolDefinition` counts
                as checked.
            origin: `imported` for files that were made elsewhere.
            secrets: Captured values by tool id and secret name.
            cases: Test cases by tool id.

        Raises:
            InvalidInputError: A definition breaks rules, or a value cannot be kept.
            KeychainUnavailableError: The keychain refuses; nothing was stored.
        """
        wanted = secrets or {}
        read = [_definition(each) for each in definitions]
        for definition in read:
            await self._require_keepable(definition, wanted.get(definition.id, {}))
        entries = [(each, (cases or {}).get(each.id, ())) for each in read]
        saved = await asyncio.to_thread(
            lambda: self._registry.create_drafts(entries, origin=origin)
        )
        written = _Written()
        try:
            notices = await self._write_all(saved, read, wanted, written)
        except BaseException:
            await _whole(self._take_back(saved, written))
            raise
        return Accepted(saved=saved, skipped=_passed_over(read, saved), notices=notices)

    async def _write_all(
        self,
        saved: Sequence[ToolRecord],
        read: Sequence[ToolDefinition],
        wanted: Mapping[str, Values],
        written: _Written,
    ) -> list[Problem]:
        by_id: dict[str, ToolDefinition] = {}
        for definition in read:
            by_id.setdefault(definition.id, definition)
        notices: list[Problem] = []
        for tool in saved:
            values = wanted.get(tool.id, {})
            notices += await self._write(by_id[tool.id], values, written)
        return notices

    async def _take_back(self, saved: Sequence[ToolRecord], written: _Written) -> None:
        """Remove what an import stored; what somebody changed meanwhile stays."""
        await self._restore(written)

        def remove_drafts() -> None:
            for tool in saved:
                try:
                    self._registry.delete(
                        tool.id, expected_revision=tool.draft_revision
                    )
                except SparknbError as error:
                    _log.warning("a draft of a failed import stays: %s", error.message)

        await asyncio.to_thread(remove_drafts)

    # --------------------------------------------------------------------- keep
    async def keep(self, definition: Mapping[str, Any], values: Values) -> Kept:
        """Save one draft, new or known, together with its secrets.

        Raises:
            InvalidInputError: The definition breaks rules, or a value cannot be kept.
            KeychainUnavailableError: The keychain refuses; the draft is as before.
        """
        read = _definition(definition)
        await self._require_keepable(read, values)
        before = await self._before(read.id)
        outcome = await self._studio.draft(definition)
        written = _Written()
        try:
            notices = await self._write(read, values, written)
        except BaseException:
            await _whole(self._put_back(outcome, before, written))
            raise
        status = dict(outcome.secrets) | dict.fromkeys(values, True)
        return Kept(outcome=replace(outcome, secrets=status), notices=notices)

    async def _before(self, tool_id: str) -> Mapping[str, Any] | None:
        """Give the pending draft that a save would overwrite."""

        def look() -> Mapping[str, Any] | None:
            record = self._registry.get(tool_id)
            if record is None or not record.is_pending or record.draft_version is None:
                return None
            version = self._registry.version(tool_id, record.draft_version)
            return None if version is None else version.definition

        return await asyncio.to_thread(look)

    async def _put_back(
        self,
        outcome: DraftOutcome,
        before: Mapping[str, Any] | None,
        written: _Written,
    ) -> None:
        """Undo a save whose secrets could not be kept."""
        if outcome.created:
            await self._take_back([outcome.tool], written)
            return
        await self._restore(written)
        if outcome.unchanged:
            return
        try:
            if before is None:
                await self._studio.discard_draft(outcome.tool.id)
            else:
                await self._studio.save_draft(
                    before, expected_revision=outcome.tool.draft_revision
                )
        except SparknbError as error:
            _log.warning("the draft before a failed import is lost: %s", error.message)

    # ------------------------------------------------------------------ secrets
    async def _require_keepable(
        self, definition: ToolDefinition, values: Values
    ) -> None:
        """Refuse secrets that could not be kept, before anything is stored.

        Raises:
            KeychainUnavailableError: The keychain is read-only without this value,
                would forget it, or does not answer.
        """
        names = sorted(values)
        if not names:
            return
        self._secrets.refuse_forgetting(definition.id, names[0])
        keychain = self._vault.keychain
        missing = await self._vault.missing(definition.id, names, origin_of(definition))
        if keychain.is_read_only and missing:
            reference = secret_reference(definition.id, missing[0])
            raise KeychainUnavailableError(
                f"the {keychain.kind} keychain is read-only and cannot keep"
                f" {missing[0]} of {definition.id}: nothing was saved",
                hint=f"set the variable {keychain.variable(reference)}, start sparknb"
                " again, and repeat this",
            )

    async def _write(
        self, definition: ToolDefinition, values: Values, written: _Written
    ) -> list[Problem]:
        """Give the captured values to the keychain; one that only reads has them."""
        if not values:
            return []
        if self._vault.keychain.is_read_only:
            return [_read_from_environment(definition.id, sorted(values))]
        notices: list[Problem] = []
        for name in sorted(values):
            reference = secret_reference(definition.id, name)
            there = await asyncio.to_thread(self._vault.keychain.read, reference)
            written.before[reference] = there
            notices += await self._secrets.set(definition.id, name, values[name].value)
        return notices

    async def _restore(self, written: _Written) -> None:
        """Let the keychain hold what it held before."""
        keychain = self._vault.keychain

        def restore() -> None:
            for reference, there in written.before.items():
                if there is None:
                    keychain.remove(reference)
                else:
                    keychain.write(reference, there)

        try:
            await asyncio.to_thread(restore)
        except KeychainUnavailableError as error:
            _log.warning("secrets of a failed import stay: %s", error.message)


async def _whole(work: Any) -> None:
    """Await what must not be broken off, also when the caller is cancelled again."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                return


def _definition(given: ToolDefinition | Mapping[str, Any]) -> ToolDefinition:
    return given if isinstance(given, ToolDefinition) else accepted(given)[0]


def _passed_over(
    read: Sequence[ToolDefinition], saved: Sequence[ToolRecord]
) -> list[PassedOver]:
    """Give those that were left out: of an id that was saved, all but the first."""
    left = {tool.id for tool in saved}
    skipped = []
    for definition in read:
        if definition.id in left:
            left.remove(definition.id)
            continue
        message = f"a tool has the id {definition.id} already"
        skipped.append(
            PassedOver(id=definition.id, reason="ALREADY_EXISTS", message=message)
        )
    return skipped


def _read_from_environment(tool_id: str, names: Sequence[str]) -> Problem:
    listed = ", ".join(names)
    return Problem(
        code="SECRET_CAPTURED",
        message=f"{listed} of {tool_id}: the value that was pasted was dropped; the one"
        " in the environment counts",
        path="secretRefs",
        level="notice",
    )
