"""Studio tools from first draft to deletion: the use cases of ST-70.

The rules that need other stores (validation, secrets) are checked here; the
registry then takes the step in one transaction, if the state is still the one
that was checked.
"""

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sparknb.core.cases import CaseRun
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import AlreadyExistsError
from sparknb.core.exchange import Export
from sparknb.core.problems import Problem
from sparknb.core.protocols import Approver, Registry
from sparknb.core.records import ToolRecord
from sparknb.core.results import Source, ToolResult
from sparknb.core.validation import Report
from sparknb.host.catalog import Catalog
from sparknb.host.cleanup import Cleanup
from sparknb.host.dependencies import Dependencies
from sparknb.host.documents import Cases, Document
from sparknb.host.exchange import Exchange, Imported, Incoming
from sparknb.host.execution import Execution
from sparknb.host.gate import Gate
from sparknb.host.lifecycle import Lifecycle
from sparknb.host.lookup import Lookup
from sparknb.host.outcomes import (
    Difference,
    DraftOutcome,
    StepOutcome,
    ToolDetail,
    ToolList,
)
from sparknb.host.rules import Rules
from sparknb.host.trials import Trials

__all__ = ["Document", "Studio"]


class Studio:
    """The life of Studio tools."""

    def __init__(
        self,
        *,
        registry: Registry,
        catalog: Catalog,
        execution: Execution,
        rules: Rules,
        gate: Gate,
        dependencies: Dependencies,
        cleanup: Cleanup,
        approver: Approver | None = None,
    ) -> None:
        self._registry = registry
        self._lookup = Lookup(registry)
        self._catalog = catalog
        self._rules = rules
        self._gate = gate
        self._dependencies = dependencies
        self._cleanup = cleanup
        self._exchange = Exchange(registry, self._lookup, dependencies, rules)
        self._trials = Trials(
            registry=registry,
            lookup=self._lookup,
            execution=execution,
            rules=rules,
            cleanup=cleanup,
            approver=approver,
        )
        self._lifecycle = Lifecycle(
            registry=registry,
            lookup=self._lookup,
            gate=gate,
            dependencies=dependencies,
            cleanup=cleanup,
        )

    # ------------------------------------------------------------------ drafts
    async def validate(self, document: Document) -> Report:
        """Check a definition, given as JSON text or as parsed JSON; stores nothing."""
        found = await self._rules.report(document)
        if found.definition is None:
            return found
        return found.also(await self._dependencies.warnings(found.definition))

    async def create_draft(self, document: Document, cases: Cases = ()) -> DraftOutcome:
        """Store a new tool as a disabled draft.

        Raises:
            InvalidInputError: The definition or a case breaks rules (also the
                sub-kinds).
            AlreadyExistsError: The id is taken.
        """
        return await self._create(*await self._rules.accepted_draft(document, cases))

    async def save_draft(
        self,
        document: Document,
        cases: Cases | None = None,
        *,
        expected_revision: int | None = None,
    ) -> DraftOutcome:
        """Overwrite the pending draft, or open a new one beside the published version.

        Raises:
            InvalidInputError: The definition breaks rules, or its type changed.
            NotFoundError: No tool has this id.
            ConflictError: The draft is not at `expected_revision`.
        """
        accepted = await self._rules.accepted_draft(document, cases)
        return await self._save(*accepted, expected_revision)

    async def draft(
        self,
        document: Document,
        cases: Cases | None = None,
        *,
        expected_revision: int | None = None,
    ) -> DraftOutcome:
        """Create the tool, or save its draft when it is there already."""
        accepted = await self._rules.accepted_draft(document, cases)
        definition, warnings, cases = accepted
        known = await asyncio.to_thread(self._registry.get, definition.id)
        if known is None and expected_revision is None:
            # Somebody may make it just now: then there is a draft to save.
            with contextlib.suppress(AlreadyExistsError):
                return await self._create(definition, warnings, cases)
        return await self._save(definition, warnings, cases, expected_revision)

    async def discard_draft(
        self, tool_id: str, *, seen: ToolRecord | None = None
    ) -> StepOutcome:
        """Drop the pending draft; the published version stands.

        `seen` is the tool as a person was shown it: a step that they agreed to is
        taken in that state only. The other steps have it too.

        Raises:
            NotFoundError: No such tool.
            InvalidInputError: No pending draft, or nothing was published yet.
            ConflictError: The tool is not as it was seen.
        """
        return await self._lifecycle.discard(tool_id, seen=seen)

    async def test(
        self,
        target: str | Document,
        arguments: Any,
        *,
        version: int | None = None,
        approver: Approver | None = None,
        source: Source = "test",
        must_ask: bool = False,
    ) -> ToolResult:
        """Run a tool for its author: a stored one by id, or an unsaved definition.

        By id, the pending draft runs, else the published version, or any by
        `version`. A definition may use only secrets that the saved tool of the same
        id declares. `must_ask` asks the approver whatever the risk.

        Raises:
            InvalidInputError: The definition breaks rules (also its sub-kinds).
            NotFoundError: No such tool or version.
        """
        return await self._trials.test(
            target,
            arguments,
            version=version,
            approver=approver,
            source=source,
            must_ask=must_ask,
        )

    async def run_cases(
        self,
        tool_id: str,
        *,
        version: int | None = None,
        approver: Approver | None = None,
        source: Source = "test",
        must_ask: bool = False,
    ) -> CaseRun:
        """Run all test cases of a version, in order, and keep what came of it.

        By default of the pending draft, else of the published version. A tool above
        risk `read` asks once for all of them; `must_ask` asks whatever the risk.

        Raises:
            NotFoundError: No such tool or version.
            InvalidInputError: It has no cases, or breaks today's rules.
            DeniedError: The person said no.
            ApprovalUnavailableError: Nobody can be asked.
        """
        return await self._trials.run_cases(
            tool_id,
            version=version,
            approver=approver,
            source=source,
            must_ask=must_ask,
        )

    # --------------------------------------------------------------- lifecycle
    async def publish(
        self,
        tool_id: str,
        *,
        expected_version: int | None = None,
        expected_revision: int | None = None,
        require_cases: bool = False,
        seen: ToolRecord | None = None,
    ) -> StepOutcome:
        """Make the pending draft what agents use; the first publish enables the tool.

        `require_cases` wants its cases run and passed, also where the setting does
        not.

        Raises:
            NotFoundError: No such tool.
            InvalidInputError: No pending draft, or the draft breaks rules.
            ConflictError: The draft is not the expected one, or the tool not as it
                was seen.
            SecretMissingError: A secret has no value.
            CasesNotPassingError: The gate is on and the cases did not pass.
        """
        return await self._lifecycle.publish(
            tool_id,
            expected_version=expected_version,
            expected_revision=expected_revision,
            require_cases=require_cases,
            seen=seen,
        )

    async def require_publishable(
        self,
        tool_id: str,
        *,
        expected_version: int | None = None,
        require_cases: bool = False,
    ) -> ToolRecord:
        """Refuse what `publish` would refuse, with its errors: before anybody is asked.

        Gives the tool with the draft that would be published.
        """
        return await self._lifecycle.require_publishable(
            tool_id, expected_version=expected_version, require_cases=require_cases
        )

    async def set_enabled(
        self,
        tool_id: str,
        enabled: bool,  # noqa: FBT001  # the state is the argument
        *,
        seen: ToolRecord | None = None,
    ) -> StepOutcome:
        """Put a published tool on the agent surface, or take it off at once.

        Raises:
            NotFoundError: No such tool.
            DeniedError: Enabling, and nothing is published.
            InvalidInputError: Enabling, and the version breaks today's rules.
            SecretMissingError: Enabling, and a secret has no value.
            ConflictError: Enabling, and another version is published by now; or the
                tool is not as it was seen.
        """
        return await self._lifecycle.set_enabled(tool_id, enabled=enabled, seen=seen)

    async def require_enableable(self, tool_id: str) -> ToolRecord:
        """Refuse what enabling would refuse, with its errors: before anybody is asked.

        Gives the tool with the published version that agents would see.
        """
        return await self._lifecycle.require_enableable(tool_id)

    async def rollback(
        self, tool_id: str, version: int, *, seen: ToolRecord | None = None
    ) -> StepOutcome:
        """Publish a copy of an earlier version under a new number.

        Raises:
            NotFoundError: No such tool or version.
            InvalidInputError: A draft is pending, nothing is published, or the
                version is the current one.
            ConflictError: The published version changed meanwhile, or the tool is
                not as it was seen.
            SecretMissingError: A secret of the version has no value.
        """
        return await self._lifecycle.rollback(tool_id, version, seen=seen)

    async def require_earlier(self, tool_id: str, version: int) -> int:
        """Refuse what `rollback` would, with its errors: before anybody is asked.

        Gives the number of the published version.
        """
        return await self._lifecycle.require_earlier(tool_id, version)

    async def delete(
        self, tool_id: str, *, seen: ToolRecord | None = None
    ) -> Sequence[Problem]:
        """Remove a tool with its secrets, versions and traces.

        Gives the warning that others call it, where they do.

        Raises:
            NotFoundError: No such tool.
            KeychainUnavailableError: A secret could not be removed: the tool stays,
                disabled, and the same call can be repeated.
            ConflictError: A draft was saved or the tool enabled meanwhile, or it is
                not as it was seen: it stays.
        """
        return await self._lifecycle.delete(tool_id, seen=seen)

    # ----------------------------------------------------------------- reading
    async def get(self, tool_id: str, version: int | None = None) -> ToolDetail:
        """Give everything about one tool.

        Raises:
            NotFoundError: No such tool or version.
        """
        record = await self._lookup.record(tool_id)
        shown = await self._lookup.shown(tool_id, version)
        versions = await asyncio.to_thread(self._registry.versions, tool_id)
        by_number = {v.version: v for v in versions}
        draft = by_number.get(record.draft_version or 0) if record.is_pending else None
        published = by_number.get(record.published_version or 0)
        status = await self._gate.secret_status(
            self._catalog.definition(v) for v in (published, draft) if v is not None
        )
        return ToolDetail(
            tool=record,
            draft=draft,
            published=published,
            shown=shown,
            versions=versions,
            secret_status=status,
        )

    async def list(
        self,
        query: str | None = None,
        limit: int | None = None,
        *,
        pending: bool = False,
    ) -> ToolList:
        """Give tools, newest update first.

        Args:
            query: A literal part of id, title or description.
            limit: How many to give; all that match are counted.
            pending: Only tools in development: those whose draft is not published.
        """
        tools, total = await asyncio.to_thread(
            lambda: self._registry.tools(query=query, limit=limit, pending=pending)
        )
        return ToolList(tools=tools, total=total)

    async def diff(
        self, tool_id: str, a: int | None = None, b: int | None = None
    ) -> Difference:
        """Compare two versions; without numbers the published one with the draft.

        Raises:
            NotFoundError: No such tool or version.
            InvalidInputError: No numbers given and there is only one version.
        """
        return await self._lookup.difference(tool_id, a, b)

    # ---------------------------------------------------------------- exchange
    async def export(
        self,
        ids: Iterable[str] | str = (),
        *,
        for_original: bool = False,
        with_cases: bool = False,
        out: Path | str | None = None,
    ) -> Export:
        """Write tools as an export file, without secrets and state (ST-83).

        Of each tool what is published is taken, or the draft of one that never was.
        The outcome's `text` is the file, its notes say what Spark Work's Tool Studio
        does not do alike.

        Args:
            ids: Which tools, in this order; none stands for all.
            for_original: Leave out what the original cannot load.
            with_cases: Add the test cases, under a key that the original refuses.
            out: The file to replace by it, whole or not at all.

        Raises:
            NotFoundError: No tool has one of the ids: nothing is written.
            InvalidInputError: Too many tools, options that contradict each other, or
                a file that cannot be written.
        """
        return await self._exchange.export(
            [ids] if isinstance(ids, str) else ids,
            for_original=for_original,
            with_cases=with_cases,
            out=None if out is None else Path(out),
        )

    async def import_(self, file: Incoming) -> Imported:
        """Make disabled drafts of an export file, in one transaction (ST-85).

        What cannot be used is skipped with its reason; nothing is overwritten.

        Args:
            file: Its text, or the JSON value read from it.

        Raises:
            InvalidInputError: It is no export file: nothing is imported.
        """
        return await self._exchange.import_(file)

    # ---------------------------------------------------------------- the rest
    async def _create(
        self,
        definition: ToolDefinition,
        warnings: Sequence[Problem],
        cases: Cases | None,
    ) -> DraftOutcome:
        record = await asyncio.to_thread(
            self._registry.create_draft, definition, list(cases or ())
        )
        return await self._stored(record, definition, warnings, created=True)

    async def _save(
        self,
        definition: ToolDefinition,
        warnings: Sequence[Problem],
        cases: Cases | None,
        expected_revision: int | None,
    ) -> DraftOutcome:
        await asyncio.to_thread(
            lambda: self._cleanup.note_dropped(
                definition.id, keeping=definition.secrets
            )
        )
        record, unchanged = await asyncio.to_thread(
            lambda: self._registry.save_draft(
                definition, cases, expected_revision=expected_revision
            )
        )
        return await self._stored(record, definition, warnings, unchanged=unchanged)

    async def _stored(
        self,
        record: ToolRecord,
        definition: ToolDefinition,
        warnings: Sequence[Problem],
        *,
        created: bool = False,
        unchanged: bool = False,
    ) -> DraftOutcome:
        return DraftOutcome(
            tool=record,
            definition=definition,
            created=created,
            unchanged=unchanged,
            warnings=[*warnings, *await self._dependencies.warnings(definition)],
            secrets=await self._gate.secret_status([definition]),
        )
