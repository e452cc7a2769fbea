"""What a definition must fulfil before agents may use it."""

from collections.abc import Iterable, Sequence

from sparknb.core.canonical import digest
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import (
    CasesNotPassingError,
    DeniedError,
    KeychainUnavailableError,
    refusal,
)
from sparknb.core.records import ToolRecord, VersionRecord
from sparknb.host.dependencies import Dependencies
from sparknb.host.rules import Rules
from sparknb.host.runtimes import Runtimes
from sparknb.host.secrets import origin_of, secret_status
from sparknb.host.vault import Vault

__all__ = ["Gate"]


class Gate:
    """The checks of publish, rollback and enable that need more than the registry."""

    def __init__(
        self,
        runtimes: Runtimes,
        rules: Rules,
        vault: Vault,
        dependencies: Dependencies,
        *,
        require_passing_cases: bool,
    ) -> None:
        self._runtimes = runtimes
        self._rules = rules
        self._vault = vault
        self._dependencies = dependencies
        self._require_passing_cases = require_passing_cases

    def require_published(self, record: ToolRecord) -> int:
        """Give the published version's number.

        Raises:
            DeniedError: Nothing is published.
        """
        if record.published_version is None:
            raise DeniedError(
                f"{record.id} was never published", path="id", hint="publish it first"
            )
        return record.published_version

    async def open_for(
        self,
        definition: ToolDefinition,
        draft: VersionRecord | None = None,
        *,
        goes_live: bool,
        require_cases: bool = False,
    ) -> None:
        """Let a valid definition through.

        Args:
            definition: What agents would use.
            draft: Given when it is published.
            goes_live: Whether agents could call it at once.
            require_cases: Whether its cases must have passed whatever the setting.

        Raises:
            InvalidInputError: It names tools that it cannot call, or its runtime sees
                mistakes, or could not look.
            DeniedError: It names a tool that is disabled.
            UnsupportedError: Nothing here can run this kind of tool.
            SecretMissingError: A secret has no value for the tool's origin.
            CasesNotPassingError: The gate is on and the cases did not all pass.
            KeychainUnavailableError: The keychain cannot be asked.
        """
        self._runtimes.of(definition)
        problems = [
            *await self._dependencies.problems(definition, must_be_enabled=goes_live),
            *await self._rules.live(definition),
        ]
        if problems:
            raise refusal(problems)
        origin = origin_of(definition)
        missing = await self._vault.missing(definition.id, definition.secrets, origin)
        if missing:
            raise self._vault.refusal(definition.id, missing, origin)
        if draft is not None and (require_cases or self._require_passing_cases):
            _require_cases(definition, draft)

    async def secret_status(
        self, definitions: Iterable[ToolDefinition]
    ) -> dict[str, bool | None]:
        """Give for each declared name whether it has a value, None where unknown.

        Where several definitions declare a name, the last one's origin counts.
        """
        found: dict[str, bool | None] = {}
        for definition in definitions:
            try:
                found |= await secret_status(self._vault, definition)
            except KeychainUnavailableError:
                found |= dict.fromkeys(definition.secrets)
        return found


def _require_cases(definition: ToolDefinition, draft: VersionRecord) -> None:
    problem = _case_problem(definition, draft.cases, draft)
    if problem is not None:
        wanted = "save the draft with some, then run" if not draft.cases else "run"
        raise CasesNotPassingError(
            f"{definition.id}: {problem}",
            path="cases",
            hint=f"{wanted} them all: sparknb test {definition.id} --cases",
        )


def _case_problem(
    definition: ToolDefinition, cases: Sequence[object], draft: VersionRecord
) -> str | None:
    run = draft.case_run
    if not cases:
        return "the draft has no cases"
    if run is None:
        return "the cases were not run"
    if run.get("specDigest") != definition.digest:
        return "the cases were run on another draft (stale)"
    if run.get("casesDigest") != digest(list(cases)):
        return "the cases changed after they were run (stale)"
    failed = [r["name"] for r in run.get("results", ()) if not r.get("passed")]
    return f"failing: {', '.join(failed)}" if failed else None
