"""What is fed to the sandbox: the source, and behind it what makes text of its result.

The result becomes text inside the sandbox, where its limits hold, and where a
function or a list that holds itself can still be told from a text (ST-42).
"""

import re

__all__ = [
    "ARGUMENTS",
    "CALL_TOOL",
    "FIRST_LINE",
    "assembled",
    "has_odd_keys",
    "longest",
    "searched",
]

ARGUMENTS = "__sparknb_arguments"
CALL_TOOL = "call_tool"

_RESULT = "__sparknb_result"
FIRST_LINE = 2
"""Line of the program on which the source begins."""

_CODED = 6  # characters of JSON for one of a text, at most

# A key that was no text in Python, as the sandbox writes it; texts may look like it.
_ODD_KEY = re.compile(r'"(?:-?\d[^"]*|true|false|null|-?(?:inf|Infinity)|nan|NaN)": ')

# Finds what JSON cannot hold, and says where. Fed only when something is wrong.
_SEARCH = f"""\
def __sparknb_odd(result):
    plain = (str, int, bool, type(None))
    infinite = float("inf")
    def told(place):
        parts = []
        while place is not None:
            parts.append(place[1])
            place = place[0]
        parts.reverse()
        return " at result" + "".join(parts)
    above = set()
    todo = [(result, None)]
    while todo:
        value, place = todo.pop()
        if place == "end":
            above.discard(value)
        elif isinstance(value, plain):
            pass
        elif isinstance(value, float):
            if value != value or value == infinite or value == -infinite:
                return "the float " + repr(value) + told(place)
        elif type(value) is not list and type(value) is not tuple and (
            not isinstance(value, dict)
        ):
            kind = type(value).__name__
            article = "an " if kind[:1] in "AEIOUaeiou" else "a "
            return article + kind + told(place)
        elif id(value) in above:
            kind = type(value).__name__
            return "a cycle (a " + kind + " that holds itself)" + told(place)
        else:
            above.add(id(value))
            todo.append((id(value), "end"))
            if isinstance(value, dict):
                for key in value:
                    if not isinstance(key, str):
                        return "a key of type " + type(key).__name__ + told(place)
                    todo.append((value[key], (place, "[" + repr(key)[:60] + "]")))
            else:
                for at, member in enumerate(value):
                    todo.append((member, (place, "[" + str(at) + "]")))
    return ""
__sparknb_odd({_RESULT})
"""


def assembled(source: str, *, max_output_bytes: int) -> str:
    """Give the whole program for one call of `run`; its value is JSON text."""
    # No builtins behind the source: it may give them a meaning of its own.
    options = "indent=2, ensure_ascii=False, allow_nan=False"
    most = longest(max_output_bytes)
    return (
        "__sparknb_type = type\n"
        f"{source}\nimport json as __sparknb_json\n"
        f"{_RESULT} = run(**{ARGUMENTS})\n"
        f"if __sparknb_type({_RESULT}).__name__ == 'coroutine':\n"
        f"  {_RESULT} = await {_RESULT}\n"
        f"__sparknb_json.dumps({_RESULT}, {options})[:{most}]"
    )


def searched() -> str:
    """Give what is fed next when the result is no JSON; its value says why."""
    return _SEARCH


def has_odd_keys(text: str) -> bool:
    """Tell whether keys of the JSON text may have been something else than texts."""
    return _ODD_KEY.search(text) is not None


def longest(max_output_bytes: int) -> int:
    """Give how many characters of JSON are brought out at most."""
    return _CODED * max_output_bytes + 3
