"""Valid definitions of each type, and how tests change and read them."""

import copy
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.validation import Report

__all__ = [
    "CODE",
    "GONE",
    "HTTP",
    "POST",
    "VISION",
    "changed",
    "errors",
    "found",
    "warnings",
]

Document = dict[str, Any]
GONE = object()

_COMMON: Document = {
    "id": "items",
    "title": "Items",
    "description": "Finds items by a text.",
    "inputSchema": {
        "type": "object",
        "properties": {"q": {"type": "string"}},
        "required": ["q"],
    },
    "risk": "read",
    "effect": "read",
    "idempotency": "safe",
    "timeoutMs": 30000,
}

HTTP: Document = _COMMON | {
    "type": "http",
    "spec": {
        "request": {"method": "GET", "urlTemplate": "https://api.test/items?q={{q}}"},
        "response": {"format": "json"},
    },
}
POST: Document = _COMMON | {
    "type": "http",
    "risk": "low-write",
    "effect": "create",
    "idempotency": "unsafe",
    "secretRefs": {"k": "custom-tool:items:k"},
    "spec": {
        "request": {
            "method": "POST",
            "urlTemplate": "https://api.test/items",
            "headers": [
                {"name": "Accept", "valueTemplate": "application/json"},
                {"name": "Authorization", "secretRef": "k"},
            ],
            "body": {"mode": "json", "jsonTemplate": '{"q": {{q}}}'},
        },
        "response": {
            "format": "markdown-table",
            "extract": [{"label": "Name", "jsonPath": "$.items[*].name"}],
            "maxSizeBytes": 1000,
        },
        "allowPrivateNetwork": False,
    },
}
CODE: Document = _COMMON | {
    "type": "code",
    "spec": {"runtime": {"language": "python", "source": "def run(q): return q"}},
}
VISION: Document = _COMMON | {
    "type": "provider-vision",
    "timeoutMs": 60000,
    "inputSchema": {
        "type": "object",
        "properties": {
            "images": {"type": "array", "items": {"type": "string"}},
            "question": {"type": "string"},
        },
        "required": ["images"],
    },
    "spec": {"providerProfileId": "eyes"},
}


def changed(document: Document, /, **paths: Any) -> Document:
    """Give a copy with values set at dotted paths, written with `__` for the dot."""
    result = copy.deepcopy(document)
    for path, value in paths.items():
        *outer, last = path.split("__")
        place: Any = result
        for key in outer:
            place = place[int(key) if isinstance(place, list) else key]
        place_key: Any = int(last) if isinstance(place, list) else last
        if value is GONE:
            del place[place_key]
        else:
            place[place_key] = value
    return result


def found(problems: tuple[Problem, ...]) -> list[tuple[str, str]]:
    """Give code and path of each problem, in order."""
    return [(p.code, p.path) for p in problems]


def errors(report: Report) -> list[tuple[str, str]]:
    """Give code and path of each error, in order."""
    return found(report.errors)


def warnings(report: Report) -> list[tuple[str, str]]:
    """Give code and path of each warning, in order."""
    return found(report.warnings)
