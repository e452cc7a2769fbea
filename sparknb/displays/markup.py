"""Views as HTML: one fragment of a few elements; everything shown is escaped text.

No script, no style sheet, no id, nothing from elsewhere. It reads well without its
styles, which front ends take away from notebooks that are not trusted.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from sparknb.commands.views import (
    Card,
    Cell,
    Code,
    Column,
    Diff,
    Failure,
    Fields,
    Line,
    Problems,
    ResultView,
    Section,
    Span,
    Stack,
    Table,
    Tone,
    View,
)
from sparknb.commands.words import count
from sparknb.core.problems import Problem
from sparknb.displays import look
from sparknb.displays.bounds import bounded
from sparknb.displays.safe_text import printable

__all__ = ["to_html"]

_NARROW = 28
"""Characters up to which the cells of a column are kept on one line."""

_MANY_LINES = 30
_MANY_CHARACTERS = 4_000
"""A text beyond these scrolls in a box of its own."""

# Formulas are looked for in all HTML of a notebook: `$.a` and `$5` are none.
_CLASSES = "sparknb tex2jax_ignore mathjax_ignore"


def to_html(view: View) -> str:
    """Give a view as one HTML fragment, the same for the same view."""
    body = _drawn(bounded(view))
    return f'<div class="{_CLASSES}" style="{look.ROOT}">{body}</div>'


def _drawn(view: View) -> str:
    return _DRAWERS[type(view)](view)


def _text(text: str) -> str:
    return escape(printable(text))


def _toned(text: str, tone: Tone) -> str:
    """Give text, escaped, with its weight."""
    shown = _text(text)
    if tone == "strong":
        return f"<strong>{shown}</strong>"
    style = look.TONES.get(tone)
    return shown if style is None else f'<span style="{style}">{shown}</span>'


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return _text(cell)
    spans = (cell,) if isinstance(cell, Span) else cell
    return "".join(_toned(span.text, span.tone) for span in spans)


def _mark(meaning: str) -> str:
    sign, tone = look.MARKS[meaning]
    style = look.TONES[tone]
    return (
        f'<span role="img" aria-label="{meaning}"'
        f' style="{style};font-weight:bold">{sign}</span>'
    )


def _block(content: str) -> str:
    return f'<p style="{look.BLOCK}">{content}</p>'


def _code(text: str) -> str:
    return f'<code style="{look.CODE}">{_text(text)}</code>'


def _stacked(parts: Iterable[str]) -> str:
    """Give parts one below the other; one part stands for itself."""
    listed = [part for part in parts if part]
    if len(listed) == 1:
        return listed[0]
    return f'<div style="{look.STACK}">{"".join(listed)}</div>'


def _stack(view: Stack) -> str:
    return _stacked(_drawn(part) for part in view.parts)


def _line(view: Line) -> str:
    said = _cell(view.text)
    return _block(said if view.mark == "none" else f"{_mark(view.mark)} {said}")


def _table(view: Table) -> str:
    if not view.rows:
        return _block(_toned(view.empty, "quiet"))
    title = count(len(view.rows), "row") if view.title is None else view.title
    styles = [_column_style(view, place) for place in range(len(view.columns))]
    heads = "".join(map(_heading, view.columns))
    rows = "".join(_row(row, styles) for row in view.rows)
    return (
        '<table style="border-collapse:collapse;margin:0;table-layout:auto'
        ';font-size:inherit;border:none">'
        f'<caption style="caption-side:top;text-align:left;padding:0 0 .2em'
        f';{look.TONES["quiet"]}">{_text(title)}</caption>'
        f'<thead style="border-bottom:1px solid {look.BORDER}">'
        f'<tr style="background:none">{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _column_style(view: Table, place: int) -> str:
    cells = [_plain(row[place]) for row in view.rows]
    is_narrow = not view.columns[place].wraps and max(map(len, cells)) <= _NARROW
    space = "pre" if is_narrow else "pre-wrap"
    return f"{look.CELL};text-align:{view.columns[place].align};white-space:{space}"


def _plain(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    spans = (cell,) if isinstance(cell, Span) else cell
    return "".join(span.text for span in spans)


def _heading(column: Column) -> str:
    style = f"{look.CELL};text-align:{column.align};{look.TONES['quiet']}"
    title = _text(column.title)
    return f'<th scope="col" style="{style};white-space:nowrap">{title}</th>'


def _row(row: Sequence[Cell], styles: Sequence[str]) -> str:
    """Give a row; its first cell is what it is about."""
    first, *rest = zip(row, styles, strict=True)
    head = f'<th scope="row" style="{first[1]}">{_cell(first[0])}</th>'
    cells = "".join(f'<td style="{style}">{_cell(cell)}</td>' for cell, style in rest)
    return f'<tr style="background:none">{head}{cells}</tr>'


def _names(rows: Iterable[tuple[str, str]], width: str = "14em") -> str:
    """Give names with what belongs to each; both are HTML already."""
    pairs = "".join(
        f'<dt style="{look.NAME}">{name}</dt><dd style="{look.BLOCK}">{value}</dd>'
        for name, value in rows
    )
    columns = f"fit-content({width}) minmax(0,1fr)"
    return f'<dl style="{look.NAMES}{columns}">{pairs}</dl>' if pairs else ""


def _fields(view: Fields) -> str:
    return _names((_text(name), _cell(cell)) for name, cell in view.rows)


def _section(view: Section) -> str:
    rows = [
        (f'<code style="{look.CODE}">{_cell(word)}</code>', _cell(meaning))
        for word, meaning in view.rows
    ]
    title = _block(_toned(view.title, "strong"))
    return f"<div>{title}{_names(rows, '36em')}</div>"


def _card(view: Card) -> str:
    rows = [
        (_text(name), _fields(value) if isinstance(value, Fields) else _cell(value))
        for name, value in view.rows
    ]
    title = _block(_toned(view.title, "strong"))
    label = _text(view.title)
    return (
        f'<div role="group" aria-label="{label}" style="{look.CARD}">'
        f"{title}{_names(rows)}</div>"
    )


def _problems(view: Problems) -> str:
    items = "".join(_problem(problem, view) for problem in view.problems)
    if not items:
        return ""
    style = f"list-style:none;margin:0;padding:0;{look.STACK}"
    return f'<ul role="list" style="{style}">{items}</ul>'


def _problem(problem: Problem, view: Problems) -> str:
    path = f"<strong>{_code(problem.path)}</strong> " if problem.path else ""
    head = f"{path}{_toned(problem.code, 'quiet')}"
    place = view.place(problem)
    if place is not None:
        head += f" {_toned(place, 'quiet')}"
    body = _block(head) + _block(_text(problem.message))
    if problem.hint:
        body += _hint(problem.hint)
    style = "display:grid;grid-template-columns:1.4em minmax(0,1fr);margin:0"
    return f'<li style="{style}">{_mark(problem.level)}<div>{body}</div></li>'


def _hint(hint: str) -> str:
    return _block(f"{_mark('hint')} {_text(hint)}")


def _verbatim(text: str, content: str | None = None) -> str:
    """Give text as it stands; one that is long scrolls, also by keyboard."""
    lines = text.count("\n") + 1
    shown = _text(text) if content is None else content
    # a parser drops one line end after <pre>
    shown = f"\n{shown}" if shown.startswith("\n") else shown
    if lines <= _MANY_LINES and len(text) <= _MANY_CHARACTERS:
        return f'<pre style="{look.TEXT}">{shown}</pre>'
    label = f"text of {count(lines, 'line')}"
    return (
        f'<pre tabindex="0" role="group" aria-label="{label}"'
        f' style="{look.TEXT};max-height:32em;overflow:auto">{shown}</pre>'
    )


def _diff(view: Diff) -> str:
    content = "\n".join(map(_diff_line, view.lines))
    return _verbatim("\n".join(view.lines), content)


def _diff_line(line: str) -> str:
    if line.startswith(("+++", "---")):
        return _toned(line, "strong")
    if line.startswith("@"):
        return _toned(line, "notice")
    if not line.startswith(("+", "-")):
        return _text(line)
    is_new = line.startswith("+")
    tag, colour = ("ins", look.GOOD) if is_new else ("del", look.BAD)
    style = f"{colour};text-decoration:none;background:none"
    return f'<{tag} style="{style}">{_text(line)}</{tag}>'


def _result(view: ResultView) -> str:
    result = view.result
    if not result.ok:
        return _failed_result(view)
    facts = [] if result.status is None else [f"HTTP {result.status}"]
    facts.append(f"{result.meta.bytes:,} bytes")
    if result.meta.truncated:
        facts.append("cut: only a part is shown")
    head = f"{_mark('done')} <strong>ok</strong> {_toned(', '.join(facts), 'quiet')}"
    text = _verbatim(result.text) if result.text else ""
    return _stacked([_block(head) + _request(view), text])


def _failed_result(view: ResultView) -> str:
    result = view.result
    code = _toned(result.error_code or "", "strong")
    parts = [_block(f"{_mark('failed')} {code} {_text(result.text)}") + _request(view)]
    if any(problem.path for problem in result.problems):
        parts.append(_problems(Problems(problems=result.problems)))
    elif result.hint:
        parts.append(_hint(result.hint))
    return _stacked(parts)


def _request(view: ResultView) -> str:
    sent: Mapping[str, Any] = view.result.request or {}
    if not view.shows_request or "url" not in sent:
        return ""
    return _block(_code(f"{sent.get('method', '')} {sent['url']}"))


def _failure(view: Failure) -> str:
    code = _toned(view.code, "strong")
    parts = [_block(f"{_mark('failed')} {code} {_text(view.message)}")]
    if any(p.path or p.hint for p in view.problems.problems):
        parts.append(_problems(view.problems))
        return _stacked(parts)
    if view.path:
        parts.append(_block(f"at {_code(view.path)}"))
    if view.hint:
        parts.append(_hint(view.hint))
    return _stacked(parts)


_DRAWERS: Mapping[type[Any], Callable[[Any], str]] = {
    Card: _card,
    Code: lambda view: _verbatim(view.text),
    Diff: _diff,
    Failure: _failure,
    Fields: _fields,
    Line: _line,
    Problems: _problems,
    ResultView: _result,
    Section: _section,
    Stack: _stack,
    Table: _table,
}
