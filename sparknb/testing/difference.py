"""How the outputs of a cell differ from the stored ones, as a small diff."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any

__all__ = ["difference"]

_Output = Mapping[str, Any]
_PICTURES = ("image/png", "image/jpeg")
_WIDGET = "application/vnd.jupyter.widget-view+json"
_PLAIN = ("stdout", "stderr", "error", "text/plain")
_CONTEXT = 2
_LONGEST = 400  # characters of a line


def difference(
    stored: Sequence[_Output],
    fresh: Sequence[_Output],
    clean: Callable[[Any], str],
    *,
    hide: Callable[[str], str],
) -> str:
    """Give the lines that differ: `-` was stored, `+` came now.

    Args:
        stored: Outputs of the cell in the notebook.
        fresh: Outputs of the run.
        clean: Replaces what may differ, as nbval does before it compares.
        hide: Takes secrets out of a line, before it is cut.
    """
    sides = [list(_shown(outputs, clean)) for outputs in (stored, fresh)]
    plain = [[part for part in side if part[0] in _PLAIN] for side in sides]
    # the same difference in HTML and JSON too would only bury it
    before, after = plain if plain[0] != plain[1] else sides
    changed = unified_diff(
        list(_lines(before)), list(_lines(after)), "", "", n=_CONTEXT, lineterm=""
    )
    return "\n".join(
        "  ..."
        if line.startswith("@@")
        else f"{line[0]} {_clipped(hide(line[1:]))}".rstrip()
        for line in list(changed)[3:]
    )


def _shown(
    outputs: Sequence[_Output], clean: Callable[[Any], str]
) -> Iterator[tuple[str, str]]:
    for output in outputs:
        for name, value in _parts(output):
            yield name, clean(value)


def _lines(parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, text in parts:
        yield f"[{name}]"
        yield from text.splitlines()


def _clipped(line: str) -> str:
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def _parts(output: _Output) -> Iterator[tuple[str, Any]]:
    """Give what nbval compares of one output, each part with its name."""
    kind = output["output_type"]
    if kind == "stream":
        yield output["name"], output["text"]
    elif kind == "error":
        yield "error", f"{output['ename']}: {output['evalue']}"
    else:
        for name in sorted(output.get("data", {})):
            if name not in _PICTURES and name != _WIDGET:
                yield name, output["data"][name]
