"""Foreign database errors, turned into ours in one place."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from sparknb.core.errors import RegistryUnavailableError

__all__ = ["translated", "unavailable"]

_HINTS = (
    (
        "locked",
        "Another program holds the registry; end it or try again in a moment.",
    ),
    (
        "not a database",
        "The file is no registry. Move it away, or put a backup of it in its place.",
    ),
    (
        "malformed",
        "The file is damaged. Move it away, or put a backup of it in its place.",
    ),
    ("readonly", "Give yourself the right to write the file and its folder."),
    ("unable to open", "Check that the folder exists and that you may write there."),
    ("disk is full", "Make room on the disk."),
    ("no such table", "The file is no registry made by sparknb: choose another."),
)
_OTHERWISE = "Run `sparknb doctor` to see which registry is used."


def unavailable(error: BaseException) -> RegistryUnavailableError:
    """Give our error for a failed database step.

    Only the driver's own sentence is taken over: SQLAlchemy's repeats the statement.
    """
    cause = error.orig if isinstance(error, DBAPIError) else error
    reason = str(cause).strip().partition("\n")[0] or type(cause).__name__
    hint = next((text for word, text in _HINTS if word in reason), _OTHERWISE)
    return RegistryUnavailableError(
        f"The registry cannot be used: {reason}.".replace("..", "."), hint=hint
    )


@contextmanager
def translated() -> Iterator[None]:
    """Turn database errors inside the block into `RegistryUnavailableError`."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise unavailable(error) from error
