"""Where the lessons lie that came with this sparknb."""

from pathlib import Path

from sparknb.core.errors import NotFoundError

__all__ = ["shipped_folder"]

_HERE = Path(__file__).parent


def shipped_folder() -> Path:
    """Give the folder of the lessons: a wheel's own, else that of the checkout.

    Raises:
        NotFoundError: They are in neither place.
    """
    for folder in (_HERE / "notebooks", _HERE.parents[1] / "notebooks"):
        if (folder / "sanitize.cfg").is_file():
            return folder
    raise NotFoundError(
        "the lessons did not come with this installation of sparknb",
        hint="install sparknb anew, or get the notebooks/ folder of its sources",
    )
