"""What a person reads before a call runs, as a form that any MCP client can show."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from sparknb.core.asking import AGREEMENTS, consequence
from sparknb.core.protocols import Action, ApprovalRequest, Decision

__all__ = ["FIELD", "decision", "message", "schema"]

FIELD = "approve"

_SHOWN_CHARACTERS = 2000
# Breaks of lines and paragraphs, and letters and marks that show nothing: a joiner,
# the fillers of Hangul and Khmer, the empty pattern of Braille.
_BLANK = "\u2028\u2029\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_ASKING: Mapping[Action, str] = {
    "call": "Run {tool}?",
    "test": "Test-run {tool}?",
    "cases": "Run the test cases of {tool}?",
    "publish": "Publish {tool}?",
    "enable": "Enable {tool}?",
    "rollback": "Publish {tool} again?",
    "delete": "Delete {tool} for good?",
}


def schema(request: ApprovalRequest) -> dict[str, Any]:
    """Give the form: one box, empty at first."""
    box = {
        "type": "boolean",
        "title": AGREEMENTS[request.action],
        "description": "Nothing is sent or changed unless you say yes here.",
        "default": False,
    }
    return {"type": "object", "properties": {FIELD: box}, "required": [FIELD]}


def message(request: ApprovalRequest) -> str:
    """Give the question: tool, risk, request, arguments, body.

    The model chose the arguments, and may have written the title, so they are put
    in a way that cannot pass for other parts of the question: on a line of their
    own, or behind a bar.
    """
    version = "" if request.version is None else f", version {request.version}"
    tool = f"custom_{request.tool_id}{version}"
    triple = (request.risk, request.effect, request.idempotency)
    lines = [
        _ASKING[request.action].format(tool=tool),
        f"Title: {_plain(request.title)}",
        "Risk {}, effect {}, idempotency {}.".format(*triple),
    ]
    then = consequence(request)
    if then is not None:
        lines.append(then)
    preview = request.preview
    if preview.url is not None:
        lines.append(f"Request: {preview.method} {_cut(_plain(preview.url))}")
    lines += [f"{name.capitalize()}: {_plain(text)}" for name, text in preview.facts]
    if preview.dependencies and not preview.facts:
        lines.append(f"It may call: {', '.join(preview.dependencies)}")
    if request.arguments or request.action in ("call", "test"):
        arguments = json.dumps(dict(request.arguments), ensure_ascii=False, default=str)
        lines.append(f"Arguments: {_cut(_plain(arguments))}")
    if preview.body is not None:
        lines.append("Body:")
        body = _cut(preview.body, preview.body_left).split("\n")
        lines += [f"| {_plain(line)}" for line in body]
    return "\n".join(lines)


def decision(action: str, content: Mapping[str, Any] | None) -> Decision:
    """Read the person's answer; only an accepted form that says yes allows."""
    if action == "accept" and (content or {}).get(FIELD) is True:
        return Decision(outcome="allow", kind="once")
    said = {
        "accept": "the person left the box for approval empty",
        "decline": "the person declined",
    }
    reason = said.get(action, "the person closed the question without an answer")
    return Decision(outcome="reject", reason=reason)


def _plain(text: str) -> str:
    """Give one line without characters that are invisible or turn text around."""
    return "".join(_escaped(c) for c in text)


def _escaped(character: str) -> str:
    if unicodedata.category(character)[0] != "C" and character not in _BLANK:
        return character
    return f"\\u{{{ord(character):x}}}"


def _cut(text: str, unseen: int = 0) -> str:
    left = max(0, len(text) - _SHOWN_CHARACTERS) + unseen
    if not left:
        return text
    return f"{text[:_SHOWN_CHARACTERS]}… ({left} more characters)"
