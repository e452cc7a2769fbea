"""Measure, and print a Markdown table: python -m benchmarks [--only B1,B2]."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import (
    b1_validate,
    b2_http_call,
    b3_mcp_call,
    b4_python_call,
    b5_typescript,
    b7_openapi,
    b8_surface,
    b9_load,
    b10_cell,
    click,
    publish_race,
    redaction,
)
from benchmarks.measure import Figure

_ALL: dict[str, Callable[[], list[Figure]]] = {
    "B1": b1_validate.run,
    "B2": b2_http_call.run,
    "B3": b3_mcp_call.run,
    "B4": b4_python_call.run,
    "B5": b5_typescript.run,
    "B7": b7_openapi.run,
    "B8": b8_surface.run,
    "B9": b9_load.run,
    "B10": b10_cell.run,
    "click": click.run,
    "race": publish_race.run,
    "redaction": redaction.run,
}
_HEADS = ("id", "work", "against", "ours", "theirs", "ratio", "goal", "met")


def main(words: Sequence[str] | None = None) -> int:
    """Run what was asked for; 1 when a goal is not met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", help=f"some of {','.join(_ALL)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures here")
    options = parser.parse_args(words)
    names = options.only.split(",") if options.only else list(_ALL)
    unknown = [name for name in names if name not in _ALL]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}")
    figures: list[Figure] = []
    _row(_HEADS)
    _row(["---"] * len(_HEADS))
    for name in names:
        print(f"measuring {name}", file=sys.stderr)
        for figure in _ALL[name]():
            figures.append(figure)
            _row(_cells(figure))
    if options.json:
        wire = [figure.to_wire() for figure in figures]
        options.json.write_text(json.dumps(wire, indent=2) + "\n", encoding="utf-8")
    return 1 if any(figure.met is False for figure in figures) else 0


def _row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def _cells(figure: Figure) -> list[str]:
    met = {None: "-", True: "yes", False: "**no**"}[figure.met]
    return [
        figure.id,
        figure.work,
        figure.against,
        _number(figure.ours, figure.unit),
        _number(figure.theirs, figure.unit),
        "-" if figure.ratio is None else f"{figure.ratio:.2f}",
        figure.goal or "-",
        met,
    ]


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    digits = 3 if unit == "ms" else 0
    return f"{value:.{digits}f} {unit}"


if __name__ == "__main__":
    sys.exit(main())
