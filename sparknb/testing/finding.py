"""Which notebooks are meant, and whether they can be read."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sparknb.core.errors import InvalidInputError, NotFoundError

__all__ = ["find_notebooks", "why_unusable"]

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


def why_unusable(path: Path) -> str | None:
    """Give what keeps a notebook from being run at all, None if nothing does."""
    try:
        if path.stat().st_size > _LARGEST:
            return f"it has more than {_LARGEST // 1024**2} MiB: clear its outputs"
        document = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        return "it is no notebook: it is no text in UTF-8"
    except (ValueError, RecursionError):
        return "it is no notebook: it is no JSON"
    return _why_no_notebook(document)


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
    return is_text and (not is_code or isinstance(cell.get("outputs"), list))
