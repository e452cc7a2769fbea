"""Carries out http tools (ST-47 to ST-53)."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.clip import TOKEN_BUDGET
from sparknb.core.definitions import HttpSpec, ToolDefinition
from sparknb.core.errors import (
    InvalidInputError,
    SecretMissingError,
    UnsupportedError,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import NestedTools, Preview, Proof, RunOutcome
from sparknb.core.responses import format_response, is_quick
from sparknb.core.templates import CompiledRequest, RenderedRequest, compile_request
from sparknb.runtimes.body import decode_text
from sparknb.runtimes.egress import Answer, Egress
from sparknb.runtimes.guard import check_host
from sparknb.runtimes.redirects import Outgoing
from sparknb.runtimes.refusals import sendable, status_error
from sparknb.runtimes.targets import Target, parse_target

__all__ = ["HttpRuntime"]

_QUICK_SIZE = 8000  # bytes; more is formatted off the event loop
_MOST_COMPILED = 256
_MASK = "[secret]"


class HttpRuntime:
    """The runtime of http tools; belongs to one event loop.

    Args:
        egress: The way out; it is closed together with this.
    """

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._compiled: dict[str, CompiledRequest] = {}

    def prepare(
        self, definition: ToolDefinition, arguments: Mapping[str, Any]
    ) -> "PreparedHttpCall":
        """Render the call and judge its URL; nothing is resolved or sent.

        Raises:
            InvalidInputError: Arguments that cannot be sent; all of them.
            InvalidTemplateError: The definition cannot be rendered.
            DeniedError: The guard refuses the host as it is written.
        """
        spec = definition.spec
        if not isinstance(spec, HttpSpec):
            raise UnsupportedError(f"{definition.type} tools are not http tools")
        compiled = self._compile(definition, spec)
        rendered = compiled.render(arguments)
        target = parse_target(rendered.url)
        if target is None:
            raise InvalidInputError("the URL cannot be read once it is filled in")
        check_host(target.host, allow_private=spec.allow_private_network)
        return PreparedHttpCall(
            spec=spec,
            rendered=rendered,
            target=target,
            origin=compiled.origin,
            secret_names=compiled.secret_names,
            egress=self._egress,
        )

    async def check(self, definition: ToolDefinition) -> Sequence[Problem]:
        """Find nothing: the rules see all of a request."""
        del definition
        return ()

    async def prove(self) -> Sequence[Proof]:
        """Prove nothing: a request runs no program."""
        return ()

    async def close(self) -> None:
        """Close all connections."""
        await self._egress.close()

    def _compile(self, definition: ToolDefinition, spec: HttpSpec) -> CompiledRequest:
        compiled = self._compiled.get(definition.digest)
        if compiled is None:
            compiled = compile_request(spec, definition.input_schema.parameters)
            if len(self._compiled) >= _MOST_COMPILED:
                self._compiled.clear()
            self._compiled[definition.digest] = compiled
        return compiled


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedHttpCall:
    """One rendered request, before anything was sent."""

    spec: HttpSpec
    rendered: RenderedRequest
    target: Target
    origin: str
    secret_names: Sequence[str]
    egress: Egress = field(repr=False)
    printed: str = ""

    @property
    def preview(self) -> Preview:
        """What an approver sees; no secret value is known here yet."""
        return Preview.showing(
            self._body_text(), method=self.rendered.method, url=self.rendered.url
        )

    async def run(
        self, secrets: Mapping[str, str], tools: NestedTools | None = None
    ) -> RunOutcome:
        """Send the request and give what an agent reads of the answer.

        Raises:
            InvalidInputError: A secret value cannot stand in a header.
            SecretMissingError: A secret has no value.
            DeniedError: The guard refuses an address or a redirect.
            UnreachableError: No answer, or a broken one.
            HttpStatusError: The final status is not 2xx, or too many redirects.
            ExecutionFailedError: The answer cannot be formatted.
        """
        del tools  # a request calls no other tool
        outgoing = self._outgoing(secrets)
        answer = await self.egress.fetch(
            outgoing,
            allow_private=self.spec.allow_private_network,
            max_bytes=self.spec.max_size_bytes,
        )
        if not answer.is_success:
            raise status_error(answer)
        formatted = await self._formatted(answer)
        return RunOutcome(
            text=formatted.text,
            data=formatted.data,
            bytes=formatted.size,
            truncated=answer.is_cut,
            budget=TOKEN_BUDGET,
            request=self._shown(outgoing),
            status=answer.status,
        )

    def _outgoing(self, secrets: Mapping[str, str]) -> Outgoing:
        headers = [*self.rendered.headers]
        for header, secret in self.rendered.secret_headers:
            if secret not in secrets:
                raise SecretMissingError(f"the secret {secret!r} has no value")
            value = sendable(
                f"the secret {secret!r}", secrets[secret], f"secretRefs.{secret}"
            )
            headers.append((header, value))
        given = {name.lower() for name, _ in headers}
        defaults = (
            ("User-Agent", self.egress.user_agent),
            ("Accept", "*/*"),
            ("Accept-Encoding", "gzip, deflate"),
        )
        missing = [d for d in defaults if d[0].lower() not in given]
        return Outgoing(
            method=self.rendered.method,
            target=self.target,
            headers=(*missing, *headers),
            body=self.rendered.body,
            secret_headers=frozenset(
                header.lower() for header, _ in self.rendered.secret_headers
            ),
        )

    async def _formatted(self, answer: Answer) -> "_Formatted":
        """Decode and format; what may take long runs in a thread."""
        body = decode_text(answer.body, answer.content_type, is_cut=answer.is_cut)
        size = len(body.encode())
        if len(answer.body) <= _QUICK_SIZE and is_quick(self.spec):
            return _Formatted(*format_response(self.spec, body), size)
        stopped = threading.Event()

        def work() -> _Formatted:
            text, data = format_response(self.spec, body, stop=stopped.is_set)
            return _Formatted(text, data, size)

        try:
            return await asyncio.to_thread(work)
        finally:
            stopped.set()  # when cancelled, the thread ends by itself, soon

    def _body_text(self) -> str | None:
        body = self.rendered.body
        return None if body is None else body.decode(errors="replace")

    def _shown(self, outgoing: Outgoing) -> Mapping[str, Any]:
        """Give the request as sent, without secret values."""
        headers = {
            name: _MASK if name.lower() in outgoing.secret_headers else value
            for name, value in outgoing.headers
        }
        return {
            "method": outgoing.method,
            "url": self.rendered.url,
            "headers": headers,
            "body": self._body_text(),
        }


@dataclass(frozen=True, slots=True)
class _Formatted:
    text: str
    data: Any
    size: int  # bytes of the capped body, as UTF-8
