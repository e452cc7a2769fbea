"""What a person is asked, in one wording for every door."""

from collections.abc import Mapping
from typing import Any

from sparknb.core.protocols import Action, ApprovalRequest

__all__ = [
    "AGREEMENTS",
    "CONSEQUENCES",
    "HEADINGS",
    "consequence",
    "facts",
    "program",
    "subject",
]

HEADINGS: Mapping[Action, str] = {
    "call": "Approve this call?",
    "test": "Approve this test run?",
    "cases": "Run these test cases?",
    "publish": "Publish this draft?",
    "enable": "Enable this tool?",
    "rollback": "Publish this earlier version again?",
    "delete": "Delete this tool for good?",
}
AGREEMENTS: Mapping[Action, str] = {
    "call": "Run this call, once",
    "test": "Run this test, once",
    "cases": "Run these cases, once",
    "publish": "Publish this draft",
    "enable": "Enable this tool",
    "rollback": "Publish this earlier version",
    "delete": "Delete this tool",
}
"""What a person says by saying yes."""
CONSEQUENCES: Mapping[Action, str | None] = {
    "call": None,
    "test": "It is a draft, or was never saved: look at where the request goes.",
    "cases": "Each case is one call; this answer counts for all of them.",
    "publish": (
        "Agents use this version from then on. A first publish puts the tool where "
        "they see it."
    ),
    "enable": "Agents see the tool at once.",
    "rollback": "A copy of it becomes what agents use.",
    "delete": "Its versions, its secrets and its traces go with it.",
}

_FOR_IMAGES: Mapping[Action, str] = {
    "publish": "Images are handed to this version from then on; agents never see it.",
    "enable": "Images are handed to it at once; agents never see it.",
    "rollback": "A copy of it becomes what images are handed to.",
}

_SERVICE = "service"  # what gets the images, of a tool for them
_LANGUAGES = {"python": "Python", "typescript": "TypeScript"}
_DOING: Mapping[Action, str] = {
    "call": "",
    "test": "testing ",
    "cases": "running the cases of ",
    "publish": "publishing ",
    "enable": "enabling ",
    "rollback": "rolling back ",
    "delete": "deleting ",
}


def subject(request: ApprovalRequest) -> str:
    """Give what is asked about, as part of a sentence: `publishing weather (read)`."""
    return f"{_DOING[request.action]}{request.tool_id} ({request.risk})"


def consequence(request: ApprovalRequest) -> str | None:
    """Give what follows from a yes, in a sentence; None where the heading says it."""
    is_for_images = any(name == _SERVICE for name, _ in request.preview.facts)
    usual = CONSEQUENCES[request.action]
    return _FOR_IMAGES.get(request.action, usual) if is_for_images else usual


def program(language: str, source: str) -> str:
    """Give what a program is, at a glance: `Python, 12 lines`."""
    lines = source.rstrip().count("\n") + 1
    return f"{_LANGUAGES[language]}, {lines:,} line{'' if lines == 1 else 's'}"


def facts(definition: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Give what carries a tool out, by its stored definition, as names with values.

    Of a program its language, its length and what it may call; of a question about
    images the service that gets them. A request shows what it is by itself.
    """
    spec = definition["spec"]
    if definition["type"] == "code":
        runtime, named = spec["runtime"], spec.get("permissions", {}).get("toolIds")
        return (
            ("program", program(runtime["language"], runtime["source"])),
            ("may call", ", ".join(named or ()) or "none"),
        )
    if definition["type"] == "provider-vision":
        return (
            (_SERVICE, spec["providerProfileId"]),
            ("model", spec.get("model") or "the service's own"),
        )
    return ()
