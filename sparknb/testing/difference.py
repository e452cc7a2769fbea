"""How the outputs of a cell differ from the stored ones, as a small diff."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any

__all__ = ["difference"]

_Output = Mapping[str, Any]
_PICTURES = ("image/png", "image/jpeg")
_WIDGET = "application/vnd.jupyter.widget-view+json"
_CONTEXT = 2


def difference(
    stored: Sequence[_Output], fresh: Sequence[_Output], clean: Callable[[str], str]
) -> str:
    """Give the lines that differ: `-` was stored, `+` came now.

    Args:
        stored: Outputs of the cell in the notebook.
        fresh: Outputs of the run.
        clean: Replaces what may differ, as nbval does before it compares.
    """
    before, after = (list(_lines(outputs, clean)) for outputs in (stored, fresh))
    changed = unified_diff(before, after, "", "", n=_CONTEXT, lineterm="")
    return "\n".join(
        "  ..." if line.startswith("@@") else f"{line[0]} {line[1:]}".rstrip()
        for line in list(changed)[3:]
    )


def _lines(outputs: Sequence[_Output], clean: Callable[[str], str]) -> Iterator[str]:
    for output in outputs:
        for name, value in _parts(output):
            yield f"[{name}]"
            yield from clean(value).splitlines()


def _parts(output: _Output) -> Iterator[tuple[str, str]]:
    """Give what nbval compares of one output, each part with its name."""
    kind = output["output_type"]
    if kind == "stream":
        yield output["name"], output["text"]
    elif kind == "error":
        yield "error", f"{output['ename']}: {output['evalue']}"
    else:
        for name in sorted(output.get("data", {})):
            if name not in _PICTURES and name != _WIDGET:
                value = output["data"][name]
                yield name, value if isinstance(value, str) else repr(value)
