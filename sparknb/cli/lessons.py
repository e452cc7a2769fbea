"""lab and notebooks check: the programs around notebooks."""

import os
import subprocess
import sys
from pathlib import Path

from rich.text import Text

from sparknb.cli.output import Output
from sparknb.cli.terminal import is_terminal, notify
from sparknb.commands.table import Outcome, Values
from sparknb.core.errors import InvalidInputError, NotFoundError

__all__ = ["check", "lab"]


def check(values: Values, output: Output) -> int:
    """Run notebooks, compare, report; 1 when any failed."""
    from sparknb.testing import CheckOptions, check_notebooks, find_notebooks
    from sparknb.testing.checking import DEFAULT_SECONDS, has_workers
    from sparknb.testing.telling import check_view

    notebooks = find_notebooks(values["paths"])
    junit: str | None = values["junit"]
    if junit is not None:
        _write(junit, b"")  # before minutes of work, not after them
    workers: int = values["n"] or 1
    if workers > 1 and not has_workers():
        said = "pytest-xdist is not installed: one notebook runs after the other."
        output.errors.print(Text(said, style="dim"))
    if is_terminal(sys.stderr):
        some = f"{len(notebooks)} notebooks" if len(notebooks) > 1 else notebooks[0]
        output.errors.print(Text(f"Running {some} ...", style="dim"))
    options = CheckOptions(
        workers=workers, seconds=values["timeout"] or DEFAULT_SECONDS
    )
    report = check_notebooks(notebooks, options)
    if junit is not None:
        from sparknb.testing import to_junit

        _write(junit, to_junit(report))
    code = 0 if report.is_good else 1
    return output.show(Outcome(report.to_wire(), check_view(report), exit_code=code))


def _write(name: str, data: bytes) -> None:
    try:
        Path(name).write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no path"
        raise InvalidInputError(
            f"cannot write {name}: {reason}", path="--junit"
        ) from None


def lab(values: Values, output: Output) -> int:
    """Bring the person's copy up to date, then become JupyterLab."""
    from importlib.util import find_spec

    from sparknb.settings import load_settings
    from sparknb.tutorials import copy_tutorials

    if find_spec("jupyterlab") is None:
        raise NotFoundError(
            "JupyterLab is not installed", hint="python -m pip install jupyterlab"
        )
    settings = load_settings()
    copied = copy_tutorials(settings.home)
    notify(output.errors, [*settings.notices, *copied.notices])
    if output.as_json:
        output.document({"folder": str(copied.folder)})
    output.flush()
    command = [sys.executable, "-m", "jupyterlab", str(copied.folder)]
    if values["no_browser"]:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in containers there is nobody else
    return _become(command, os.environ | {"SPARKNB_HOME": str(settings.home)})


def _become(command: list[str], variables: dict[str, str]) -> int:
    """Let another program take this process over, with its signals and exit code."""
    if sys.platform == "win32":  # pragma: no cover  # exec there returns at once
        return subprocess.call(command, env=variables)  # noqa: S603  # our own interpreter
    return os.execve(command[0], command, variables)  # noqa: S606  # the same
