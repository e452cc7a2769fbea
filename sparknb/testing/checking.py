"""Runs pytest on notebooks, in a process of its own, and reads what it found."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sparknb.core.errors import ExecutionFailedError
from sparknb.testing.finding import Found, look_at
from sparknb.testing.hiding import redactor
from sparknb.testing.report import CellReport, CheckReport, NotebookReport, Verdict

__all__ = ["DEFAULT_SECONDS", "CheckOptions", "check_notebooks", "has_workers"]

DEFAULT_SECONDS = 60

_GRACE = 15  # seconds that an interrupted pytest has to stop its kernels
_USUAL_ENDS = {0, 1, 5}  # passed, failed, nothing to run


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How notebooks are checked.

    Attributes:
        workers: Processes to spread the notebooks over; more than one needs
            pytest-xdist, without which they run one after the other.
        seconds: Time limit of a cell.
    """

    workers: int = 1
    seconds: int = DEFAULT_SECONDS


def has_workers() -> bool:
    """Whether notebooks can be spread over processes."""
    return find_spec("xdist") is not None


def check_notebooks(paths: Sequence[Path], options: CheckOptions) -> CheckReport:
    """Run each notebook in a room of its own and compare its outputs.

    Raises:
        ExecutionFailedError: pytest itself broke; its last words are the message.
        KeyboardInterrupt: Interrupted; kernels and rooms are gone.
    """
    notebooks = [look_at(path) for path in paths]
    usable = [each.path for each in notebooks if each.code_cells]
    findings = _run(usable, options) if usable else {}
    return CheckReport(
        [_notebook(each, findings.get(each.path.resolve(), [])) for each in notebooks]
    )


# -------------------------------------------------------------------- the process
def _run(
    paths: Sequence[Path], options: CheckOptions
) -> Mapping[Path, list[dict[str, Any]]]:
    with tempfile.TemporaryDirectory(
        prefix="sparknb-check-", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        (folder / "rooms").mkdir()
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        files = [str(path.resolve()) for path in paths]
        # pytest tells files apart by their path below its root
        root = os.path.commonpath([os.path.dirname(file) for file in files])  # noqa: PTH120  # texts go in and out
        command = _command(folder, root, options)
        with (folder / "said").open("wb") as said:
            child = subprocess.Popen(  # noqa: S603  # our own interpreter
                [*command, *files],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=_environment(),
                start_new_session=True,
            )
            code = _await(child)
        lines = folder / "lines"
        if code not in _USUAL_ENDS:
            raise _broken(code, (folder / "said").read_text("utf-8", "replace"))
        return _by_notebook(lines) if lines.exists() else {}


def _command(folder: Path, root: str, options: CheckOptions) -> list[str]:
    """Give the command line; a person's own configuration of pytest does not count."""
    plugins = ["nbval", "sparknb.testing.lines", "sparknb.testing.plugin"]
    spread: list[str] = []
    if options.workers > 1 and has_workers():
        plugins.append("xdist")
        spread = ["-n", str(options.workers), "--dist", "loadfile"]
        # A cell that ends its worker may end each that comes after it too.
        spread.append(f"--max-worker-restart={options.workers}")
    words = [sys.executable, "-P", "-m", "pytest", "-c", str(folder / "pytest.ini")]
    for plugin in plugins:
        words += ["-p", plugin]
    return [
        *words,
        *(
            "-p",
            "no:cacheprovider",
            "--noconftest",
            "--color=no",
            "-q",
            "--tb=no",
            *spread,
        ),
        *("--rootdir", root, "--nbval"),
        f"--nbval-cell-timeout={options.seconds}",
        f"--sparknb-lines={folder / 'lines'}",
        f"--sparknb-rooms={folder / 'rooms'}",
    ]


def _environment() -> dict[str, str]:
    """Give the child's variables: none that changes how pytest works."""
    kept = {n: value for n, value in os.environ.items() if not n.startswith("PYTEST_")}
    return kept | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _await(child: "subprocess.Popen[bytes]") -> int:
    """Wait for the end; when interrupted, let pytest stop its kernels first."""
    try:
        return child.wait()
    except BaseException:
        _interrupt(child)
        try:
            child.wait(_GRACE)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            child.kill()
            child.wait()
        raise


def _interrupt(child: "subprocess.Popen[bytes]") -> None:
    """Hand the interrupt on, once: the child is in a session of its own."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGINT)
        else:
            child.terminate()


def _broken(code: int, said: str) -> ExecutionFailedError:
    last = "\n".join(said.strip().splitlines()[-20:])
    return ExecutionFailedError(
        f"pytest ended with {code}: {redactor().text(last)}",
        hint="this is no fault of the notebooks: see `sparknb doctor`",
    )


# ------------------------------------------------------------------- the findings
_Finding = dict[str, Any]


def _by_notebook(lines: Path) -> Mapping[Path, list[_Finding]]:
    found: dict[Path, list[_Finding]] = {}
    for line in lines.read_text(encoding="utf-8").splitlines():
        finding = json.loads(line)
        found.setdefault(Path(finding["path"]), []).append(finding)
    return found


def _notebook(found: Found, findings: Sequence[_Finding]) -> NotebookReport:
    """Give the report of a notebook; of a cell with two verdicts the worse counts."""
    path = str(found.path)
    if found.why_unusable is not None:
        return _unusable(path, found.why_unusable)
    if not found.code_cells:
        return NotebookReport(path=path, cells=(), message="it has no code cells")
    broken = next((f for f in findings if "number" not in f), None)
    if broken is not None:
        return _unusable(path, f"it cannot be read: {broken['message']}")
    verdicts: dict[int, _Finding] = {}
    for finding in findings:
        if verdicts.get(finding["number"], {}).get("outcome") != "failed":
            verdicts[finding["number"]] = finding
    cells = [_cell(verdicts[number]) for number in sorted(verdicts)]
    if len(cells) < found.code_cells:  # never green for what did not run
        why = f"only {len(cells)} of {found.code_cells} cells were run"
        return _unusable(path, f"{why}: pytest ended early", cells)
    return NotebookReport(path=path, cells=cells)


def _cell(finding: _Finding) -> CellReport:
    outcome: Verdict = finding["outcome"]
    number = finding["number"]
    return CellReport(
        id=finding["id"] or str(number),
        number=number,
        line=finding["line"],
        outcome=outcome,
        message=finding["message"],
    )


def _unusable(path: str, why: str, cells: Sequence[CellReport] = ()) -> NotebookReport:
    return NotebookReport(path=path, cells=cells, message=why, is_unusable=True)
