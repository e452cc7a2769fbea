"""One lifecycle step: its transaction, its moment, and what every step looks up."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from sparknb.core.errors import NotFoundError
from sparknb.core.records import ToolRecord
from sparknb.registry.rows import (
    TOOL_COLUMNS,
    is_storable,
    microseconds,
    tool_record,
)
from sparknb.registry.stores import Store
from sparknb.registry.tables import REGISTRY, TOOLS, VERSIONS

__all__ = ["GREATEST_VERSION", "TOOL", "Step", "lifecycle_step"]

GREATEST_VERSION = 2**31 - 1  # what an integer column of PostgreSQL holds

TOOL = select(*TOOL_COLUMNS).where(TOOLS.c.id == bindparam("tool_id"))
_STATE = select(REGISTRY.c.clock).with_for_update()
_TOUCH = update(REGISTRY).values(
    changes=REGISTRY.c.changes + 1, clock=bindparam("moment")
)
_TOOL_UPDATE = update(TOOLS).where(TOOLS.c.id == bindparam("of_tool"))
_VERSION_UPDATE = update(VERSIONS).where(
    VERSIONS.c.tool_id == bindparam("of_tool"),
    VERSIONS.c.version == bindparam("of_version"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """An open transaction that nobody else's lifecycle step overlaps.

    Attributes:
        moment: The step's time in microseconds, later than that of any step before,
            whatever the clock of the machine does.
    """

    connection: Connection
    moment: int

    def tool(self, tool_id: str, seen: ToolRecord | None = None) -> ToolRecord:
        """Give the tool's state.

        Raises:
            NotFoundError: There is no such tool.
            ConflictError: It is not as it was seen.
        """
        found = None
        if is_storable(tool_id):
            found = self.connection.execute(TOOL, {"tool_id": tool_id}).first()
        if found is None:
            raise NotFoundError(
                f"there is no tool with the id {tool_id[:80]!r}",
                path="id",
                hint="list the tools to see their ids",
            )
        tool = tool_record(found)
        tool.require_as(seen)
        return tool

    def change_tool(
        self, tool_id: str, values: Mapping[str, Any], *, is_update: bool = True
    ) -> None:
        """Write columns of the tool; `is_update` makes it the newest in lists."""
        row = {"of_tool": tool_id, **values}
        if is_update:
            row["updated_at"] = self.moment
        self.connection.execute(_TOOL_UPDATE, row)
        self.touch()

    def change_version(
        self, tool_id: str, version: int, values: Mapping[str, Any]
    ) -> None:
        """Write columns of one version."""
        self.connection.execute(
            _VERSION_UPDATE, {"of_tool": tool_id, "of_version": version, **values}
        )

    def touch(self) -> None:
        """Let everybody who watches the registry see that it changed."""
        self.connection.execute(_TOUCH, {"moment": self.moment})


@contextmanager
def lifecycle_step(store: Store, now: Callable[[], datetime]) -> Iterator[Step]:
    """Open a step; it is committed at the end of the block, or undone."""
    with store.writing() as connection:
        # The lock on this row makes PostgreSQL's writers take turns.
        before = connection.execute(_STATE).scalar_one()
        yield Step(connection, max(microseconds(now()), before + 1))
