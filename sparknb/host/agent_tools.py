"""The eleven tools with which an agent writes tools, under a person's eyes (ST-76).

Nothing here knows of MCP: the tools are data and coroutines over the studio. What
agents use changes only after two words: the model's, a flag that is exactly `true`, and
the person's, through the approver of the door. No secret value can be written or read.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import (
    ConflictError,
    InvalidInputError,
    RegistryUnavailableError,
    SparknbError,
)
from sparknb.core.protocols import Action, Approver, Registry
from sparknb.core.records import ToolRecord, VersionRecord
from sparknb.core.redaction import Redactor
from sparknb.core.results import ToolResult
from sparknb.core.wording import show
from sparknb.host.agent_tools_answers import (
    after_saving,
    answered,
    detail_document,
    read_arguments,
    refused,
    with_known_status,
)
from sparknb.host.agent_tools_consent import NOBODY, ask_person, require_flag
from sparknb.host.agent_tools_table import AGENT_TOOLS, AgentTool
from sparknb.host.catalog import Catalog
from sparknb.host.documents import accepted, strict
from sparknb.host.execution import Execution
from sparknb.host.guide import guide
from sparknb.host.studio import Studio
from sparknb.host.surface import not_found

__all__ = ["AgentTools"]

Given = Mapping[str, Any]
Document = dict[str, Any]
Verb = Callable[[Given, Approver], Awaitable[Document | ToolResult]]


class AgentTools:
    """The authoring tools of one host."""

    def __init__(
        self,
        *,
        studio: Studio,
        registry: Registry,
        catalog: Catalog,
        execution: Execution,
        kinds: Sequence[str],
    ) -> None:
        self._studio = studio
        self._registry = registry
        self._catalog = catalog
        self._execution = execution
        self._kinds = kinds
        self._verbs: Mapping[str, Verb] = {
            "list": self._list,
            "get": self._get,
            "validate": self._validate,
            "create_draft": self._create_draft,
            "save_draft": self._save_draft,
            "test": self._test,
            "publish": self._publish,
            "set_enabled": self._set_enabled,
            "rollback": self._rollback,
            "delete": self._delete,
        }

    def definitions(self) -> Sequence[AgentTool]:
        """Give what a model sees of each."""
        return tuple(AGENT_TOOLS.values())

    async def call(
        self, name: str, arguments: Any, approver: Approver | None = None
    ) -> ToolResult:
        """Do what an agent asks for; refusals and failures are data.

        Args:
            name: Such as `custom_tools_list`.
            arguments: A JSON object.
            approver: Who can be asked for consent; without, nothing goes live.
        """
        tool = AGENT_TOOLS.get(name)
        if tool is None:
            return not_found(name)
        try:
            given = read_arguments(tool, arguments)
            if tool.verb == "guide":
                return ToolResult(ok=True, text=guide(self._kinds))
            found = await self._verbs[tool.verb](given, approver or NOBODY)
        except SparknbError as error:
            return refused(error, await self._redactor(_named(arguments)))
        if isinstance(found, ToolResult):
            return found
        return answered(found, await self._redactor([*_named(given), *_listed(found)]))

    # ----------------------------------------------------------------- looking
    async def _list(self, given: Given, approver: Approver) -> Document:
        del approver
        found = await self._studio.list(given.get("query"), given["limit"])
        return found.to_wire()

    async def _get(self, given: Given, approver: Approver) -> Document:
        del approver
        return detail_document(await self._studio.get(given["id"]))

    async def _validate(self, given: Given, approver: Approver) -> Document:
        del approver
        return (await self._studio.validate(given["spec"])).to_wire()

    # ------------------------------------------------------------------ drafts
    async def _create_draft(self, given: Given, approver: Approver) -> Document:
        del approver
        outcome = await self._studio.create_draft(given["spec"], given.get("cases", ()))
        return with_known_status(outcome.to_wire()) | {"next": after_saving(outcome)}

    async def _save_draft(self, given: Given, approver: Approver) -> Document:
        del approver
        if given["spec"].get("id", given["id"]) != given["id"]:
            raise InvalidInputError(
                f"the definition is not that of {show(given['id'])}",
                path="id",
                hint="the id of a tool never changes: give the same id twice",
            )
        outcome = await self._studio.save_draft(
            given["spec"],
            given.get("cases"),
            expected_revision=given.get("expectedRevision"),
        )
        return with_known_status(outcome.to_wire()) | {"next": after_saving(outcome)}

    # ----------------------------------------------------------------- testing
    async def _test(self, given: Given, approver: Approver) -> Document | ToolResult:
        if ("toolId" in given) == ("draftSpec" in given):
            raise InvalidInputError(
                "give exactly one of toolId and draftSpec", path="toolId"
            )
        if "cases" in given:
            return await self._test_cases(given, approver)
        target, version, must_ask = await self._tested(given)
        result = await self._studio.test(
            target,
            given.get("input", {}),
            version=version,
            approver=approver,
            must_ask=must_ask,
        )
        redactor = await self._redactor(_named(given))
        result = replace(result, printed="")  # for people (ST-43)
        document = redactor.value(result.to_wire())
        if result.ok:
            return replace(answered(document, redactor), trace_id=result.trace_id)
        return replace(result, text=document["text"], data=document, request=None)

    async def _tested(self, given: Given) -> tuple[Any, int | None, bool]:
        """Give what is tested, its version, and whether a person is asked in any case.

        What is not published is always asked about: the model may have chosen its
        host (ST-76).
        """
        if "draftSpec" in given:
            require_flag("confirmExecute", given, "testing a definition")
            accepted(given["draftSpec"])
            return given["draftSpec"], None, True
        detail = await self._studio.get(given["toolId"])
        shown = detail.shown
        is_published = shown.version == detail.tool.published_version
        if not is_published or shown.definition["risk"] != "read":
            require_flag("confirmExecute", given, f"testing {detail.tool.id}")
        return given["toolId"], shown.version, not is_published

    async def _test_cases(self, given: Given, approver: Approver) -> Document:
        if "draftSpec" in given:
            raise InvalidInputError(
                "a definition that is not saved has no cases",
                path="cases",
                hint="save the draft with its cases, then give toolId",
            )
        if "input" in given:
            raise InvalidInputError("give input or cases, not both", path="input")
        target, version, must_ask = await self._tested(given)
        run = await self._studio.run_cases(
            target, version=version, approver=approver, must_ask=must_ask
        )
        return run.to_wire()

    # --------------------------------------------------------------- lifecycle
    async def _publish(self, given: Given, approver: Approver) -> Document:
        tool_id: str = given["id"]
        require_flag("confirmPublish", given, f"publishing {show(tool_id)}")
        seen = await self._studio.require_publishable(
            tool_id, expected_version=given.get("expectedDraftVersion")
        )
        await self._ask(approver, "publish", seen, seen.draft_version)
        outcome = await self._studio.publish(tool_id, seen=seen)
        return outcome.to_wire() | {"next": _after_publishing(outcome.tool)}

    async def _set_enabled(self, given: Given, approver: Approver) -> Document:
        tool_id: str = given["id"]
        if not given["enabled"]:
            return (await self._studio.set_enabled(tool_id, False)).to_wire()
        require_flag("confirmEnable", given, f"enabling {show(tool_id)}")
        seen = await self._studio.require_enableable(tool_id)
        if seen.enabled:
            return {"tool": seen.to_wire(), "warnings": []}
        await self._ask(approver, "enable", seen, seen.published_version)
        outcome = await self._studio.set_enabled(tool_id, True, seen=seen)
        return outcome.to_wire()

    async def _rollback(self, given: Given, approver: Approver) -> Document:
        tool_id, version = given["id"], given["version"]
        require_flag("confirmRollback", given, f"rolling back {show(tool_id)}")
        await self._studio.require_earlier(tool_id, version)
        seen = (await self._studio.get(tool_id, version)).tool
        await self._ask(approver, "rollback", seen, version)
        return (await self._studio.rollback(tool_id, version, seen=seen)).to_wire()

    async def _delete(self, given: Given, approver: Approver) -> Document:
        tool_id: str = given["id"]
        require_flag("confirmDelete", given, f"deleting {show(tool_id)}")
        detail = await self._studio.get(tool_id)
        await self._ask(approver, "delete", detail.tool, detail.shown.version)
        warnings = await self._studio.delete(tool_id, seen=detail.tool)
        told = [warning.to_wire() for warning in warnings]
        return {"deleted": True} | ({"warnings": told} if told else {})

    async def _ask(
        self, approver: Approver, action: Action, tool: ToolRecord, version: int | None
    ) -> None:
        """Ask the person; what they say counts for what they were shown.

        Raises:
            ConflictError: That is no longer there, or not the same: also a tool that
                was deleted and made anew has its numbers.
        """
        stored = await self._version(tool.id, version)
        if stored is None:
            raise _changed(tool.id)
        if action == "delete":  # also what breaks today's rules can be deleted
            definition = self._catalog.definition(stored)
        else:
            definition = strict(stored.definition)
        redactor = await self._redactor([tool.id])
        await ask_person(approver, action, definition, version, redactor)
        now = await self._version(tool.id, version)
        seen = (stored.created_at, stored.digest)
        if now is None or (now.created_at, now.digest) != seen:
            raise _changed(tool.id)

    async def _version(self, tool_id: str, number: int | None) -> VersionRecord | None:
        return await asyncio.to_thread(self._registry.version, tool_id, number or 0)

    # ------------------------------------------------------------------ hiding
    async def _redactor(self, tool_ids: Iterable[str]) -> Redactor:
        """Give what hides the secrets of these tools, and whatever looks like one."""
        named = dict.fromkeys(tool_ids)
        try:
            definitions = await asyncio.to_thread(self._definitions, named)
            return await self._execution.redactor(definitions)
        except SparknbError:  # a keychain that gives no value has given none away
            return Redactor((), patterns=True)

    def _definitions(self, tool_ids: Iterable[str]) -> list[ToolDefinition]:
        """Give the drafts and published versions that declare secrets."""
        found = []
        for tool_id in tool_ids:
            record = self._registry.get(tool_id)
            numbers = () if record is None else _numbers(record)
            for number in numbers:
                stored = self._registry.version(tool_id, number)
                if stored is None or not stored.definition.get("secretRefs"):
                    continue
                with suppress(RegistryUnavailableError):  # damaged: others are not
                    found.append(self._catalog.definition(stored))
        return found


def _numbers(record: ToolRecord) -> Iterable[int]:
    both = (record.draft_version, record.published_version)
    return dict.fromkeys(number for number in both if number is not None)


def _changed(tool_id: str) -> ConflictError:
    return ConflictError(
        f"{tool_id} changed while the person was asked",
        path="id",
        hint="custom_tools_get shows it as it is now; then ask again",
    )


def _after_publishing(tool: ToolRecord) -> list[str]:
    if tool.type == "provider-vision":
        return ["agents never see it: sparknb hands images to it while it is enabled"]
    if tool.enabled:
        return [f"on the next turn, see that {tool.name} is there and works"]
    return ["it is disabled: custom_tools_set_enabled puts it where agents see it"]


def _named(arguments: Any) -> list[str]:
    """Give the ids of the tools that a call is about, as far as it names any."""
    if not isinstance(arguments, Mapping):
        return []
    parts = (arguments.get("spec"), arguments.get("draftSpec"))
    inner = [part.get("id") for part in parts if isinstance(part, Mapping)]
    named = [arguments.get("id"), arguments.get("toolId"), *inner]
    return [name for name in named if isinstance(name, str)]


def _listed(document: Document) -> list[str]:
    return [tool["id"] for tool in document.get("tools", ())]
