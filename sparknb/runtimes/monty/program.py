"""What is fed to the sandbox: the source, and behind it what makes text of its result.

The result becomes text inside the sandbox, where its limits hold, and where a
function or a list that holds itself can still be told from a text (ST-42). What
escapes from `run` is cut there, too: the host would else hold all of its words.
"""

import re

__all__ = [
    "ARGUMENTS",
    "CALL_TOOL",
    "FIRST_LINE",
    "LONGEST_THROWN",
    "assembled",
    "escaped",
    "has_odd_keys",
    "is_ours",
    "longest",
    "searched",
]

ARGUMENTS = "__sparknb_arguments"
CALL_TOOL = "call_tool"

_OURS = "__sparknb_"  # in each line that is fed behind the source
_RESULT = "__sparknb_result"
_TASK = "__sparknb_task"
FIRST_LINE = 2
"""Line of the program on which the source begins."""

LONGEST_THROWN = 1024 * 1024
"""Characters of an exception that leave the sandbox with its lines; of more, a part."""

_TOLD = 4000  # characters of such a part
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
f"{{__sparknb_odd({_RESULT})}}"[:{_TOLD}]
"""

# Runs the program in a task: an exception that is caught loses its lines, and only a
# task that is awaited once more throws it with them. No builtins here either, and
# no names that the program could change once it runs; modules it cannot change.
_RUN = f"""\
async def __sparknb_main(__sparknb_run, given):
  import asyncio
  import json as __sparknb_json
  async def started():
    found = __sparknb_run(**given)
    if __sparknb_type(found).__name__ == 'coroutine':
      found = await found  # __sparknb_
    return found
  task = asyncio.gather(started())
  global {_TASK}, {_RESULT}
  try:
    await task
  except:
    {_TASK} = task
    return
  {_RESULT} = (await task)[0]
"""

# Fed after an exception left the task: throws it again, or gives a part of it.
_ESCAPE = f"""\
class __sparknb_Escaped:
  def __enter__(self):
    self.kind = self.said = ""
  def __exit__(self, kind, error, where):
    self.kind = f"{{kind}}"[8:-2]
    self.said = f"{{error}}"
    return True
async def __sparknb_escape(task, escaped):
  with escaped:
    await task
  if escaped.said[{LONGEST_THROWN}:{LONGEST_THROWN + 1}]:
    return [escaped.kind, escaped.said[:{_TOLD}]]
  await task  # __sparknb_
await __sparknb_escape({_TASK}, __sparknb_Escaped())
"""


def assembled(source: str, *, max_output_bytes: int) -> str:
    """Give the program for one call of `run`.

    Its value is JSON text, or None when an exception escaped: see `escaped`.
    """
    # No builtins behind the source: it may give them a meaning of its own.
    options = "indent=2, ensure_ascii=False, allow_nan=False"
    most = longest(max_output_bytes)
    return (
        "__sparknb_type = type\n"
        f"{source}\n{_RUN}"
        f"  return __sparknb_json.dumps({_RESULT}, {options})[:{most}]\n"
        f"await __sparknb_main(run, {ARGUMENTS})"
    )


def escaped() -> str:
    """Give what is fed next when an exception escaped.

    It throws it, with its lines. Of one that is too long, its value is the type and
    the first words.
    """
    return _ESCAPE


def is_ours(line: str | None) -> bool:
    """Tell whether a line of the program is none of the source."""
    return _OURS in (line or "")


def searched() -> str:
    """Give what is fed next when the result is no JSON; its value says why."""
    return _SEARCH


def has_odd_keys(text: str) -> bool:
    """Tell whether keys of the JSON text may have been something else than texts."""
    return _ODD_KEY.search(text) is not None


def longest(max_output_bytes: int) -> int:
    """Give how many characters of JSON are brought out at most."""
    return _CODED * max_output_bytes + 3
