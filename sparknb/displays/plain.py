"""Views as text, with and without ANSI colours; the same everywhere."""

from io import StringIO
from typing import TYPE_CHECKING

from sparknb.commands.views import View
from sparknb.displays.bounds import bounded

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["to_ansi", "to_text"]


def to_text(view: View, *, width: int = 100) -> str:
    """Give a view as plain text of `width` columns, without a line end after it.

    Verbatim text, such as code, keeps its lines.
    """
    return _drawn(view, width, has_colours=False)


def to_ansi(view: View, *, width: int = 100) -> str:
    """Give the same with the sixteen ANSI colours."""
    return _drawn(view, width, has_colours=True)


def _drawn(view: View, width: int, *, has_colours: bool) -> str:
    from sparknb.displays.drawing import drawn

    return drawn(_console(width, has_colours=has_colours), bounded(view)).rstrip("\n")


def _console(width: int, *, has_colours: bool) -> "Console":
    """Give a console that asks neither terminal, environment nor notebook."""
    from rich.console import Console

    return Console(
        file=StringIO(),
        width=width,
        height=25,
        color_system="standard" if has_colours else None,
        force_terminal=has_colours,
        force_jupyter=False,
        force_interactive=False,
        no_color=not has_colours,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
