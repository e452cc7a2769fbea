"""What a cell shows: one view, as text, as HTML and as JSON."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from sparknb.commands.views import View
from sparknb.displays.markup import to_html
from sparknb.displays.plain import to_text
from sparknb.displays.wire import MIME_TYPE, to_wire

__all__ = ["Shown"]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Shown:
    """A view with the document behind it, for a notebook to display.

    Attributes:
        document: What `--json` would print, or None.
        kind: One word for the document, such as `result`.
    """

    view: View
    document: Any = None
    kind: str = "document"

    def _repr_mimebundle_(
        self,
        include: Collection[str] | None = None,
        exclude: Collection[str] | None = None,
    ) -> dict[str, Any]:
        """Give the forms that a front end may choose from."""
        makers: dict[str, Callable[[], Any]] = {
            "text/plain": lambda: to_text(self.view),
            "text/html": lambda: to_html(self.view),
            MIME_TYPE: lambda: to_wire(self.document, kind=self.kind),
        }
        return {
            name: make()
            for name, make in makers.items()
            if (include is None or name in include)
            and (exclude is None or name not in exclude)
        }

    def __str__(self) -> str:
        return to_text(self.view)

    def __repr__(self) -> str:
        return to_text(self.view)
