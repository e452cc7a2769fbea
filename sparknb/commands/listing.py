"""The listing of a program: its lines, each with the number that problems name."""

import re
from collections.abc import Mapping
from typing import Any

from sparknb.commands.views import Code, Line, Span, View
from sparknb.core.asking import program

__all__ = ["listing", "without_source"]

_LINE_END = re.compile(r"\r\n?|\n")


def without_source(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give a definition without the program in it; any other as it is."""
    if definition["type"] != "code":
        return definition
    spec = definition["spec"]
    runtime = {k: v for k, v in spec["runtime"].items() if k != "source"}
    return {**definition, "spec": {**spec, "runtime": runtime}}


def listing(definition: Mapping[str, Any]) -> list[View]:
    """Give the program of a definition, line by line; nothing where there is none."""
    if definition["type"] != "code":
        return []
    runtime = definition["spec"]["runtime"]
    language, source = runtime["language"], runtime["source"]
    lines = _LINE_END.split(source.rstrip())
    width = len(str(len(lines)))
    numbered = [
        f"{number:>{width}}  {line}".rstrip() for number, line in enumerate(lines, 1)
    ]
    heading = f"spec.runtime.source: {program(language, source)}"
    return [Line((Span(heading, "quiet"),)), Code("\n".join(numbered))]
