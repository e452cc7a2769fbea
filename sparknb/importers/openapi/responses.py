"""What an operation answers: whether it is JSON, and how to ask for that (ST-104)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sparknb.importers.openapi.model import Operation, RefError
from sparknb.importers.openapi.schemas import SchemaBook

__all__ = ["Answers", "answers_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """How the response of a tool is read.

    Attributes:
        accept: What the Accept header says; None where nothing is to be chosen.
    """

    format: Literal["json", "text"]
    accept: str | None = None


def answers_of(operation: Operation, book: SchemaBook) -> Answers:
    """Look at the answers of success; broken ones say nothing.

    A server that can answer in other ways too is asked for JSON.
    """
    kinds = dict.fromkeys(_kinds(operation, book))
    json_kinds = [kind for kind in kinds if _is_json(kind)]
    if not json_kinds:
        return Answers(format="text")
    if len(kinds) == len(json_kinds):
        return Answers(format="json")
    return Answers(format="json", accept=json_kinds[0])


def _kinds(operation: Operation, book: SchemaBook) -> Iterator[str]:
    responses = operation.node.get("responses")
    if not isinstance(responses, Mapping):
        return
    for status, node in responses.items():
        if str(status).startswith("2"):
            for kind in _content(node, operation, book):
                yield str(kind).partition(";")[0].strip().lower()


def _content(node: Any, operation: Operation, book: SchemaBook) -> Iterator[Any]:
    try:
        read = book.description.resolve(node, operation.place).node
    except RefError:
        return  # how it answers does not decide whether it can be called
    content = read.get("content") if isinstance(read, Mapping) else None
    if isinstance(content, Mapping):
        yield from content


def _is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")
