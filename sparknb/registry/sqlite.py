"""The registry in one SQLite file, or in memory."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from sparknb.core.errors import RegistryUnavailableError
from sparknb.registry.failures import translated

__all__ = ["SqliteStore"]

_BUSY_SECONDS = 5.0
_PRAGMAS = (
    "PRAGMA foreign_keys=ON",
    "PRAGMA synchronous=FULL",
    "PRAGMA secure_delete=ON",  # a deleted definition is not to be found in the file
    "PRAGMA trusted_schema=OFF",  # a schema from elsewhere runs no code of its own
)


class SqliteStore:
    """A `Store` over SQLite; `path` None keeps everything in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        # Waiting here is fair and needs no polling, unlike SQLite's own waiting.
        self._turn = threading.RLock()
        # In memory there is one connection for all threads, so readers wait as well.
        self._reading: AbstractContextManager[Any] = (
            self._turn if path is None else nullcontext()
        )
        self._engine = create_engine(
            "sqlite://",
            creator=self._connect,
            poolclass=StaticPool if path is None else QueuePool,
            hide_parameters=True,  # they are the person's definitions
        )
        self._writer = self._engine.execution_options(writes=True)
        event.listen(self._engine, "begin", _begin)
        self._mark: sqlite3.Connection | None = None
        self._mark_turn = threading.Lock()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            ":memory:" if self._path is None else self._path,
            timeout=_BUSY_SECONDS,
            isolation_level=None,  # transactions begin in `_begin`, as we need them
            check_same_thread=False,
        )
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """See `Store`."""
        with translated(), self._reading, self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """See `Store`."""
        level = "FULL" if durable else "NORMAL"
        with (
            translated(),
            self._turn,
            self._writer.connect() as connection,
            _synchronous(connection, level),
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """See `Store`."""
        with translated(), self._turn, self._writer.connect() as connection:
            driver = _driver(connection)
            driver.execute("PRAGMA foreign_keys=OFF")
            try:
                with connection.begin():
                    yield connection
                    broken = connection.exec_driver_sql("PRAGMA foreign_key_check")
                    if broken.first() is not None:
                        raise RegistryUnavailableError(
                            "The migration would leave rows that point nowhere.",
                            hint="Nothing was changed. Please report this.",
                        )
            finally:
                driver.execute("PRAGMA foreign_keys=ON")

    def settle(self) -> None:
        """See `Store`: switch to the write-ahead log."""
        if self._path is None:
            return
        with translated(), self._engine.connect() as connection:
            driver = _driver(connection)
            # SQLite does not always wait by itself for the lock that this needs.
            give_up = time.monotonic() + 2 * _BUSY_SECONDS
            while True:
                try:
                    driver.execute("PRAGMA journal_mode=WAL").fetchone()
                except sqlite3.OperationalError:
                    if time.monotonic() > give_up:
                        raise
                    time.sleep(0.01)
                else:
                    return

    def back_up(self, revision: str) -> None:
        """See `Store`: write `<file>.backup-<revision>`, readable by the owner only."""
        if self._path is None:
            return
        target = self._path.with_name(f"{self._path.name}.backup-{revision}")
        # A fixed name: what a killed migration left is overwritten by the next.
        unfinished = target.with_name(f"{target.name}.unfinished")
        try:
            os.close(os.open(unfinished, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
            with (
                translated(),
                closing(self._connect()) as source,
                closing(sqlite3.connect(unfinished)) as copy,
            ):
                source.backup(copy)
            unfinished.replace(target)
        except OSError as error:
            raise RegistryUnavailableError(
                f"The registry cannot be backed up to {target}: {error.strerror}.",
                hint="Nothing was migrated. Make room, or give yourself the right to "
                "write there.",
            ) from error

    def changes(self) -> int:
        """See `Store`."""
        with translated():
            if self._path is None:
                with self.reading() as connection:
                    return _read_changes(_driver(connection))
            with self._mark_turn:
                if self._mark is None:
                    self._mark = self._connect()
                return _read_changes(self._mark)

    def close(self) -> None:
        """See `Store`."""
        with self._mark_turn:
            if self._mark is not None:
                self._mark.close()
                self._mark = None
        self._engine.dispose()


def _driver(connection: Connection) -> sqlite3.Connection:
    return cast("sqlite3.Connection", connection.connection.driver_connection)


def _read_changes(connection: sqlite3.Connection) -> int:
    found = connection.execute("SELECT changes FROM registry").fetchone()
    return int(found[0])


def _begin(connection: Connection) -> None:
    # Taking the write lock at once: a lock taken later could fail without waiting.
    # Single reads are their own transactions.
    if connection.get_execution_options().get("writes", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


@contextmanager
def _synchronous(connection: Connection, level: str) -> Iterator[None]:
    """Set when a commit waits for the disk; not possible inside a transaction."""
    if level == "FULL":
        yield
        return
    driver = _driver(connection)
    driver.execute(f"PRAGMA synchronous={level}")
    try:
        yield
    finally:
        driver.execute("PRAGMA synchronous=FULL")
