"""The few elements that our HTML is made of; what shows text escapes it."""

from collections.abc import Iterable
from html import escape

from sparknb.commands.views import Cell, Span, Tone
from sparknb.commands.words import count
from sparknb.displays import look
from sparknb.displays.safe_text import printable

__all__ = [
    "block",
    "cell_text",
    "escaped",
    "inline_code",
    "mark",
    "names",
    "plain",
    "stacked",
    "toned",
    "verbatim",
]

_MANY_LINES = 40
_MANY_CHARACTERS = 4_000
"""A text beyond these scrolls in a box of its own."""


def escaped(text: str) -> str:
    """Give text that is nothing but text in HTML, harmless characters only."""
    return escape(printable(text))


def toned(text: str, tone: Tone) -> str:
    """Give text, escaped, with its weight."""
    shown = escaped(text)
    if tone == "strong":
        return f"<strong>{shown}</strong>"
    style = look.TONES.get(tone)
    return shown if style is None else f'<span style="{style}">{shown}</span>'


def cell_text(cell: Cell) -> str:
    """Give a cell, escaped, with its weights."""
    if isinstance(cell, str):
        return escaped(cell)
    spans = (cell,) if isinstance(cell, Span) else cell
    return "".join(toned(span.text, span.tone) for span in spans)


def mark(meaning: str) -> str:
    """Give the sign of a meaning, which has a name for those who cannot see it."""
    sign, tone = look.MARKS[meaning]
    style = look.TONES[tone]
    label = f'role="img" aria-label="{meaning}"'
    return f'<span {label} style="{look.MARK};{style}">{sign}</span> '


def block(content: str, style: str = look.BLOCK) -> str:
    """Give a paragraph of HTML."""
    return f'<p style="{style}">{content}</p>'


def inline_code(text: str) -> str:
    """Give text as code within a sentence, escaped."""
    return f'<code style="{look.CODE}">{escaped(text)}</code>'


def stacked(parts: Iterable[str]) -> str:
    """Give parts one below the other; one part stands for itself."""
    listed = [part for part in parts if part]
    if len(listed) == 1:
        return listed[0]
    return f'<div style="{look.STACK}">{"".join(listed)}</div>'


def plain(cell: Cell) -> str:
    """Give the text of a cell as it is, to measure it."""
    if isinstance(cell, str):
        return cell
    spans = (cell,) if isinstance(cell, Span) else cell
    return "".join(span.text for span in spans)


def names(
    rows: Iterable[tuple[str, str]], style: str = look.NAME, width: str = "14em"
) -> str:
    """Give names with what belongs to each; both are HTML already."""
    pairs = "".join(
        f'<dt style="{style}">{name}</dt><dd style="{look.VALUE}">{value}</dd>'
        for name, value in rows
    )
    columns = f"fit-content({width}) minmax(0,1fr)"
    return f'<dl style="{look.NAMES}{columns}">{pairs}</dl>' if pairs else ""


def verbatim(text: str, content: str | None = None) -> str:
    """Give text as it stands; one that is long scrolls, also by keyboard."""
    lines = text.count("\n") + 1
    shown = escaped(text) if content is None else content
    # a parser drops one line end after <pre>
    shown = f"\n{shown}" if shown.startswith("\n") else shown
    if lines <= _MANY_LINES and len(text) <= _MANY_CHARACTERS:
        return f'<pre style="{look.TEXT}">{shown}</pre>'
    label = f"text of {count(lines, 'line')}"
    return (
        f'<pre tabindex="0" role="group" aria-label="{label}"'
        f' style="{look.TEXT};max-height:44em;overflow:auto">{shown}</pre>'
    )
