"""The front-end part of a widget: the shared kit and its own module, as one text."""

from functools import cache
from pathlib import Path

__all__ = ["module", "stylesheet"]

_FOLDER = Path(__file__).with_name("front")


def module(name: str) -> str:
    """Give the ES module of a widget: the kit, then `front/<name>.js`.

    One text, so that a page needs no second request, no CDN and no build.
    """
    return f"{_text('kit.js')}\n{_text(f'{name}.js')}"


def stylesheet(name: str | None = None) -> str:
    """Give the style sheet that all widgets share, and what one has of its own."""
    own = "" if name is None else _text(f"{name}.css")
    return _text("kit.css") + own


@cache
def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
