"""What an agent reads before it writes a tool: everything it has to know.

`guide.md` may be the only text that a model has read, so it states the rules whole and
in few words. A test has the validator itself judge its examples.
"""

import json
from collections.abc import Iterable

from sparknb.host.guide_examples import CASES, EXAMPLES

__all__ = ["guide"]

_RUNS = (
    "Here run: {kinds}. Drafts of other kinds can be kept, but neither tested nor"
    " published on this machine."
)


def guide(kinds: Iterable[str]) -> str:
    """Give the guide as Markdown; `kinds` are the kinds of tools that run here."""
    from importlib.resources import files

    text = files("sparknb.host").joinpath("guide.md").read_text(encoding="utf-8")
    shown = [
        f"### {title[0].upper()}{title[1:]}\n\n```json\n{_json(definition)}\n```"
        for title, definition in EXAMPLES.items()
    ]
    fillings = {
        "{runtimes}": _RUNS.replace("{kinds}", ", ".join(kinds)),
        "{cases}": _json(CASES),
        "{examples}": "\n\n".join(shown),
    }
    for place, filling in fillings.items():
        text = text.replace(place, filling)
    return text


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
