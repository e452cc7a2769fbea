"""Cards that a person reads before saying yes, in one wording for every door."""

import json

from sparknb.commands.context import Question
from sparknb.commands.views import Card, Cell, Code, Fields
from sparknb.commands.words import triple
from sparknb.core.asking import HEADINGS, consequence
from sparknb.core.protocols import ApprovalRequest

__all__ = ["approval_view", "question_view"]


def question_view(question: Question) -> Card:
    """Give what would be done, and what that means."""
    return Card(question.title, question.details)


def approval_view(request: ApprovalRequest) -> Card:
    """Give all that a person needs to judge one request; secrets are `[secret]`."""
    preview = request.preview
    number = "unsaved" if request.version is None else f"version {request.version}"
    rows: list[tuple[str, Cell | Fields | Code]] = [
        ("tool", f"{request.tool_id}, {number}: {request.title}"),
        ("risk", triple(request.risk, request.effect, request.idempotency)),
    ]
    if preview.method:
        rows.append(("request", f"{preview.method} {preview.url}"))
    rows += preview.facts
    if preview.dependencies and not preview.facts:
        rows.append(("may call", ", ".join(preview.dependencies)))
    if request.arguments:
        rows.append(("arguments", _arguments(request)))
    if preview.excerpt:
        rows.append(("body", Code(preview.excerpt)))
    then = consequence(request)
    if then is not None:
        rows.append(("then", then))
    return Card(HEADINGS[request.action], rows)


def _arguments(request: ApprovalRequest) -> Fields:
    return Fields(
        [
            (name, json.dumps(value, ensure_ascii=False))
            for name, value in request.arguments.items()
        ]
    )
