"""Images of a few bytes, vision tools, and a service that speaks the chat protocol."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparknb.core.definitions import (
    InputSchema,
    Parameter,
    ToolDefinition,
    VisionSpec,
)
from sparknb.core.protocols import RunOutcome
from sparknb.core.providers import ProviderProfile, key_reference, make_profile
from sparknb.runtimes.vision.chat import ChatClient
from sparknb.runtimes.vision.runtime import VisionRuntime
from tests.runtimes.wire import egress, reply

KEY = "canary-5b1c6a92-provider-key"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)
JPEG = b"\xff\xd8\xff\xe0" + bytes(24)
GIF = b"GIF89a" + bytes(24)
WEBP = b"RIFF\x10\x00\x00\x00WEBPVP8 " + bytes(8)


def data_url(data: bytes = PNG, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def chat(content: Any = "a red square", **message: Any) -> bytes:
    """Write the answer of a service."""
    finish = message.pop("finish_reason", "stop")
    choice = {"message": {"content": content, **message}, "finish_reason": finish}
    return json_reply({"choices": [choice]})


def json_reply(document: Any, status: str = "200 OK", *headers: str) -> bytes:
    body = json.dumps(document)
    return reply(body, status, "Content-Type: application/json", *headers)


def tool(**spec: Any) -> ToolDefinition:
    """Make a definition as the validator would, for the runtime alone."""
    seed = repr(sorted(spec.items()))
    return ToolDefinition(
        id="look",
        title="Look",
        description="Looks at images.",
        type="provider-vision",
        input_schema=InputSchema(
            {
                "images": Parameter(name="images", type="array", required=True),
                "question": Parameter(name="question", type="string", required=False),
            },
            {"type": "object"},
        ),
        risk="read",
        effect="read",
        idempotency="safe",
        timeout_ms=60_000,
        secrets=(),
        spec=VisionSpec(**({"provider_profile_id": "eyes"} | spec)),
        wire={},
        digest=hashlib.sha256(seed.encode()).hexdigest(),
    )


def profile(base_url: str = "http://127.0.0.1:9/v1", **more: Any) -> ProviderProfile:
    return make_profile("eyes", **({"base_url": base_url, "model": "m"} | more))


class Looking(VisionRuntime):
    """A runtime that closes what it asks as well."""

    def __init__(self, *, chat: ChatClient, **options: Any) -> None:
        super().__init__(chat=chat, **options)
        self.client = chat

    async def close(self) -> None:
        await super().close()
        await self.client.close()


def runtime(folder: Path, *profiles: ProviderProfile, **options: Any) -> VisionRuntime:
    """Make a runtime that knows no proxy."""
    known = {p.id: p for p in profiles or (profile(),)}
    return Looking(
        profiles=known.get,
        chat=ChatClient(egress()),
        folder=folder,
        egress=egress(**options),
    )


async def ask(
    used: VisionRuntime,
    images: Sequence[str],
    question: str | None = None,
    *,
    key: str | None = KEY,
    **spec: Any,
) -> RunOutcome:
    """Carry out one call and close the runtime."""
    arguments: dict[str, Any] = {"images": [*images]}
    if question is not None:
        arguments["question"] = question
    secrets: Mapping[str, str] = {} if key is None else {key_reference("eyes"): key}
    try:
        return await used.prepare(tool(**spec), arguments).run(secrets)
    finally:
        await used.close()
