"""How a cell shows our objects: the displays, registered with the shell."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparknb.displays import Shown
    from sparknb.magics.session import Session

__all__ = ["register_forms", "unregister_forms"]


def register_forms(shell: Any, session: "Session") -> None:
    """Show objects of the host as views, with places that cells passed as names."""
    from sparknb.displays import FORMS, Shown

    formatter = shell.display_formatter.mimebundle_formatter
    for kind, form in FORMS.items():
        formatter.for_type(kind, _bundle(session, form))
    formatter.for_type(Shown, _bundle(session, lambda shown: shown))


def unregister_forms(shell: Any) -> None:
    """Leave our objects to Python's own words again."""
    from sparknb.displays import FORMS, Shown

    formatter = shell.display_formatter.mimebundle_formatter
    for kind in (*FORMS, Shown):
        formatter.pop(kind, None)


def _bundle(
    session: "Session", form: "Callable[[Any], Shown]"
) -> Callable[..., dict[str, Any]]:
    def bundle(value: Any, **chosen: Any) -> dict[str, Any]:
        return session.named(form(value))._repr_mimebundle_(**chosen)

    return bundle
