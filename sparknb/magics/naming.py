"""Views as a notebook shows them: commands of a cell, places by their names."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sparknb.commands.views import Code, Diff, ResultView, Stack, View
from sparknb.displays import Shown, in_notebook, renamed

__all__ = ["named", "worded"]

_Change = Callable[[str], str]
_CELL = "%%spark_tool "
_GIVEN = re.compile(r" --var (\S+)")
_PROGRAM = re.compile(r" --type (?:python|typescript)\b")
_NAME = re.compile(r"(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def named(shown: Shown, place: _Change) -> Shown:
    """Give what is shown, in the words of a notebook.

    Args:
        shown: A view and its document.
        place: Puts names in place of addresses that cells passed by name.
    """
    document = _document(shown.document, place)
    return replace(shown, view=worded(shown.view, place), document=document)


def worded(view: View, place: _Change) -> View:
    """Give a view in the words of a notebook."""
    return _placed(renamed(view, in_notebook), place)


def _placed(view: View, place: _Change) -> View:
    """Change also what is not ours to reword: an address is one wherever it stands."""
    if isinstance(view, Stack):
        return Stack([_placed(part, place) for part in view.parts])
    if isinstance(view, Code):
        return replace(view, text=_said(view.text, place))
    if isinstance(view, Diff):
        return Diff([place(line) for line in view.lines])
    view = renamed(view, place)
    if not isinstance(view, ResultView):
        return view
    result = view.result
    request = _document(result.request, place)
    return replace(
        view, result=replace(result, text=place(result.text), request=request)
    )


def _said(text: str, place: _Change) -> str:
    """Give a text with names in place of addresses; a cell also says that it has them.

    So it can be run as it is shown. A program takes no variables.
    """
    changed = place(text)
    if changed == text or not text.startswith(_CELL):
        return changed
    line, end, body = changed.partition("\n")
    if _PROGRAM.search(line):
        return changed
    given = _GIVEN.findall(line)
    names = [n for n in dict.fromkeys(_NAME.findall(body)) if n not in given]
    return f"{line}{''.join(f' --var {name}' for name in names)}{end}{body}"


def _document(document: Any, change: _Change) -> Any:
    """Give a JSON document with every text in it changed; keys stay."""
    if isinstance(document, str):
        return _said(document, change)
    if isinstance(document, Mapping):
        return {key: _document(value, change) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_document(value, change) for value in document]
    return document
