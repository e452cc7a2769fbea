"""The definitions that the guide for agents shows; each is valid as it stands."""

from collections.abc import Mapping
from typing import Any

__all__ = ["CASES", "EXAMPLES"]

_READ = {
    "id": "open_issues",
    "title": "Open issues of a repository",
    "description": (
        "Lists the open issues of one repository, newest first. Use it when somebody"
        " asks what is reported or still to do. It does not search their texts."
    ),
    "type": "http",
    "inputSchema": {
        "type": "object",
        "properties": {
            "repo": {
                "type": "string",
                "description": "Name of the repository, such as billing",
            },
            "label": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Only issues that have one of these labels",
            },
            "limit": {
                "type": "integer",
                "default": 20,
                "description": "How many at most, 1 to 100",
            },
        },
        "required": ["repo"],
    },
    "timeoutMs": 20000,
    "secretRefs": {"api_key": "custom-tool:open_issues:api_key"},
    "spec": {
        "request": {
            "method": "GET",
            "urlTemplate": (
                "https://tracker.example.com/api/repos/{{repo}}/issues"
                "?state=open&label={{label | repeat}}&limit={{limit}}"
            ),
            "headers": [
                {"name": "Accept", "valueTemplate": "application/json"},
                {"name": "X-Api-Key", "secretRef": "api_key"},
            ],
        },
        "response": {
            "format": "json",
            "extract": [
                {"label": "number", "jsonPath": "$.issues[*].number"},
                {"label": "title", "jsonPath": "$.issues[*].title"},
            ],
        },
    },
}
_WRITE = {
    "id": "create_note",
    "title": "Create a note",
    "description": (
        "Writes a new note into the team's notebook. Use it only when the user asks to"
        " keep something; each call makes one more note."
    ),
    "type": "http",
    "inputSchema": {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "One line"},
            "text": {"type": "string", "description": "The note, as Markdown"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "pinned": {"type": "boolean", "description": "Keep it on top"},
        },
        "required": ["title", "text"],
    },
    "secretRefs": {"token": "custom-tool:create_note:token"},
    "spec": {
        "request": {
            "method": "POST",
            "urlTemplate": "https://notes.example.com/api/notes",
            "headers": [{"name": "Authorization", "secretRef": "token"}],
            "body": {
                "mode": "json",
                "jsonTemplate": (
                    '{"title": {{title}}, "text": {{text}}, "tags": {{tags}},'
                    ' "options": {"pinned": {{pinned}}, "source": "agent"} }'
                ),
            },
        },
        "response": {"format": "json"},
    },
}
_TYPESCRIPT = {
    "id": "loan_payment",
    "title": "Monthly payment of a loan",
    "description": (
        "Computes the equal monthly payment of a loan. Use it instead of working such"
        " numbers out in words."
    ),
    "type": "code",
    "inputSchema": {
        "type": "object",
        "properties": {
            "amount": {"type": "number", "description": "What is borrowed"},
            "yearly_percent": {
                "type": "number",
                "description": "Such as 4.5",
            },
            "months": {"type": "integer", "description": "How many payments"},
        },
        "required": ["amount", "yearly_percent", "months"],
    },
    "risk": "read",
    "effect": "read",
    "idempotency": "safe",
    "timeoutMs": 5000,
    "spec": {
        "runtime": {
            "language": "typescript",
            "source": (
                "type Input = { amount: number; yearly_percent: number; months: number"
                " };\n\n"
                "export default function (input: Input) {\n"
                "  const rate = input.yearly_percent / 1200;\n"
                "  const payment = rate === 0\n"
                "    ? input.amount / input.months\n"
                "    : input.amount * rate / (1 - (1 + rate) ** -input.months);\n"
                "  return { payment: Math.round(payment * 100) / 100 };\n"
                "}\n"
            ),
        }
    },
}
_PYTHON = {
    "id": "word_counts",
    "title": "Count words",
    "description": "Counts the words of a text and gives the most frequent ones first.",
    "type": "code",
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "top": {"type": "integer", "description": "How many words; else 5"},
        },
        "required": ["text"],
    },
    "risk": "read",
    "effect": "read",
    "idempotency": "safe",
    "timeoutMs": 5000,
    "spec": {
        "runtime": {
            "language": "python",
            "source": (
                "def run(text: str, top: int = 5) -> list:\n"
                "    counts: dict[str, int] = {}\n"
                "    for word in text.lower().split():\n"
                "        counts[word] = counts.get(word, 0) + 1\n"
                "    ranked = sorted(counts.items(), key=lambda pair: -pair[1])\n"
                '    return [{"word": w, "count": n} for w, n in ranked[:top]]\n'
            ),
        }
    },
}

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "an http tool that reads, with a secret and a table as result": _READ,
    "an http tool that writes, with a JSON body": _WRITE,
    "a code tool in TypeScript": _TYPESCRIPT,
    "a code tool in Python": _PYTHON,
}
CASES: list[Mapping[str, Any]] = [
    {
        "name": "a known repository",
        "input": {"repo": "billing"},
        "expect": {"jsonPath": "$.issues[0].state", "equals": "open"},
    },
    {
        "name": "shown as a table",
        "input": {"repo": "billing", "limit": 1},
        "expect": {"contains": "| number | title |"},
    },
    {
        "name": "no such repository",
        "input": {"repo": "no-such-repository"},
        "expect": {"errorCode": "HTTP_ERROR"},
    },
]
