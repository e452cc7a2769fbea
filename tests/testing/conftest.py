"""Notebooks written as they are needed, and the real checker run on them."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.conftest import environment, sparknb

__all__ = ["sparknb"]  # a fixture, for this folder too

PROGRAM = Path(sys.executable).with_name("sparknb")


def code(
    source: str,
    *outputs: Mapping[str, Any],
    tags: Sequence[str] = (),
    count: int | None = 1,
) -> dict[str, Any]:
    """Give a code cell that was run and had these outputs."""
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": {"tags": list(tags)} if tags else {},
        "outputs": list(outputs),
        "source": source,
    }


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def error(kind: str, text: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": kind, "evalue": text, "traceback": []}


def notebook(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """Give a notebook whose cells are named cell-1, cell-2 and so on."""
    named = [{"id": f"cell-{n}"} | cell for n, cell in enumerate(cells, 1)]
    kernel = {"kernelspec": {"display_name": "Python 3", "name": "python3"}}
    return {
        "cells": named,
        "metadata": kernel | metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Checked:
    """One finished check."""

    exit: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    def notebook(self, name: str) -> Any:
        """Give the part of the document about a notebook."""
        (found,) = [
            each
            for each in self.document["notebooks"]
            if Path(each["path"]).name == f"{name}.ipynb"
        ]
        return found

    def cell(self, name: str, notebook: str = "cells") -> Any:
        (found,) = [c for c in self.notebook(notebook)["cells"] if c["id"] == name]
        return found

    def message(self, name: str, notebook: str = "cells") -> str:
        """Give why a cell failed."""
        found = self.cell(name, notebook)
        assert found["outcome"] == "failed"
        text: str = found["message"]
        return text


def check(folder: Path, *words: str, **variables: str) -> Checked:
    """Run `sparknb notebooks check` in a folder."""
    done = subprocess.run(
        [str(PROGRAM), "notebooks", "check", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(**variables),
        timeout=240,
        check=False,
    )
    assert "Traceback (most recent call last)" not in done.stdout + done.stderr
    return Checked(done.returncode, done.stdout, done.stderr)
