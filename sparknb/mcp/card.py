"""What a person reads before a call runs, as a form that any MCP client can show."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from sparknb.core.protocols import ApprovalRequest, Decision

__all__ = ["FIELD", "SCHEMA", "decision", "message"]

FIELD = "approve"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        FIELD: {
            "type": "boolean",
            "title": "Run this call, once",
            "description": "Nothing is sent unless you say yes here.",
            "default": False,
        }
    },
    "required": [FIELD],
}

_SHOWN_CHARACTERS = 2000


def message(request: ApprovalRequest) -> str:
    """Give the question: tool, risk, request, arguments, body.

    The model chose the arguments, so they are written in a way that cannot pass for
    other lines of the question: on one line, or behind a bar.
    """
    version = "" if request.version is None else f", version {request.version}"
    name = f"custom_{request.tool_id}{version}"
    triple = (request.risk, request.effect, request.idempotency)
    lines = [
        f'Run "{_plain(request.title)}" ({name})?',
        "Risk {}, effect {}, idempotency {}.".format(*triple),
    ]
    preview = request.preview
    if preview.url is not None:
        lines.append(f"Request: {preview.method} {_cut(_plain(preview.url))}")
    if preview.dependencies:
        lines.append(f"It may call: {', '.join(preview.dependencies)}")
    arguments = json.dumps(dict(request.arguments), ensure_ascii=False, default=str)
    lines.append(f"Arguments: {_cut(_plain(arguments))}")
    if preview.body is not None:
        lines.append("Body:")
        body = _cut(preview.body).split("\n")
        lines += [f"| {_plain(line)}" for line in body]
    return "\n".join(lines)


def decision(action: str, content: Mapping[str, Any] | None) -> Decision:
    """Read the person's answer; only an accepted form that says yes allows."""
    if action == "accept" and (content or {}).get(FIELD) is True:
        return Decision(outcome="allow", kind="once")
    said = {
        "accept": "the person left the box for approval empty",
        "decline": "the person declined the call",
    }
    reason = said.get(action, "the person closed the question without an answer")
    return Decision(outcome="reject", reason=reason)


def _plain(text: str) -> str:
    """Give one line without characters that are invisible or turn text around."""
    return "".join(_escaped(c) for c in text)


def _escaped(character: str) -> str:
    if unicodedata.category(character)[0] != "C" and character not in "\u2028\u2029":
        return character
    return f"\\u{{{ord(character):x}}}"


def _cut(text: str) -> str:
    left = len(text) - _SHOWN_CHARACTERS
    if left <= 0:
        return text
    return f"{text[:_SHOWN_CHARACTERS]}… ({left} more characters)"
