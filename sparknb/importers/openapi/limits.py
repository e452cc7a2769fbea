"""At most 32 parameters: what is kept, and what is named as dropped (ST-110)."""

from collections.abc import Sequence

from sparknb.core.problems import Problem
from sparknb.importers.openapi.bodies import Body, collapsed
from sparknb.importers.openapi.outcomes import SkipError, notice
from sparknb.importers.openapi.slots import Slot

__all__ = ["MOST_PARAMETERS", "within_limit"]

MOST_PARAMETERS = 32
_MOST_NAMED = 500


def within_limit(
    slots: Sequence[Slot], body: Body | None
) -> tuple[list[Slot], Body | None, list[Problem]]:
    """Give the slots that are kept, with those of the body, and what was done.

    Raises:
        SkipError: More are required than a tool may have.
        RefError: A reference in the body cannot be followed.
    """
    notices: list[Problem] = []
    own = [] if body is None else body.slots
    if body is not None and len(slots) + len(own) > MOST_PARAMETERS:
        smaller = collapsed(body)
        if smaller is not body:
            told = "the body is one parameter of JSON text: it has too many members"
            notices.append(notice(told))
            body, own = smaller, smaller.slots
    everything = [*slots, *own]
    required = sum(slot.required for slot in everything)
    if required > MOST_PARAMETERS:
        message = f"{required} parameters are required, and a tool has at most 32"
        raise SkipError("TOO_MANY_PARAMETERS", message)
    room = MOST_PARAMETERS - required
    kept: list[Slot] = []
    dropped: list[Slot] = []
    for slot in everything:
        if not slot.required and room == 0:
            dropped.append(slot)
            continue
        room -= not slot.required
        kept.append(slot)
    if dropped:
        names = ", ".join(map(str, dropped[:_MOST_NAMED]))
        if len(dropped) > _MOST_NAMED:
            names += f" and {len(dropped) - _MOST_NAMED} more"
        told = f"a tool has at most 32 parameters; {len(dropped)} optional ones"
        notices.append(notice(f"{told} are left out: {names}"))
    return kept, body, notices
