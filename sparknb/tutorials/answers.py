"""Checks the answer to an exercise, as far as it goes, and gives the next hint."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sparknb.commands.views import Code, Line, Section, Span, Stack, View

if TYPE_CHECKING:
    from sparknb.displays import Shown
    from sparknb.host import Host
    from sparknb.tutorials.exercises import Point

__all__ = ["check"]


async def check(host: "Host", name: str) -> "Shown":
    """Give what is right already in the answer to an exercise, and the next hint.

    A wrong answer is an answer, and so is an exercise that is not there: nothing is
    raised for them.

    Args:
        host: Where the person's tools are.
        name: The exercise, such as `01-1`.
    """
    from sparknb.displays import Shown
    from sparknb.tutorials.exercises import EXERCISES

    exercise = EXERCISES.get(name)
    if exercise is None:
        known = ", ".join(EXERCISES)
        line = Line(
            f"There is no exercise {str(name)[:40]}. There are {known}.", "failed"
        )
        return Shown(line, {"exercise": str(name)[:40], "solved": False}, "exercise")
    met: list[str] = []
    missing = None
    async for point in exercise(host):
        if not point.is_met:
            missing = point
            break
        met.append(point.met)
    document: dict[str, Any] = {"exercise": name, "solved": missing is None}
    document["met"] = met
    if missing is not None:
        document |= {"missing": missing.missing, "hint": missing.hint}
        if missing.example:
            document["code"] = missing.example
    return Shown(Stack(_parts(name, met, missing)), document, "exercise")


def _parts(name: str, met: Sequence[str], missing: "Point | None") -> list[View]:
    rows = [(Span("✓", "good"), said) for said in met]
    parts: list[View] = [Section("Right already", rows)] if met else []
    if missing is None:
        parts.append(Line(Span(f"Exercise {name} is solved.", "good"), "done"))
        return parts
    parts.append(Line(missing.missing, "notice"))
    parts.append(Line((Span("Hint: ", "strong"), Span(missing.hint))))
    if missing.example:
        parts.append(Code(missing.example))
    return parts
