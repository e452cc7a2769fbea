"""The few colours there are, and what each means."""

from collections.abc import Mapping

from rich.console import Console

from sparknb.commands.views import Tone

__all__ = ["STYLES", "mark"]

STYLES: Mapping[Tone, str] = {
    "plain": "",
    "strong": "bold",
    "quiet": "dim",
    "good": "green",
    "notice": "cyan",
    "warning": "yellow",
    "bad": "red",
}

# Bold and a colour never go together: JupyterLab makes a dark red of that, which
# cannot be read on the dark red behind the failure of a cell.
# what is said: how it looks, its sign, its sign where only ASCII can be shown
_MARKS: Mapping[str, tuple[str, str, str]] = {
    "done": ("green", "✓", "ok"),
    "failed": ("red", "✗", "x"),
    "error": ("red", "✗", "x"),
    "warning": ("yellow", "!", "!"),
    "notice": ("cyan", "i", "i"),
    "hint": ("cyan", "→", "->"),
}


def mark(console: Console, meaning: str) -> tuple[str, str]:
    """Give the sign for a meaning that this console can show, and its style."""
    style, sign, plain = _MARKS[meaning]
    return (sign if console.encoding.startswith("utf") else plain, style)
