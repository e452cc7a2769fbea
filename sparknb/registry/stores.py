"""What a database has to offer so that the rest needs no word about which it is."""

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection

__all__ = ["Store"]


class Store(Protocol):
    """One database. All methods raise `RegistryUnavailableError` when it fails."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Give a connection on which each statement sees the newest state."""
        ...

    def writing(self, *, durable: bool = True) -> AbstractContextManager[Connection]:
        """Give a connection inside a transaction: committed at the end, else undone.

        Nobody else writes during the block (PostgreSQL: once the registry's row is
        locked). Without `durable` a power cut may lose the transaction.
        """
        ...

    def migrating(self) -> AbstractContextManager[Connection]:
        """Give a transaction that excludes everybody else who would change the schema.

        Foreign keys are checked at its end instead of at each statement.
        """
        ...

    def settle(self) -> None:
        """Set what outlasts a connection; called once the database is known as ours."""
        ...

    def back_up(self, revision: str) -> None:
        """Copy the database as it is now, inside `migrating`, where that is a file."""
        ...

    def changes(self) -> int:
        """Give the counter of lifecycle writes; called before each tool call."""
        ...

    def close(self) -> None:
        """Give back all connections."""
        ...
