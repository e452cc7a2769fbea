"""The look of our HTML: a few inline styles, on the colours of whoever shows it.

Text takes the colour around it, and each tone is mixed from that colour: dark text
gives a dark green, light text a light one. So there is no theme to ask for. Where
styles are taken away, order, words and signs still say everything.
"""

from collections.abc import Mapping

from sparknb.commands.views import Tone

__all__ = [
    "BAD",
    "BLOCK",
    "BORDER",
    "CARD",
    "CELL",
    "CODE",
    "GOOD",
    "MARK",
    "MARKS",
    "NAME",
    "NAMES",
    "ROOT",
    "STACK",
    "TABLE",
    "TEXT",
    "TONES",
    "UNDER",
    "VALUE",
    "WORD",
]

_COLOURS = {
    "--spark-line": "--jp-border-color2,var(--vscode-panel-border,#8886)",
    "--spark-quiet": (
        "--jp-content-font-color2,var(--vscode-descriptionForeground,inherit)"
    ),
    "--spark-mono": (
        "--jp-code-font-family,var(--vscode-editor-font-family,monospace,monospace)"
    ),
}
"""Words of ours for what JupyterLab, Notebook and VS Code call differently."""

BORDER = "var(--spark-line)"
_QUIET = "color:var(--spark-quiet)"
_MONO = "font-family:var(--spark-mono)"


def _mixed(colour: str) -> str:
    return f"color:color-mix(in srgb,currentColor 45%,{colour})"


GOOD, BAD = _mixed("#0a0"), _mixed("#e02")

TONES: Mapping[Tone, str] = {
    "quiet": _QUIET,
    "good": GOOD,
    "notice": _mixed("#08c"),
    "warning": _mixed("#c70"),
    "bad": BAD,
}
"""How a tone looks; `plain` looks like nothing, `strong` is an element."""

MARKS: Mapping[str, tuple[str, Tone]] = {
    "done": ("✓", "good"),
    "failed": ("✗", "bad"),
    "error": ("✗", "bad"),
    "warning": ("!", "warning"),
    "notice": ("i", "notice"),
    "hint": ("→", "notice"),
}
"""The sign of a meaning, and its tone."""

_DEFINED = ";".join(f"{name}:var({value})" for name, value in _COLOURS.items())
ROOT = f"margin:.2em 0;line-height:1.5;overflow-wrap:anywhere;{_DEFINED}"
STACK = "display:grid;grid-template-columns:minmax(0,1fr);gap:.75em"
BLOCK = "margin:0;white-space:pre-wrap"
MARK = "display:inline-block;width:1.1em;font-weight:bold"
UNDER = f"{BLOCK};padding-left:1.4em"
"""What stands under a sentence with a mark, in line with its words."""

CODE = f"{_MONO};font-size:.93em;background:none;padding:0;color:inherit"
TEXT = (
    f"{_MONO};font-size:.93em;line-height:1.45;margin:0;padding:.6em .8em;color:inherit"
    f";background:none;border:1px solid {BORDER};border-radius:4px"
    ";white-space:pre-wrap;overflow-wrap:anywhere"
)
TABLE = (
    "border-collapse:collapse;border:none;margin:0;table-layout:auto;font-size:inherit"
    ";color:inherit;justify-self:start"
)
CELL = "padding:.2em 1.6em .2em 0;vertical-align:top;font-weight:normal;line-height:1.5"
NAMES = "display:grid;margin:0;gap:.15em 1.6em;grid-template-columns:"
WORD = "margin:0;float:none;width:auto;font-weight:normal"
NAME = f"{WORD};{_QUIET}"
VALUE = "margin:0;float:none;width:auto;white-space:pre-wrap"
CARD = (
    f"border:1px solid {BORDER};border-radius:4px"
    ";padding:.7em 1em;max-width:56em;display:grid;gap:.6em"
)
