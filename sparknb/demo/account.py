"""How the demo looks: numbered steps, short lines, small tables."""

from collections.abc import Iterable, Sequence
from typing import TextIO

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["Account"]

_WIDTH = 92
_INDENT = 3


class Account:
    """Writes the account; colours only where a terminal shows them."""

    def __init__(self, out: TextIO) -> None:
        console = Console(file=out, highlight=False)
        width = min(console.width, _WIDTH) if console.is_terminal else _WIDTH
        self._console = Console(file=out, highlight=False, width=width)
        self._steps = 0

    def title(self, text: str, under: str) -> None:
        """Begin."""
        self._console.print()
        self._console.print(Text(text, style="bold"))
        self._console.print(Text(under, style="dim"))

    def step(self, text: str) -> None:
        """Begin the next numbered step."""
        self._steps += 1
        line = Text.assemble((f"{self._steps}. ", "bold cyan"), (text, "bold"))
        self._console.print()
        self._console.print(line)

    def say(self, text: str, style: str = "") -> None:
        """Say a sentence or more below the step."""
        self._write(Text(text, style=style))

    def done(self, text: str) -> None:
        """Say what was checked and found right."""
        self._write(Text.assemble(("✓ ", "green"), text))

    def problem(self, code: str, path: str, message: str) -> None:
        """Show one thing that is wrong."""
        self._write(Text.assemble(("✗ ", "red"), (code, "bold"), f"  {path}"))
        self._write(Text(message), indent=5)

    def quote(self, text: str) -> None:
        """Show what somebody else wrote, behind a bar."""
        for line in text.splitlines():
            self._write(Text(line), bar="│ ")

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Show a small table."""
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for head in heads:
            table.add_column(head, header_style="dim", overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._console.print(Padding(table, (0, 0, 0, _INDENT), expand=False))

    def end(self, text: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Close with what to do next: commands beside or above what they are for."""
        self._console.print()
        self._console.print(Text(text, style="bold"))
        rows = list(pairs)
        width = max(len(command) for command, _ in rows) + 2
        widest = _INDENT + width + max(len(meaning) for _, meaning in rows)
        for command, meaning in rows:
            if widest <= self._console.width:
                self._write(Text.assemble((f"{command:<{width}}", "cyan"), meaning))
            else:
                self._write(Text(command, style="cyan"))
                self._write(Text(meaning), indent=5)

    def failure(self, text: str) -> None:
        """Say what did not happen."""
        self._console.print()
        self._console.print(Text(f"The demo failed in step {self._steps}: {text}"))

    def _write(self, text: Text, *, indent: int = _INDENT, bar: str = "") -> None:
        """Write text of any length, each of its lines indented alike."""
        width = self._console.width - indent - len(bar)
        for line in text.wrap(self._console, width):
            line.rstrip()
            self._console.print(Text.assemble(" " * indent, (bar, "dim"), line))
