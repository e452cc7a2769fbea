"""Notebooks as CI runs them: nbclient, nbval, nbval-lax."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

__all__ = ["execute", "nbval", "notebook", "sockets"]


_LONGEST_SOCKET = 90


def sockets(folder: Path) -> Config:
    """Let kernels be spoken to by files in a folder; a chosen port may be taken.

    A path that is too long for a socket leaves it at ports.
    """
    place = str(folder.resolve() / "ipc")
    if len(place) > _LONGEST_SOCKET:
        return Config()
    return Config({"KernelManager": {"transport": "ipc", "ip": place}})


def notebook(*cells: str) -> Any:
    """Give a notebook with these cells, sparknb loaded in the first."""
    made = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]  # theirs
    sources = ["%load_ext sparknb", *cells]
    made.cells = [nbformat.v4.new_code_cell(source) for source in sources]  # type: ignore[no-untyped-call]  # theirs
    return made


def _environment(folder: Path) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    fixed = {"SPARKNB_HOME": str(folder / "home"), "SPARKNB_KEYCHAIN": "memory"}
    return {**os.environ, **fixed, "IPYTHONDIR": str(folder / "ipython")}


def execute(made: Any, folder: Path, **options: Any) -> Any:
    """Run a notebook by nbclient; give it with its outputs."""
    place = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        made, timeout=60, resources=place, config=sockets(folder), **options
    )
    return client.execute(env=_environment(folder))


def nbval(made: Any, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a notebook by nbval, in a pytest of its own."""
    environment = _environment(folder)
    environment.pop("PYTEST_CURRENT_TEST", None)
    environment.pop("PYTEST_ADDOPTS", None)
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # others cost seconds
    file = folder / "lesson.ipynb"
    nbformat.write(made, file)  # type: ignore[no-untyped-call]  # theirs
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    words = ["-q", "-p", "nbval.plugin", "-p", "no:cacheprovider", *options, file.name]
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        if "Kernel died before replying" not in done.stdout:  # its port was taken
            break
    return done
