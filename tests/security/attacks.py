"""Reads the attacks: hostile programs, and how the call of each must end.

They stand in text files beside this one, a folder for each language:

    --- name of the attack
    ends CODE: pattern of the message       (or `gives: pattern of the result`)
    with tools=lookup,slow timeout_ms=1000 memory_mb=128        (where needed)
    the program

In a program `@FILE@` stands for a file with the sentinel in it, `@FOLDER@` for its
folder, `@LINK@` for a link to it, `@PORT@` for a port that is listened on; other words
between at signs for what cannot be written in a text file.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["ATTACKS", "SENTINEL", "Attack"]

SENTINEL = "canary-7f3a9c"
"""Stands in the file and in the variable that no program may see."""

Language = Literal["python", "typescript"]

_HERE = Path(__file__).parent
_START = re.compile(r"^--- (.+)\n", re.MULTILINE)
_ENDING = re.compile(r"(?:ends (\w+)|gives): ?(.*)\n(?:with (.+)\n)?")
_UNWRITABLE: Mapping[str, str] = {
    "@BOM@": "\ufeff",
    "@ZERO@": "\0",
    "@RETURN@": "\r",
    "@LINE SEPARATOR@": "\u2028",
    "@NARROW BLANK@": "\u00a0",
    "@60000 OPEN@": "[" * 60_000,
    "@60000 CLOSED@": "]" * 60_000,
    "@200 ARROWS@": "a ? (b) : c => (" * 200,
    "@200 ENDS@": ")" * 200,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One hostile program and how its call must end.

    Attributes:
        group: What it is after: the name of its file.
        code: The error code of the call, None where the program ends well and its
            text shows that it reached nothing.
        said: A pattern that the text of the result holds, in any case.
        tools: What it may call: `lookup` answers, `slow` does not.
    """

    language: Language
    group: str
    name: str
    source: str
    code: str | None
    said: str
    tools: tuple[str, ...] = ()
    timeout_ms: int = 30_000
    memory_mb: int = 64

    def __str__(self) -> str:
        return f"{self.language}: {self.name}"

    @property
    def seconds(self) -> float:
        """Within which the call has to end, for a person who waits."""
        return self.timeout_ms / 1000 + 2

    def program(self, places: Mapping[str, str]) -> str:
        """Give the source for this machine."""
        source = self.source
        for word, meant in {**_UNWRITABLE, **places}.items():
            source = source.replace(word, meant)
        return source


def _read(language: Language) -> Iterator[Attack]:
    for path in sorted((_HERE / language).glob("*.txt")):
        _, *parts = _START.split(path.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            ending = _ENDING.match(text)
            assert ending is not None, f"{path.name}: {name}"
            code, said, options = ending.groups()
            given = dict(word.split("=") for word in (options or "").split())
            yield Attack(
                language=language,
                group=path.stem,
                name=name,
                source=text[ending.end() :].rstrip("\n") + "\n",
                code=code,
                said=said,
                tools=tuple(filter(None, given.pop("tools", "").split(","))),
                timeout_ms=int(given.pop("timeout_ms", 30_000)),
                memory_mb=int(given.pop("memory_mb", 64)),
            )
            assert not given, f"{path.name}: {name}: {given}"


ATTACKS: tuple[Attack, ...] = (*_read("python"), *_read("typescript"))
