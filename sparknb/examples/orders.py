"""The order book of an invented map shop, in SQLite."""

import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sparknb.examples.shapes import described

__all__ = ["PRICES", "Item", "NewOrder", "Order", "OrderBook", "OrderChange", "Status"]

Item = Literal["atlas", "compass", "globe", "map"]
Status = Literal["new", "paid", "sent", "cancelled"]

# In euro cents.
PRICES: dict[Item, int] = {"atlas": 4500, "compass": 1950, "globe": 7900, "map": 690}

_COLUMNS = "id, city, item, quantity, total_cents, status, note"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    city TEXT NOT NULL,
    item TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    total_cents INTEGER NOT NULL,
    status TEXT NOT NULL,
    note TEXT,
    idempotency_key TEXT UNIQUE
)
"""

# A new book starts with these, so that lists are worth looking at.
_FIRST: tuple[tuple[str, Item, int, Status], ...] = (
    ("Oslo", "map", 2, "sent"),
    ("Lima", "globe", 1, "sent"),
    ("Nairobi", "compass", 3, "paid"),
    ("Kyoto", "atlas", 1, "cancelled"),
    ("Montreal", "map", 10, "paid"),
    ("Zürich", "globe", 1, "new"),
    ("Wellington", "compass", 1, "new"),
    ("Reykjavík", "map", 4, "new"),
)


@dataclass(frozen=True, slots=True)
class Order:
    """One order."""

    id: int = described("Number of the order.")
    city: str = described("Where it goes.")
    item: Item = described("What is ordered.")
    quantity: int = described("How many.")
    total_cents: int = described("Price of all pieces in euro cents.")
    status: Status = described("How far it is.")
    note: str | None = described("What the customer wrote.", default=None)


@dataclass(frozen=True, slots=True)
class NewOrder:
    """What a customer sends to order something."""

    city: str = described("Where it goes: a city that GET /cities knows.")
    item: Item = described("What is ordered.")
    quantity: int = described("How many.", default=1, minimum=1, maximum=100)
    note: str | None = described("A word to us.", default=None, max_length=500)


@dataclass(frozen=True, slots=True)
class OrderChange:
    """What may be changed in an order; what is left out stays."""

    status: Status | None = described("How far it is.", default=None)
    quantity: int | None = described("How many.", default=None, minimum=1, maximum=100)
    note: str | None = described("A word to us.", default=None, max_length=500)


class OrderBook:
    """All orders of one service, in a file or in memory."""

    def __init__(self, database: Path | None) -> None:
        """Open the book; a new one gets its first orders.

        Args:
            database: A file, or an existing folder for a file `orders.db`; None
                keeps the orders in memory.
        """
        if database is not None and database.is_dir():
            database = database / "orders.db"
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            ":memory:" if database is None else database,
            check_same_thread=False,  # made here, used by the server's thread
            isolation_level=None,
        )
        try:
            self._connection.execute(_SCHEMA)
            if not self._connection.execute(
                "SELECT 1 FROM sqlite_sequence WHERE name = 'orders'"
            ).fetchone():  # never had an order, not even one removed by now
                for city, item, quantity, status in _FIRST:
                    self._insert(NewOrder(city, item, quantity), status, None)
        except BaseException:
            self._connection.close()
            raise

    def list(
        self, *, after: int = 0, limit: int, status: Status | None = None
    ) -> Sequence[Order]:
        """Give the orders with a number above `after`, in order of number."""
        return self._rows(
            "WHERE id > ?1 AND (?2 IS NULL OR status = ?2) ORDER BY id LIMIT ?3",
            (after, status, limit),
        )

    def get(self, number: int) -> Order | None:
        """Give one order."""
        return next(iter(self._rows("WHERE id = ?1", (number,))), None)

    def add(self, order: NewOrder, key: str | None = None) -> tuple[Order, bool]:
        """Store an order; a key that was used before gives its order and False."""
        with self._lock:
            known = None
            if key is not None:
                known = self._connection.execute(
                    "SELECT id FROM orders WHERE idempotency_key = ?", (key,)
                ).fetchone()
            number = known[0] if known else self._insert(order, "new", key)
        return self._known(number), known is None

    def change(self, number: int, change: OrderChange) -> Order | None:
        """Change an order; None when there is none."""
        before = self.get(number)
        if before is None:
            return None
        quantity = change.quantity or before.quantity
        with self._lock:
            self._connection.execute(
                "UPDATE orders SET status = ?, quantity = ?, total_cents = ?, note = ? "
                "WHERE id = ?",
                (
                    change.status or before.status,
                    quantity,
                    PRICES[before.item] * quantity,
                    before.note if change.note is None else change.note,
                    number,
                ),
            )
        return self.get(number)

    def remove(self, number: int) -> bool:
        """Remove an order; False when there is none."""
        with self._lock:
            done = self._connection.execute(
                "DELETE FROM orders WHERE id = ?", (number,)
            )
            return done.rowcount == 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _insert(self, order: NewOrder, status: Status, key: str | None) -> int:
        total = PRICES[order.item] * order.quantity
        done = self._connection.execute(
            "INSERT INTO orders (city, item, quantity, total_cents, status, note, "
            "idempotency_key) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (order.city, order.item, order.quantity, total, status, order.note, key),
        )
        number = done.lastrowid
        assert number is not None  # noqa: S101 - an INSERT always has one
        return number

    def _known(self, number: int) -> Order:
        found = self.get(number)
        assert found is not None  # noqa: S101 - stored a moment ago by this thread
        return found

    def _rows(self, rest: str, values: tuple[object, ...]) -> Sequence[Order]:
        with self._lock:
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM orders {rest}",  # noqa: S608 - both constant
                values,
            ).fetchall()
        return [Order(*row) for row in rows]
