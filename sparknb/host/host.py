"""The kernel-side owner of tools and calls."""

import asyncio
import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sparknb.core.chat import ChatProvider
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import (
    DeniedError,
    NotFoundError,
    SparknbError,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import (
    Approver,
    Fetcher,
    Keychain,
    Registry,
    Runtime,
    RuntimeKind,
)
from sparknb.core.records import ToolRecord
from sparknb.core.results import Source, ToolResult
from sparknb.host.catalog import Catalog
from sparknb.host.cleanup import Cleanup
from sparknb.host.dependencies import Dependencies
from sparknb.host.execution import Caller, CallTarget, Execution
from sparknb.host.gate import Gate
from sparknb.host.image_routing import ImageRouting
from sparknb.host.imports import Imports
from sparknb.host.outcomes import CallCheck
from sparknb.host.providers import Providers
from sparknb.host.rules import Rules
from sparknb.host.running import RunningCall
from sparknb.host.runtimes import Runtimes
from sparknb.host.secrets import Secrets
from sparknb.host.studio import Studio
from sparknb.host.surface import Surface, barred, not_found, refused
from sparknb.host.surface_entry import SurfaceEntry
from sparknb.host.traces import Traces
from sparknb.host.vault import Vault

if TYPE_CHECKING:
    from sparknb.host.agent_tools import AgentTools

__all__ = ["Host"]

_log = logging.getLogger("sparknb.host")
_LOOK_SECONDS = 0.5  # how often a watched registry is looked at


class Host:
    """All use cases over one registry and one keychain; `bootstrap` makes it.

    Methods are coroutines and belong to one event loop.

    Attributes:
        studio: The life of Studio tools.
        secrets: The person's door to secret values.
        providers: The person's door to services that answer questions to a model.
        imports: What was read elsewhere becomes drafts.
        traces: What was called and how it ended.
        notices: What a person should know about the home that was opened.
    """

    def __init__(
        self,
        *,
        registry: Registry,
        keychain: Keychain,
        runtimes: Mapping[RuntimeKind, Runtime],
        fetcher: Fetcher,
        chat: ChatProvider,
        settings: Any,
        approver: Approver | None = None,
        require_passing_cases: bool = False,
        one_shot: bool = False,
        notices: Sequence[Problem] = (),
    ) -> None:
        self.registry = registry
        self.keychain = keychain
        self.settings = settings
        self.notices = tuple(notices)
        self.approver = approver
        self._runtimes = Runtimes(runtimes)
        vault = Vault(keychain, registry.provider)
        self._catalog = Catalog(registry)
        self._execution = Execution(registry, vault, self._runtimes, self._catalog)
        self._surface: tuple[Hashable, Surface] | None = None
        self._watchers: list[Callable[[], None]] = []
        self._watching: asyncio.Task[None] | None = None
        dependencies = Dependencies(registry, self._catalog)
        rules = Rules(self._runtimes)
        gate = Gate(
            self._runtimes,
            rules,
            vault,
            dependencies,
            require_passing_cases=require_passing_cases,
        )
        self.studio = Studio(
            registry=registry,
            catalog=self._catalog,
            execution=self._execution,
            rules=rules,
            gate=gate,
            dependencies=dependencies,
            cleanup=Cleanup(registry, vault),
            approver=approver,
        )
        self.secrets = Secrets(registry, self._catalog, vault, one_shot=one_shot)
        self.providers = Providers(registry, vault, chat, one_shot=one_shot)
        self._routing = ImageRouting(registry, self._catalog)
        self.traces = Traces(registry, self._catalog)
        self._fetcher = fetcher
        self._chat = chat
        self.imports = Imports(
            registry=registry,
            vault=vault,
            secrets=self.secrets,
            studio=self.studio,
            fetcher=fetcher,
        )

    @cached_property
    def agent_tools(self) -> "AgentTools":
        """The tools with which an agent writes tools, under a person's eyes."""
        from sparknb.host.agent_tools import AgentTools

        return AgentTools(
            studio=self.studio,
            registry=self.registry,
            catalog=self._catalog,
            execution=self._execution,
            kinds=self._runtimes.kinds,
        )

    # ------------------------------------------------------------------- calls
    def runs(self, definition: ToolDefinition) -> bool:
        """Whether a tool of this type and language can run here.

        Of a sandbox: unless it was found missing, or did not hold.
        """
        return self._runtimes.can_run(definition)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        source: Source = "direct",
        approver: Approver | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
    ) -> ToolResult:
        """Call a published tool by its agent name or id; failures are data.

        Args:
            name: `custom_weather` or `weather`.
            arguments: The input, checked against the tool's schema.
            source: Who calls, for the trace.
            approver: Whom to ask for this call; the host's own if None.
            session_id: Kept with the trace.
            turn_id: Kept with the trace.

        Raises:
            asyncio.CancelledError: The awaiting task was cancelled; see `begin` for
                a call whose cancellation comes back as data.
        """
        caller = Caller(
            source=source,
            approver=approver or self.approver,
            session_id=session_id,
            turn_id=turn_id,
        )
        try:
            target = self._target(name)
        except SparknbError as error:
            return refused(error)
        if target is None:
            return not_found(name)
        return await self._execution.call(target, arguments, caller)

    def begin(
        self, name: str, arguments: Mapping[str, Any], **options: Any
    ) -> RunningCall:
        """Start a call (options as in `call`) that can be cancelled from outside."""
        return RunningCall(self.call(name, arguments, **options))

    async def route_images(
        self, images: Sequence[str], question: str | None = None, **options: Any
    ) -> ToolResult:
        """Ask the vision tool that is meant for it about images; failures are data.

        For a model that cannot see them. One tool is asked, once: whatever comes of
        it, no second provider is paid for.

        Args:
            images: As the tool takes them: `data:` URLs, addresses, paths.
            question: Left to the tool if None.
            options: As in `call`; the source is `model` if none is given.
        """
        tool_id = await asyncio.to_thread(self._routing.choose)
        if tool_id is None:
            return refused(
                NotFoundError(
                    "no enabled vision tool takes images by itself",
                    hint="publish one whose spec.autoRoute.enabled is true",
                )
            )
        # A text would come apart into its letters; the check says what it wants.
        is_list = isinstance(images, Iterable) and not isinstance(images, str | bytes)
        arguments: dict[str, Any] = {"images": [*images] if is_list else images}
        if question is not None:
            arguments["question"] = question
        return await self.call(tool_id, arguments, **{"source": "model"} | options)

    async def check_call(self, name: str, arguments: Mapping[str, Any]) -> CallCheck:
        """Say what would become of a call, without network, question or trace."""
        try:
            target = self._target(name)
        except SparknbError as error:
            return _denied(refused(error))
        if target is None:
            return _denied(not_found(name))
        return await self._execution.check(target, arguments)

    def _target(self, name: str) -> CallTarget | None:
        tool_id = self._catalog.resolve(name)
        found = self._catalog.published(tool_id)
        if found is not None:
            return CallTarget(
                definition=found.definition,
                version=found.version,
                barred=barred(found.record),
                require_open=lambda: self._catalog.require_enabled(tool_id),
            )
        record = self._catalog.record(tool_id)
        if record is None:
            return None
        draft = self.registry.version(tool_id, record.draft_version or 0)
        if draft is None:
            return None
        return CallTarget(
            definition=self._catalog.definition(draft),
            version=None,
            barred=f"{tool_id} was never published: agents cannot call it yet",
        )

    # ----------------------------------------------------------------- surface
    async def surface(self) -> Surface:
        """Give a snapshot of what agents may call, sorted by name.

        The snapshot is kept until the registry changes.
        """
        mark = self.registry.change_mark()
        if self._surface is not None and self._surface[0] == mark:
            return self._surface[1]
        rows = await asyncio.to_thread(self.registry.surface)
        shown = (row for row in rows if row.type != "provider-vision")
        surface = Surface(shown, self._catalog, self._execution, self.approver)
        self._surface = (mark, surface)
        return surface

    async def find(self, name: str) -> SurfaceEntry:
        """Give what agents may call by its agent name or id, as `call` finds it.

        Raises:
            NotFoundError: No such tool; the message names the nearest.
            DeniedError: Agents may not call it now; the message says what to do.
        """
        surface = await self.surface()
        tool_id = self._catalog.resolve(name)
        found = surface.get(f"custom_{tool_id}")
        if found is not None:
            return found
        record = self._catalog.record(tool_id)
        if record is None:
            nearest = surface.nearest(name)
            meant = f"did you mean {nearest}?" if nearest else "list the tools again"
            raise NotFoundError(f"{not_found(name).text}: {meant}")
        raise DeniedError(f"{tool_id} {_absence(record)}")

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` on the loop whenever tools may have changed.

        Changes by other processes are seen within half a second. Give the function
        that ends the watch.
        """
        self._watchers.append(callback)
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._look())

        def unwatch() -> None:
            if callback in self._watchers:
                self._watchers.remove(callback)
            if not self._watchers and self._watching is not None:
                self._watching.cancel()
                self._watching = None

        return unwatch

    async def _look(self) -> None:
        mark = self.registry.change_mark()
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                now = self.registry.change_mark()
            except SparknbError as error:
                _log.warning("the registry cannot be watched: %s", error.message)
                continue
            if now != mark:
                mark = now
                for callback in list(self._watchers):
                    callback()

    async def close(self) -> None:
        """End watches, connections and processes; write what waits."""
        watching, self._watching = self._watching, None
        self._watchers.clear()
        if watching is not None:
            watching.cancel()
            await asyncio.wait([watching])
        await self._runtimes.close()
        await self._fetcher.close()
        await self._chat.close()
        await asyncio.to_thread(self.registry.close)


def _absence(record: ToolRecord) -> str:
    """Give why agents do not see a tool, and what to do about it."""
    if record.published_version is None:
        return "is only a draft: publish it first"
    if not record.enabled:
        return "is disabled: enable it first"
    return "is of a type that agents do not see, or damaged"


def _denied(failure: ToolResult) -> CallCheck:
    return CallCheck(
        decision="deny",
        reason=failure.text,
        error_code=failure.error_code,
        problems=failure.problems,
    )
