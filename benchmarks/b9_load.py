"""B9: `import sparknb`, and `%load_ext sparknb` in a kernel that has started.

Each is measured in a fresh process, in turn with `import pandas`, which says how fast
the machine is at that moment.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Figure, compared, in_time

__all__ = ["run"]

_ROUNDS = 12
_MOST_LOAD_MS = 300
_MOST_IMPORT_MS = 100

_TIMED = """
import time
{before}
began = time.perf_counter()
{work}
print(time.perf_counter() - began)
"""
# What a kernel has imported when its first cell runs.
_SHELL = """
import ipykernel.ipkernel, ipykernel.zmqshell
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("1 + 1", silent=True)
"""
_LOAD = "shell.run_line_magic('load_ext', 'sparknb')"
_PANDAS = "import pandas"


def run() -> list[Figure]:
    """Measure; about a minute."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        imported = _row(home, "B9·import", "", "import sparknb", _MOST_IMPORT_MS)
        loaded = _row(home, "B9", _SHELL, _LOAD, _MOST_LOAD_MS)
        return [loaded, imported]


def _row(home: Path, name: str, before: str, work: str, most: int) -> Figure:
    ours, theirs = (_TIMED.format(before=before, work=w) for w in (work, _PANDAS))
    for code in (ours, theirs):  # files come from memory from now on
        _seconds(home, code)
    found: tuple[list[float], list[float]] = ([], [])
    for _ in in_time(_ROUNDS):
        found[0].append(_seconds(home, ours))
        found[1].append(_seconds(home, theirs))
    a, b, ratio = compared(*found)
    shown = "%load_ext sparknb, IPython running" if before else work
    return Figure(
        id=name,
        work=f"{shown} (best {min(found[0]) * 1000:.0f} ms)",
        against=_PANDAS,
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
        goal=f"< {most} ms",
        met=statistics.median(found[0]) * 1000 < most,
    )


def _seconds(home: Path, code: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"SPARKNB_HOME": str(home), "IPYTHONDIR": str(home / "ipy")},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    return float(done.stdout.splitlines()[-1])
