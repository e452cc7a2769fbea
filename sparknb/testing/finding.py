"""Which notebooks are meant, and whether they can be read."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparknb.core.errors import InvalidInputError, NotFoundError

__all__ = ["Found", "find_notebooks", "look_at"]

_SUFFIX = ".ipynb"
_FORMAT = 4
_LARGEST = 256 * 1024 * 1024


def find_notebooks(paths: Sequence[str]) -> list[Path]:
    """Give the notebooks that are named, and those in the folders that are.

    Each is given once, as it was named; a folder's in the order of their names,
    without hidden folders and Jupyter's checkpoints.

    Raises:
        NotFoundError: There is no such path, or no notebook in a folder.
        InvalidInputError: A file is no notebook by its name.
    """
    found: dict[Path, Path] = {}
    for name in paths:
        for path in _named(name):
            if "::" in str(path.resolve()):
                raise InvalidInputError(
                    f"{path} cannot be checked: pytest reads :: in a path as a part"
                    " of a file",
                    path="PATH",
                    hint="rename the file or folder",
                )
            found.setdefault(path.resolve(), path)
    return list(found.values())


def _named(name: str) -> list[Path]:
    path = Path(name)
    try:
        if path.is_dir():
            inside = sorted(_inside(path))
            if not inside:
                raise NotFoundError(f"no notebook is in {name}", path="PATH")
            return inside
        is_there = path.exists()
    except (OSError, ValueError):  # too long, or with NUL
        is_there = False
    if not is_there:
        raise NotFoundError(f"there is no file or folder {name}", path="PATH")
    if path.suffix != _SUFFIX:
        raise InvalidInputError(
            f"{name} is no notebook: its name does not end in {_SUFFIX}", path="PATH"
        )
    return [path]


def _inside(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for file in files:
            if file.endswith(_SUFFIX) and not file.startswith("."):
                yield Path(place, file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A notebook as it was found.

    Attributes:
        why_unusable: What keeps it from being run at all, None if nothing does.
        code_cells: How many cells there are to run.
    """

    path: Path
    why_unusable: str | None = None
    code_cells: int = 0


def look_at(path: Path) -> Found:
    """Read a notebook, as far as that tells whether it can be run."""
    try:
        if path.stat().st_size > _LARGEST:
            why = f"it has more than {_LARGEST // 1024**2} MiB: clear its outputs"
            return Found(path=path, why_unusable=why)
        document = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        return Found(path=path, why_unusable=f"it cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        why = "it is no notebook: it is no text in UTF-8"
        return Found(path=path, why_unusable=why)
    except (ValueError, RecursionError):
        return Found(path=path, why_unusable="it is no notebook: it is no JSON")
    problem = _why_no_notebook(document)
    if problem is not None:
        return Found(path=path, why_unusable=problem)
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    return Found(path=path, code_cells=len(code))


def _why_no_notebook(document: object) -> str | None:
    if not isinstance(document, dict) or not isinstance(document.get("nbformat"), int):
        return "it is no notebook: it names no nbformat"
    if document["nbformat"] != _FORMAT:
        return (
            f"it is in notebook format {document['nbformat']}: open and save it in"
            " JupyterLab, which writes format 4"
        )
    cells = document.get("cells")
    if not isinstance(cells, list) or not all(map(_is_cell, cells)):
        return "it is no notebook: its cells are not as they should be"
    return None


def _is_cell(cell: object) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata"), dict):
        return False
    is_text = isinstance(cell.get("source"), str | list)
    is_code = cell.get("cell_type") == "code"
    is_known = is_code or cell.get("cell_type") in ("markdown", "raw")
    return (
        is_text and is_known and (not is_code or isinstance(cell.get("outputs"), list))
    )
