"""The MCP server over a host: the surface as tools, calls, and news of changes."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    ElicitResult,
    NotificationParams,
    PaginatedRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from sparknb._version import __version__
from sparknb.core.errors import SparknbError
from sparknb.core.protocols import Approver, Decision
from sparknb.core.results import ToolResult
from sparknb.mcp import card
from sparknb.mcp.approval import ElicitationApprover, NoElicitation, can_ask
from sparknb.mcp.authoring import HINT, Authoring
from sparknb.mcp.calls import Calls, Start, Waiting
from sparknb.mcp.exchange import gone_event
from sparknb.mcp.projection import call_result, tool

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

    from sparknb.host.host import Host
    from sparknb.host.surface import Surface

__all__ = ["ToolServer"]

_log = logging.getLogger("sparknb.mcp")
_QUESTION = "approval"
_INSTRUCTIONS = (
    "Tools that people wrote, tested and published with sparknb. "
    "A tool that changes something asks the person before each call. "
    "A failed call says CODE: message, and what to do."
)

_Context = ServerRequestContext[Any, Any]


class ToolServer:
    """One connection's server. Enter `watching()` for as long as it is served.

    Args:
        host: Whose tools are served.
        is_shared: Serves clients without a connection of their own: since 2026 a
            request over HTTP belongs to none. So no list is remembered for them, and
            each call runs what is published then.
        manage: Serve the authoring tools as well.
    """

    def __init__(
        self, host: "Host", *, is_shared: bool = False, manage: bool = False
    ) -> None:
        self._host = host
        self._authoring = Authoring(host.agent_tools) if manage else None
        self._is_shared = is_shared
        self._calls = Calls()
        self._listed: Surface | None = None
        self._announced: Hashable = None
        self._session: ServerSession | None = None
        self._session_id = None if is_shared else secrets.token_hex(8)
        self._bus = InMemorySubscriptionBus()
        self._stir = asyncio.Event()
        self.server = self._build()

    def options(self) -> InitializationOptions:
        """Give what the handshake announces."""
        return self.server.create_initialization_options(
            NotificationOptions(tools_changed=True)
        )

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Tell the client about changes of the surface; end its calls at the end."""
        self._announced = (await self._host.surface()).mark
        unwatch = self._host.watch(self._stir.set)
        news = asyncio.create_task(self._tell_news())
        try:
            yield
        finally:
            unwatch()
            news.cancel()
            await asyncio.wait({news})
            await self._calls.close()

    def _build(self) -> Server[Any]:
        server: Server[Any] = Server(
            "sparknb",
            version=__version__,
            title="sparknb",
            instructions=_INSTRUCTIONS + (HINT if self._authoring else ""),
            on_subscriptions_listen=ListenHandler(self._bus),
            # No tool wants an argument as a header. Left to itself the SDK would look
            # through the list of tools to know, at every call.
            get_tool_input_schema=lambda _: None,
        )
        # No exporter is ever configured here, so spans would only cost time.
        server.middleware.clear()
        server.add_request_handler("tools/list", PaginatedRequestParams, self._list)
        server.add_request_handler("tools/call", CallToolRequestParams, self._call)
        server.add_notification_handler(
            "notifications/initialized", NotificationParams, self._initialized
        )
        return server

    # ------------------------------------------------------------ what changes
    async def _initialized(self, ctx: _Context, params: NotificationParams) -> None:
        del params
        self._session = ctx.session

    async def _tell_news(self) -> None:
        while True:
            await self._stir.wait()
            self._stir.clear()
            try:
                mark = (await self._host.surface()).mark
            except SparknbError as error:
                _log.warning("changes cannot be told: %s", error.message)
                continue
            if mark == self._announced:
                continue  # a draft was saved, a trace written: nothing agents see
            self._announced = mark
            await self._bus.publish(ToolsListChanged())
            if self._session is not None:
                await self._session.send_tool_list_changed()

    # ----------------------------------------------------------- what is asked
    async def _list(
        self, ctx: _Context, params: PaginatedRequestParams
    ) -> dict[str, Any]:
        del ctx
        if params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "the list of tools has one page: no cursor")
        try:
            surface = await self._host.surface()
        except SparknbError as error:
            said = f"{error.code}: {error.message}"
            raise MCPError(INTERNAL_ERROR, said, error.to_wire()) from None
        if not self._is_shared:
            self._listed, self._announced = surface, surface.mark
        # Clients keep no copy: another process may publish at any time.
        return {
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
            "tools": self._entries(surface),
        }

    def _entries(self, surface: "Surface") -> list[dict[str, Any]]:
        entries = [tool(entry) for entry in surface]
        if self._authoring is None:
            return entries
        return sorted(entries + self._authoring.listed(), key=itemgetter("name"))

    async def _call(
        self, ctx: _Context, params: CallToolRequestParams
    ) -> dict[str, Any]:
        try:
            outcome = await self._outcome(ctx, params)
        except SparknbError as error:  # the registry cannot be read
            return call_result(_failed(error))
        if isinstance(outcome, ToolResult):
            if self._authoring is not None and params.name in self._authoring:
                return self._authoring.result(outcome)
            return call_result(outcome)
        form = {
            "mode": "form",
            "message": card.message(outcome.request),
            "requestedSchema": card.schema(outcome.request),
        }
        question = {"method": "elicitation/create", "params": form}
        return {
            "resultType": "input_required",
            "inputRequests": {_QUESTION: question},
            "requestState": outcome.ticket,
        }

    async def _outcome(
        self, ctx: _Context, params: CallToolRequestParams
    ) -> ToolResult | Waiting:
        name, arguments = params.name, params.arguments
        if params.request_state is not None:
            answer = _answer(params)
            resumed = await self._calls.resume(
                params.request_state, answer, name, arguments
            )
            return resumed or _no_such_question()
        start, may_ask = await self._prepared(params)
        gone = gone_event(ctx.request)
        if not may_ask or not can_ask(ctx):
            return await self._calls.run(start, NoElicitation(), gone)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return await self._calls.open(start, name, arguments)
        return await self._calls.run(start, ElicitationApprover(ctx), gone)

    async def _prepared(self, params: CallToolRequestParams) -> tuple[Start, bool]:
        """Give what starts the call, and whether it may come to a question."""
        authoring = self._authoring
        if authoring is not None and params.name in authoring:
            arguments = {} if params.arguments is None else params.arguments
            return partial(authoring.call, params.name, arguments), True
        surface = self._listed or await self._host.surface()
        entry = surface.get(params.name)
        may_ask = entry is not None and entry.risk != "read"
        return self._start(surface, params), may_ask

    def _start(self, surface: "Surface", params: CallToolRequestParams) -> Start:
        arguments = {} if params.arguments is None else params.arguments

        async def start(approver: Approver) -> ToolResult:
            return await surface.call(
                params.name,
                arguments,
                source="mcp",
                approver=approver,
                session_id=self._session_id,
            )

        return start


def _answer(params: CallToolRequestParams) -> Decision:
    answer = (params.input_responses or {}).get(_QUESTION)
    if not isinstance(answer, ElicitResult):
        reason = "the answer to the question for approval is missing"
        return Decision(outcome="reject", reason=reason)
    return card.decision(answer.action, answer.content)


def _failed(error: SparknbError) -> ToolResult:
    return ToolResult(
        ok=False,
        text=error.message,
        error_code=error.code,
        problems=error.problems,
        hint=error.hint,
    )


def _no_such_question() -> ToolResult:
    return ToolResult(
        ok=False,
        text="no call waits for this answer: it expired, or belongs to another call",
        error_code="DENIED",
        hint="call the tool again",
    )
