"""Opening a registry by its URL. SQLAlchemy is imported at the first call."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sparknb.core.errors import RegistryUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL

    from sparknb.core.protocols import Registry
    from sparknb.registry.stores import Store

__all__ = ["open_memory_registry", "open_registry"]

_FORMS = (
    "Use sqlite:////absolute/path/registry.db or "
    "postgresql+psycopg://user:password@host/database"
)


def utc_now() -> datetime:
    """Give the time of day in UTC."""
    return datetime.now(UTC)


def open_registry(
    url: str, *, home: Path | None = None, now: Callable[[], datetime] = utc_now
) -> Registry:
    """Open the registry at `url`; create or migrate it where needed.

    Args:
        url: `sqlite:////abs/path/registry.db`, `sqlite://` (in memory) or
            `postgresql+psycopg://...`.
        home: Made for the owner only when it does not exist, like the file's folder.
        now: The clock, for tests.

    Raises:
        RegistryNewerError: A later sparknb made it. Nothing was touched.
        RegistryUnavailableError: It cannot be opened; the hint says what to do.
    """
    from sparknb.registry.schema import prepare
    from sparknb.registry.sql_registry import SqlRegistry

    if home is not None:
        _make_folder(home)
    store = _open_store(url)
    try:
        prepare(store)
        return SqlRegistry(store, now=now)
    except BaseException:
        store.close()
        raise


def open_memory_registry(*, now: Callable[[], datetime] = utc_now) -> Registry:
    """Open an empty registry that lives and ends with this object."""
    return open_registry("sqlite://", now=now)


def _open_store(url: str) -> Store:
    parsed = _parse(url)
    if parsed.drivername == "sqlite":
        from sparknb.registry.sqlite import SqliteStore

        if parsed.database in (None, "", ":memory:"):
            return SqliteStore(None)
        path = Path(str(parsed.database)).absolute()
        _make_folder(path.parent)
        _make_file(path)
        return SqliteStore(path)
    from sparknb.registry.postgres import PostgresStore

    return PostgresStore(parsed)


def _parse(url: str) -> URL:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # from None, and without the text: it may hold a password
        raise RegistryUnavailableError(
            "The database URL cannot be read.", hint=_FORMS
        ) from None
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername == "sqlite" and (parsed.host or parsed.username):
        # It would be dropped, and the registry made somewhere else.
        raise RegistryUnavailableError(
            "The database URL names a host, which SQLite does not have.", hint=_FORMS
        )
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise RegistryUnavailableError(
            f"There is no registry for {parsed.drivername} databases.", hint=_FORMS
        )
    return parsed


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RegistryUnavailableError(
            f"The folder {folder} cannot be made: {error.strerror}.",
            hint="Choose another home with SPARKNB_HOME.",
        ) from error


def _make_file(path: Path) -> None:
    """Make an empty file for the owner only; SQLite gives its side files that mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return  # not even its times are touched before it is known to be ours
    except OSError as error:
        raise RegistryUnavailableError(
            f"The registry {path} cannot be written: {error.strerror}.",
            hint="Give yourself the right to write there, or choose another home "
            "with SPARKNB_HOME.",
        ) from error
