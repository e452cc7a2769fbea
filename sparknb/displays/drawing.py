"""How views are drawn for terminals and as plain text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.box import ROUNDED
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

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
    View,
)
from sparknb.commands.words import count
from sparknb.displays.one_line import draw_lines
from sparknb.displays.problems import problem_list
from sparknb.displays.safe_text import printable
from sparknb.displays.tones import STYLES, mark

__all__ = ["drawn"]

_GAP = 3
"""Blanks between names and what belongs to them."""

_GAPS = (_GAP, 2)
"""Blanks between the columns of a table: fewer where there is no room for more."""

_NARROWEST = 16
"""Columns that a wrapping column of a table keeps."""

_WORD = 28
"""Columns that it keeps where there is room, so that no id or address is broken."""


def drawn(console: Console, view: View) -> str:
    """Give a view as this console would show it; no line ends in blanks."""
    with console.capture() as captured:
        _draw(console, view)
    lines = captured.get().split("\n")
    return "\n".join(line.rstrip(" ") for line in lines)


def _draw(console: Console, view: View) -> None:
    _DRAWERS[type(view)](console, view)


def _stack(console: Console, view: Stack) -> None:
    sections = [part for part in view.parts if isinstance(part, Section)]
    rows = [row for part in sections for row in part.rows]
    width = max((len(_text(word)) for word, meaning in rows if meaning), default=0)
    for place, part in enumerate(view.parts):
        if place:
            console.print()
        if isinstance(part, Section):
            _section(console, part, width)
        else:
            _draw(console, part)


def _text(cell: Cell) -> Text:
    """Give a cell's text, harmless, with its weights."""
    spans = (Span(cell),) if isinstance(cell, str) else cell
    spans = (spans,) if isinstance(spans, Span) else spans
    return Text.assemble(*((printable(s.text), STYLES[s.tone]) for s in spans))


def _line(console: Console, view: Line) -> None:
    said = _text(view.text)
    if view.mark != "none":
        said = Text.assemble(mark(console, view.mark), " ", said)
    console.print(said)


def _table(console: Console, view: Table) -> None:
    if not view.rows:
        console.print(Text(printable(view.empty), style="dim"))
        return
    rows = [[_text(cell) for cell in row] for row in view.rows]
    if any(column.yields for column in view.columns):
        draw_lines(console, view.columns, rows)
        return
    fit = _fit(view.columns, rows, console.width)
    if fit is None:
        _records(console, view.columns, rows)
        return
    gap, widths = fit
    padding = (0, gap, 0, 0)
    grid = Grid(box=None, pad_edge=False, padding=padding, header_style="dim")
    for column, width in zip(view.columns, widths, strict=True):
        grid.add_column(
            Text(printable(column.title)),
            justify=column.align,
            no_wrap=not column.wraps,
            overflow="fold",
            width=width if column.wraps else None,
        )
    for row in rows:
        grid.add_row(*row)
    console.print(grid)


def _fit(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int
) -> tuple[int, Sequence[int]] | None:
    """Give gap and widths of a table, None where it would lose text.

    Words stay whole where there is room: the column with the longest text gives way.
    """
    for word in (_WORD, _NARROWEST):
        least = _least_widths(columns, rows, word)
        for gap in _GAPS:
            spare = width - sum(least) - gap * (len(columns) - 1)
            if spare >= 0:
                return gap, _widened(least, columns, rows, spare)
    return None


def _least_widths(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], longest: int
) -> list[int]:
    """Give the widths below which text would be lost, or words of that length."""
    widths = []
    for place, column in enumerate(columns):
        cells = [Text(printable(column.title)), *(row[place] for row in rows)]
        if column.wraps:
            words = [cell_len(word) for c in cells for word in c.plain.split()]
            widths.append(max(_NARROWEST, min(longest, max(words, default=0))))
        else:
            widths.append(max(cell.cell_len for cell in cells))
    return widths


def _widened(
    least: Sequence[int],
    columns: Sequence[Column],
    rows: Sequence[Sequence[Text]],
    spare: int,
) -> Sequence[int]:
    """Give wrapping columns what they need of the rest; the least is served first."""
    widths = list(least)
    needs = {
        place: max(
            cell_len(printable(column.title)), *(row[place].cell_len for row in rows)
        )
        - least[place]
        for place, column in enumerate(columns)
        if column.wraps
    }
    for served, place in enumerate(sorted(needs, key=needs.__getitem__)):
        given = min(needs[place], spare // (len(needs) - served))
        widths[place] += given
        spare -= given
    return widths


def _records(
    console: Console, columns: Sequence[Column], rows: Sequence[Sequence[Text]]
) -> None:
    """Draw the rows one below the other, where there is no room side by side."""
    for place, row in enumerate(rows):
        if place:
            console.print()
        _pairs(console, [(c.title, cell) for c, cell in zip(columns, row, strict=True)])


def _pairs(console: Console, rows: Sequence[tuple[str, Text]]) -> None:
    names = [(Text(printable(name), style="dim"), value) for name, value in rows]
    _two_columns(console, names)


def _two_columns(
    console: Console,
    rows: Sequence[tuple[Text, Text]],
    *,
    indent: int = 0,
    width: int = 0,
) -> None:
    """Draw names with what belongs to them; only the second column wraps.

    Several times faster than a table of rich: every magic draws some of these.
    """
    width = max([width, *(name.cell_len for name, _ in rows)])
    start = indent + width + _GAP
    is_narrow = console.width - start < _NARROWEST
    if is_narrow:  # what belongs to a name stands below it
        start = indent + 2
    lines = Text()
    for name, value in rows:
        lines.append(" " * indent).append_text(name)
        below = "\n" + " " * start
        gap = below if is_narrow else " " * (start - indent - name.cell_len)
        for line in _wrapped(console, value, console.width - start):
            lines.append(gap if line.plain else "").append_text(line)
            gap = below
        lines.append("\n")
    _verbatim(console, lines, end="")


def _wrapped(console: Console, text: Text, width: int) -> Sequence[Text]:
    if text.cell_len <= width and "\n" not in text.plain:
        return (text,)
    return list(text.wrap(console, max(width, 1), overflow="fold"))


def _fields(console: Console, view: Fields) -> None:
    _pairs(console, [(name, _text(cell)) for name, cell in view.rows])


def _problems(console: Console, view: Problems) -> None:
    console.print(problem_list(console, view))


def _code(console: Console, view: Code) -> None:
    _verbatim(console, Text(printable(view.text)))


def _diff(console: Console, view: Diff) -> None:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in view.lines:
        is_heading = line.startswith(("+++", "---"))
        style = "bold" if is_heading else styles.get(line[:1], "")
        _verbatim(console, Text(printable(line), style=style))


def _verbatim(console: Console, text: RenderableType, end: str = "\n") -> None:
    """Print lines as they are: a terminal may wrap them, a pipe gets them whole."""
    console.print(text, soft_wrap=True, end=end)


def _result(console: Console, view: ResultView) -> None:
    result = view.result
    if not result.ok:
        _failed_result(console, view)
        return
    facts = [] if result.status is None else [f"HTTP {result.status}"]
    facts.append(count(result.meta.bytes, "byte"))
    if result.meta.truncated:
        facts.append("cut: only a part is shown")
    said = ", ".join(facts)
    console.print(
        Text.assemble(mark(console, "done"), (" ok", "bold"), (f"  {said}", "dim"))
    )
    _request(console, view)
    if result.text:
        console.print()
        _verbatim(console, Text(printable(result.text)))
    _printed(console, result.printed)


def _printed(console: Console, text: str) -> None:
    """Draw what a program printed, for its author."""
    if not text:
        return
    console.print()
    console.print(Text("printed", style="dim"))
    _verbatim(console, Text(printable(text.removesuffix("\n"))))


def _failed_result(console: Console, view: ResultView) -> None:
    result = view.result
    said = f"  {printable(view.heading)}" if view.heading else ""
    code = (f" {result.error_code}", "bold")
    _verbatim(console, Text.assemble(mark(console, "failed"), code, said))
    _request(console, view)
    if any(p.path for p in result.problems):
        console.print()
        console.print(problem_list(console, view.problems))
    elif result.hint:
        console.print(_hint(console, result.hint))


def _request(console: Console, view: ResultView) -> None:
    sent: Mapping[str, Any] = view.result.request or {}
    if view.shows_request and "url" in sent:
        said = f"  {sent.get('method', '')} {sent['url']}"
        _verbatim(console, Text(printable(said), style="dim"))


def _failure(console: Console, view: Failure) -> None:
    said = f"  {printable(view.heading)}" if view.heading else ""
    code = (f" {view.code}", "bold")
    console.print(Text.assemble(mark(console, "failed"), code, said))
    listed = view.listed
    if listed:
        console.print()
        console.print(problem_list(console, view.problems))
    elif view.path:
        console.print(Text(f"  at {printable(view.path)}", style="dim"))
    if view.hint and view.hint not in [p.hint for p in listed]:
        console.print(_hint(console, view.hint))


def _hint(console: Console, hint: str) -> RenderableType:
    said = Text.assemble(mark(console, "hint"), " ", printable(hint))
    return Padding(said, (0, 0, 0, 2))


def _section(console: Console, view: Section, width: int = 0) -> None:
    console.print(Text(printable(view.title), style="bold"))
    rows = [(_text(word), _text(meaning)) for word, meaning in view.rows]
    _two_columns(console, rows, indent=2, width=width)


def _card(console: Console, view: Card) -> None:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in view.rows:
        grid.add_row(Text(printable(name)), _value(value))
    heading = Text(printable(view.title), style="bold")
    drawn = Group(heading, Text(""), grid)
    console.print(Panel(drawn, box=ROUNDED, border_style="yellow", padding=(0, 1)))


def _value(value: Cell | Fields | Code) -> RenderableType:
    if isinstance(value, Fields):
        return _inner(value)
    return _text(value.text if isinstance(value, Code) else value)


def _inner(view: Fields) -> RenderableType:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in view.rows:
        grid.add_row(Text(printable(name)), _text(value))
    return grid


_DRAWERS: Mapping[type[Any], Callable[[Console, Any], None]] = {
    Card: _card,
    Stack: _stack,
    Line: _line,
    Table: _table,
    Fields: _fields,
    Problems: _problems,
    Code: _code,
    Diff: _diff,
    ResultView: _result,
    Failure: _failure,
    Section: _section,
}
