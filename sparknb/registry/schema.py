"""Bringing a database to the schema of this version, or refusing it."""

import uuid
from typing import Any

from sqlalchemy import Connection, insert, inspect, select

from sparknb.core.errors import RegistryNewerError, RegistryUnavailableError
from sparknb.core.records import RETENTION_DAYS
from sparknb.registry.migrations import MIGRATIONS, Migrations
from sparknb.registry.stores import Store
from sparknb.registry.tables import METADATA, REGISTRY, STAMP

__all__ = ["prepare"]


def prepare(store: Store, migrations: Migrations = MIGRATIONS) -> None:
    """Create or migrate the schema where needed.

    Raises:
        RegistryNewerError: A later sparknb made it. Nothing was touched.
        RegistryUnavailableError: It is no registry, or cannot be read or written.
    """
    with store.reading() as connection:
        revision = _revision(connection, migrations)
    store.settle()
    if revision == migrations.head:
        return
    with store.migrating() as connection:
        # somebody else may have been quicker
        revision = _revision(connection, migrations)
        if revision is None:
            _create(connection, migrations)
        elif revision != migrations.head:
            store.back_up(revision)
            _upgrade(connection, migrations)


def _revision(connection: Connection, migrations: Migrations) -> str | None:
    """Give the revision of the schema, None for an empty database."""
    names = inspect(connection).get_table_names()
    if STAMP.name not in names:
        if not names:
            return None
        raise RegistryUnavailableError(
            "The database belongs to another program: it holds tables of its own.",
            hint="Choose another file or database for the registry.",
        )
    revision = connection.execute(select(STAMP.c.version_num)).scalar()
    if revision is None:
        raise RegistryUnavailableError(
            "The registry does not say which version of sparknb made it.",
            hint="Put a backup of it in its place.",
        )
    if revision not in migrations.revisions:
        raise RegistryNewerError(
            f"The registry has schema {revision}, this sparknb knows schemas up to "
            f"{migrations.head}.",
            hint="Upgrade sparknb: pip install --upgrade sparknb",
        )
    return str(revision)


def _create(connection: Connection, migrations: Migrations) -> None:
    # Not step by step through the history: Alembic takes longer to import than this.
    if migrations.head == MIGRATIONS.head:
        METADATA.create_all(connection)
        STAMP.create(connection)
        connection.execute(insert(STAMP).values(version_num=migrations.head))
    else:
        _upgrade(connection, migrations)
    connection.execute(
        insert(REGISTRY).values(
            id=uuid.uuid4().hex,
            changes=0,
            clock=0,
            retention_days=RETENTION_DAYS[1],
            pruned_at=0,
        )
    )


def _upgrade(connection: Connection, migrations: Migrations) -> None:
    from alembic import command
    from alembic.config import Config

    attributes: dict[str, Any] = {"connection": connection}
    config = Config(attributes=attributes)
    folder = str(migrations.folder).replace("%", "%%")  # `%` is special in settings
    config.set_main_option("script_location", folder)
    config.set_main_option("path_separator", "os")
    command.upgrade(config, migrations.head)
