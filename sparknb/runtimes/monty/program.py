"""What is fed to the sandbox: the source, between what makes a text of its result.

The result becomes text inside the sandbox, where its limits hold, and where a
function or a list that holds itself can still be told from a text (ST-42).
"""

from typing import NamedTuple

__all__ = ["ARGUMENTS", "CALL_TOOL", "FIRST_LINE", "Answer", "assembled", "read_answer"]

ARGUMENTS = "__sparknb_arguments"
CALL_TOOL = "call_tool"

# Bound as defaults: a source may give `type` or `len` a meaning of its own.
_BEFORE = """\
import json as __sparknb_json
def __sparknb_place(place):
    parts = []
    while place is not None:
        parts.append(place[1])
        place = place[0]
    parts.reverse()
    return "result" + "".join(parts)
def __sparknb_odd(result, place_of=__sparknb_place, type=type, id=id, str=str,
                  list=list, dict=dict, tuple=tuple, int=int, float=float, bool=bool,
                  isinstance=isinstance, set=set, repr=repr, enumerate=enumerate,
                  none=type(None), inf=float("inf")):
    plain = (str, int, bool, none)
    above = set()
    todo = [(result, None)]
    while todo:
        value, place = todo.pop()
        if place == "end":
            above.discard(value)
        elif isinstance(value, plain):
            pass
        elif isinstance(value, float):
            if value != value or value == inf or value == -inf:
                return "the float " + repr(value) + " at " + place_of(place)
        elif type(value) is not list and type(value) is not tuple and (
            not isinstance(value, dict)
        ):
            return "a " + type(value).__name__ + " at " + place_of(place)
        elif id(value) in above:
            kind = type(value).__name__
            return "a cycle (a " + kind + " that holds itself) at " + place_of(place)
        else:
            above.add(id(value))
            todo.append((id(value), "end"))
            if isinstance(value, dict):
                for key in value:
                    if not isinstance(key, str):
                        kind = type(key).__name__
                        return "a key of type " + kind + " at " + place_of(place)
                    todo.append((value[key], (place, "[" + repr(key)[:60] + "]")))
            else:
                for at, member in enumerate(value):
                    todo.append((member, (place, "[" + str(at) + "]")))
    return None
async def __sparknb_answer(value, most, odd_in=__sparknb_odd, type=type, str=str,
                           len=len, dumps=__sparknb_json.dumps,
                           errors=(TypeError, ValueError, RecursionError)):
    if type(value).__name__ == "coroutine":
        value = await value
    if type(value) is str:
        kind, text = "text", value
    elif value is None:
        kind, text = "json", "null"
    else:
        try:
            kind, text = "json", dumps(value, indent=2, ensure_ascii=False)
            odd = odd_in(value)
        except errors as error:
            odd = odd_in(value) or str(error)
        if odd is not None:
            return ["odd", odd[:600]]
    size = len(text.encode())
    return ["long", str(size)] if size > most else [kind, text]
"""
FIRST_LINE = _BEFORE.count("\n") + 1
"""Line of the program on which the source begins."""


class Answer(NamedTuple):
    """What a program came to: `text`, `json`, `odd` or `long`, and what is said."""

    kind: str
    text: str


def assembled(source: str, *, max_output_bytes: int) -> str:
    """Give the whole program for one call of `run`."""
    call = f"await __sparknb_answer(run(**{ARGUMENTS}), {max_output_bytes})"
    return f"{_BEFORE}{source}\n{call}"


def read_answer(value: object) -> Answer | None:
    """Give what came out of the sandbox; None when it is nothing of ours."""
    match value:
        case [str(kind), str(text)] if kind in {"text", "json", "odd", "long"}:
            return Answer(kind, text)
        case _:
            return None
