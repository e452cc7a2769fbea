"""Comments that were probably meant as a setting, though its name is misspelt.

A comment that is prose stays prose: besides the word, what stands behind it has to be
just what the setting takes. A risk that is not read would be a lower one.
"""

import re
from collections.abc import Mapping
from typing import get_args

from sparknb.core.definitions import RISKS, Effect, Idempotency

__all__ = ["misspelt_choice", "misspelt_number"]

_CHOICES: Mapping[str, frozenset[str]] = {
    "risk": frozenset(RISKS),
    "effect": frozenset(get_args(Effect)),
    "idempotency": frozenset(get_args(Idempotency)),
}
_NUMBERS = ("timeoutMs", "memoryMb", "maxOutputBytes")
_NUMBER = re.compile(r"[0-9][0-9_]{0,15}")
_SHORT = 7  # letters; of so few no two may be wrong
_MORE = re.compile(r"[ \t]#.*", re.DOTALL)


def misspelt_choice(word: str, value: str) -> str | None:
    """Give the setting that is meant where the value is one of few: `riks: read`."""
    said = _MORE.sub("", value).strip(" \t.'\"").lower().replace("_", "-")
    near = (key for key, known in _CHOICES.items() if said in known)
    return next((key for key in near if _is_near(word, key)), None)


def misspelt_number(word: str, value: str) -> str | None:
    """Give the setting that is meant where the value is a number."""
    if not _NUMBER.fullmatch(_MORE.sub("", value).strip()):
        return None
    return next((key for key in _NUMBERS if _is_near(word, key)), None)


def _is_near(word: str, key: str) -> bool:
    """Whether a few letters are wrong, missing, too many or have changed places."""
    word, key = re.sub("[_-]", "", word).lower(), key.lower()
    most = 1 if len(key) <= _SHORT else 2
    return abs(len(word) - len(key)) <= most and _distance(word, key) <= most


def _distance(one: str, other: str) -> int:
    """Count the slips that make one word of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        older, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            slips = [before[to] + 1, row[-1] + 1, before[to - 1] + (letter != wanted)]
            if at > 1 and to > 1 and one[at - 2 : at] == wanted + other[to - 2]:
                slips.append(older[to - 2] + 1)
            row.append(min(slips))
    return row[-1]
