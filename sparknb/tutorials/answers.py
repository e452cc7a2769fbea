"""Checks the answer to an exercise, as far as it goes, and gives the next hint."""

from typing import TYPE_CHECKING, Any

from sparknb.commands.views import Line, Section, Span, Stack, View
from sparknb.core.errors import NotFoundError

if TYPE_CHECKING:
    from sparknb.displays import Shown
    from sparknb.host import Host

__all__ = ["check"]


async def check(host: "Host", name: str) -> "Shown":
    """Give what is right already in the answer to an exercise, and the next hint.

    A wrong answer is an answer: nothing is raised for it.

    Args:
        host: Where the person's tools are.
        name: The exercise, such as `01-1`.

    Raises:
        NotFoundError: There is no such exercise.
    """
    from sparknb.displays import Shown
    from sparknb.tutorials.exercises import EXERCISES

    exercise = EXERCISES.get(name)
    if exercise is None:
        raise NotFoundError(
            f"there is no exercise {str(name)[:40]!r}",
            path="exercise",
            hint=f"there are {', '.join(EXERCISES)}",
        )
    met: list[str] = []
    missing = None
    async for point in exercise(host):
        if not point.is_met:
            missing = point
            break
        met.append(point.said)
    document: dict[str, Any] = {
        "exercise": name,
        "solved": missing is None,
        "met": met,
    }
    parts: list[View] = [Line(said, "done") for said in met]
    if missing is None:
        parts.append(Line(Span(f"Exercise {name} is solved.", "good"), "done"))
    else:
        document |= {"missing": missing.said, "hint": missing.hint}
        parts.append(Line(f"Not yet: {missing.said}", "notice"))
        parts.append(Section("Hint", [(missing.hint, "")]))
    return Shown(Stack(parts), document, "exercise")
