"""Views as HTML: one fragment of a few elements; everything shown is escaped text.

No script, no style sheet, no id, nothing from elsewhere. It reads well without its
styles, which front ends take away from notebooks that are not trusted.
"""

from collections.abc import Callable, Mapping, Sequence
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
    Stack,
    Table,
    View,
)
from sparknb.commands.words import count
from sparknb.core.problems import Problem
from sparknb.displays import look
from sparknb.displays.bounds import bounded
from sparknb.displays.elements import (
    block,
    cell_text,
    escaped,
    inline_code,
    mark,
    names,
    plain,
    stacked,
    toned,
    verbatim,
)

__all__ = ["to_html"]

_NARROW = 28
"""Characters up to which the cells of a column are kept on one line."""

# Formulas are looked for in all HTML of a notebook: `$.a` and `$5` are none.
_CLASSES = "sparknb tex2jax_ignore mathjax_ignore"


def to_html(view: View) -> str:
    """Give a view as one HTML fragment, the same for the same view."""
    body = _drawn(bounded(view))
    return f'<div class="{_CLASSES}" style="{look.ROOT}">{body}</div>'


def _drawn(view: View) -> str:
    return _DRAWERS[type(view)](view)


def _stack(view: Stack) -> str:
    return stacked(_drawn(part) for part in view.parts)


def _line(view: Line) -> str:
    said = cell_text(view.text)
    return block(said if view.mark == "none" else f"{mark(view.mark)}{said}")


def _table(view: Table) -> str:
    if not view.rows:
        return block(toned(view.empty, "quiet"))
    styles = [_column_style(view, place) for place in range(len(view.columns))]
    heads = "".join(map(_heading, view.columns))
    rows = "".join(_row(row, styles) for row in view.rows)
    return (
        f'<table style="{look.TABLE}">'
        f"{_caption(view)}"
        f'<thead style="border-bottom:1px solid {look.BORDER}">'
        f'<tr style="background:none">{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _caption(view: Table) -> str:
    style = "caption-side:top;text-align:left;padding:0 0 .2em;color:inherit"
    return f'<caption style="{style}">{toned(view.title, "strong")}</caption>'


def _column_style(view: Table, place: int) -> str:
    cells = [plain(row[place]) for row in view.rows]
    is_narrow = not view.columns[place].wraps and max(map(len, cells)) <= _NARROW
    space = "pre" if is_narrow else "pre-wrap"
    return f"{look.CELL};text-align:{view.columns[place].align};white-space:{space}"


def _heading(column: Column) -> str:
    style = f"{look.CELL};text-align:{column.align};{look.TONES['quiet']}"
    space = "pre" if len(column.title) <= _NARROW else "pre-wrap"
    title = escaped(column.title)
    return f'<th scope="col" style="{style};white-space:{space}">{title}</th>'


def _row(row: Sequence[Cell], styles: Sequence[str]) -> str:
    """Give a row; its first cell is what it is about."""
    first, *rest = zip(row, styles, strict=True)
    head = f'<th scope="row" style="{first[1]}">{cell_text(first[0])}</th>'
    cells = "".join(
        f'<td style="{style}">{cell_text(cell)}</td>' for cell, style in rest
    )
    return f'<tr style="background:none">{head}{cells}</tr>'


def _fields(view: Fields) -> str:
    return names((escaped(name), cell_text(cell)) for name, cell in view.rows)


def _section(view: Section) -> str:
    rows = [
        (f'<code style="{look.CODE}">{cell_text(word)}</code>', cell_text(meaning))
        for word, meaning in view.rows
    ]
    title = block(toned(view.title, "strong"))
    return f"<div>{title}{names(rows, look.WORD, '60%')}</div>"


def _card(view: Card) -> str:
    rows = [(escaped(name), _value(value)) for name, value in view.rows]
    title = block(toned(view.title, "strong"))
    label = escaped(view.title)
    return (
        f'<div role="group" aria-label="{label}" style="{look.CARD}">'
        f"{title}{names(rows)}</div>"
    )


def _value(value: Cell | Fields | Code) -> str:
    if isinstance(value, Fields):
        return _fields(value)
    return inline_code(value.text) if isinstance(value, Code) else cell_text(value)


def _problems(view: Problems) -> str:
    notices = [p for p in view.problems if p.level == "notice"]
    others = [p for p in view.problems if p.level != "notice"]
    return stacked([_listed(others, view, look.STACK), _listed(notices, view)])


def _listed(problems: Sequence[Problem], view: Problems, style: str = "") -> str:
    items = "".join(_problem(problem, view) for problem in problems)
    style = f"list-style:none;margin:0;padding:0;{style}".rstrip(";")
    return f'<ul role="list" style="{style}">{items}</ul>' if items else ""


def _problem(problem: Problem, view: Problems) -> str:
    """Give one problem; a notice asks for nothing, so it is one line without code."""
    is_notice = problem.level == "notice"
    path = f"<strong>{inline_code(problem.path)}</strong>  " if problem.path else ""
    said = escaped(problem.message)
    head = f"{path}{said if is_notice else toned(problem.code, 'quiet')}"
    place = view.place(problem)
    if place is not None:
        head += f"  {toned(place, 'quiet')}"
    body = block(head) + ("" if is_notice else block(said))
    if problem.hint:
        body += _hint(problem.hint)
    style = "display:grid;grid-template-columns:1.4em minmax(0,1fr);margin:0"
    return f'<li style="{style}">{mark(problem.level)}<div>{body}</div></li>'


def _hint(hint: str, style: str = look.BLOCK) -> str:
    return block(f"{mark('hint')}{escaped(hint)}", style)


def _diff(view: Diff) -> str:
    content = "\n".join(map(_diff_line, view.lines))
    return verbatim("\n".join(view.lines), content)


def _diff_line(line: str) -> str:
    if line.startswith(("+++", "---")):
        return toned(line, "strong")
    if line.startswith("@"):
        return toned(line, "notice")
    if not line.startswith(("+", "-")):
        return escaped(line)
    is_new = line.startswith("+")
    tag, colour = ("ins", look.GOOD) if is_new else ("del", look.BAD)
    style = f"{colour};text-decoration:none;background:none"
    return f'<{tag} style="{style}">{escaped(line)}</{tag}>'


def _result(view: ResultView) -> str:
    result = view.result
    if not result.ok:
        return _failed_result(view)
    facts = [] if result.status is None else [f"HTTP {result.status}"]
    facts.append(count(result.meta.bytes, "byte"))
    if result.meta.truncated:
        facts.append("cut: only a part is shown")
    head = f"{mark('done')}<strong>ok</strong>  {toned(', '.join(facts), 'quiet')}"
    text = verbatim(result.text) if result.text else ""
    above = _together(block(head), _request(view))
    return stacked([above, text, _printed(result.printed)])


def _printed(text: str) -> str:
    """Give what a program printed, for its author."""
    if not text:
        return ""
    return _together(
        block(toned("printed", "quiet")), verbatim(text.removesuffix("\n"))
    )


def _together(*blocks: str) -> str:
    """Give paragraphs that belong together, without a gap between them."""
    return f"<div>{''.join(blocks)}</div>"


def _failed_result(view: ResultView) -> str:
    result = view.result
    head = _refusal(result.error_code or "", view.heading)
    if any(problem.path for problem in result.problems):
        listed = _problems(view.problems)
        return stacked([_together(head, _request(view)), listed])
    hint = _hint(result.hint, look.UNDER) if result.hint else ""
    return _together(head, _request(view), hint)


def _refusal(code: str, message: str) -> str:
    said = toned(code, "strong") + (f"  {escaped(message)}" if message else "")
    return block(f"{mark('failed')}{said}")


def _request(view: ResultView) -> str:
    sent: Mapping[str, Any] = view.result.request or {}
    if not view.shows_request or "url" not in sent:
        return ""
    shown = inline_code(f"{sent.get('method', '')} {sent['url']}")
    return block(shown, f"{look.UNDER};{look.TONES['quiet']}")


def _failure(view: Failure) -> str:
    head, listed = _refusal(view.code, view.heading), view.listed
    is_told = view.hint in [p.hint for p in listed]
    hint = _hint(view.hint, look.UNDER) if view.hint and not is_told else ""
    if listed:
        return stacked([head, _problems(view.problems), hint])
    place = block(f"at {inline_code(view.path)}", look.UNDER) if view.path else ""
    return _together(head, place, hint)


_DRAWERS: Mapping[type[Any], Callable[[Any], str]] = {
    Card: _card,
    Code: lambda view: verbatim(view.text),
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
