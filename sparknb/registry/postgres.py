"""The registry in a PostgreSQL database, for a team."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, create_engine, select, text
from sqlalchemy.exc import NoSuchModuleError

from sparknb.core.errors import RegistryUnavailableError
from sparknb.registry.failures import translated
from sparknb.registry.tables import REGISTRY

__all__ = ["PostgresStore"]

_MIGRATION_LOCK = 7_270_617  # any number that only we use
_CHANGES = select(REGISTRY.c.changes)


class PostgresStore:
    """A `Store` over PostgreSQL, through psycopg 3."""

    def __init__(self, url: URL) -> None:
        try:
            self._engine = create_engine(url, hide_parameters=True)
        except (ModuleNotFoundError, NoSuchModuleError) as error:
            raise RegistryUnavailableError(
                "The PostgreSQL driver is not installed.",
                hint='Install it: pip install "sparknb[postgres]"',
            ) from error
        self._single = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """See `Store`."""
        with translated(), self._single.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """See `Store`."""
        with translated(), self._engine.begin() as connection:
            if not durable:
                connection.execute(text("SET LOCAL synchronous_commit TO OFF"))
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """See `Store`."""
        with translated(), self._engine.begin() as connection:
            lock = text("SELECT pg_advisory_xact_lock(:key)")
            connection.execute(lock, {"key": _MIGRATION_LOCK})
            yield connection

    def settle(self) -> None:
        """See `Store`: nothing lasts beyond a connection here."""

    def back_up(self, revision: str) -> None:
        """See `Store`: a server is backed up by its own tools."""

    def changes(self) -> int:
        """See `Store`."""
        with translated(), self._single.connect() as connection:
            return int(connection.execute(_CHANGES).scalar_one())

    def close(self) -> None:
        """See `Store`."""
        self._engine.dispose()
