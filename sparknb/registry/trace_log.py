"""Statements over the traces: append, list, clear, prune."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from sparknb.core.records import TraceRecord
from sparknb.core.results import CallStatus
from sparknb.registry.rows import TRACE_COLUMNS, is_storable, trace_record, trace_values
from sparknb.registry.stores import Store
from sparknb.registry.tables import REGISTRY, TOOLS, TRACES

__all__ = ["append", "clear", "cut", "newest", "prune", "prune_when_due"]

_DAY = timedelta(days=1) // timedelta(microseconds=1)
_BETWEEN_PRUNES = timedelta(hours=6) // timedelta(microseconds=1)
_PIECE = 50_000  # rows removed at a time: others get their turn in between

# `trace_values` gives the columns in this order.
_APPEND = insert(TRACES).values({c.name: bindparam(c.name) for c in TRACE_COLUMNS})
_STATE = select(REGISTRY.c.retention_days, REGISTRY.c.pruned_at)
_STAMP = update(REGISTRY).values(pruned_at=bindparam("moment"))
_OLDEST = select(TRACES.c.created_at).order_by(TRACES.c.created_at).limit(1)
_PRUNE = delete(TRACES).where(
    TRACES.c.seq.in_(
        select(TRACES.c.seq)
        .where(TRACES.c.created_at < bindparam("cut"))
        .order_by(TRACES.c.created_at)
        .limit(bindparam("piece"))
    )
)


def append(connection: Connection, traces: Sequence[TraceRecord]) -> None:
    """Add rows; but none for a version of a tool that was deleted meanwhile.

    A call may go on while its tool is deleted, and a deleted tool leaves nothing.
    """
    compiled = _APPEND.compile(dialect=connection.dialect)
    named = {trace.tool_id for trace in traces if trace.tool_version is not None}
    there = _there(connection, named)
    rows = [
        trace_values(trace)
        for trace in traces
        if trace.tool_version is None or trace.tool_id in there
    ]
    if not rows:
        return
    # Past SQLAlchemy's own treatment of parameters, which takes longer than SQLite.
    if compiled.positional:
        connection.exec_driver_sql(str(compiled), [tuple(row.values()) for row in rows])
    else:
        connection.exec_driver_sql(str(compiled), rows)


def _there(connection: Connection, tool_ids: Collection[str]) -> set[str]:
    wanted = [tool_id for tool_id in tool_ids if is_storable(tool_id)]
    found = connection.execute(select(TOOLS.c.id).where(TOOLS.c.id.in_(wanted)))
    return set(found.scalars())


def cut(connection: Connection, moment: int) -> int:
    """Give the time before which traces are no longer kept."""
    days: int = connection.execute(_STATE).one().retention_days
    return moment - days * _DAY


def prune_when_due(store: Store, moment: int) -> int:
    """Prune if that was 6 hours ago or longer; give when it is due again."""
    with store.reading() as connection:
        pruned_at: int = connection.execute(_STATE).one().pruned_at
    if pruned_at <= moment < pruned_at + _BETWEEN_PRUNES:
        return pruned_at + _BETWEEN_PRUNES
    prune(store, moment)
    with store.writing(durable=False) as connection:
        connection.execute(_STAMP, {"moment": moment})
    return moment + _BETWEEN_PRUNES


def prune(store: Store, moment: int) -> None:
    """Remove what is older than the retention."""
    with store.reading() as connection:
        limit = cut(connection, moment)
        oldest = connection.execute(_OLDEST).scalar()
    if oldest is None or oldest >= limit:
        return  # the usual case, without a lock
    removed = _PIECE
    while removed == _PIECE:
        with store.writing(durable=False) as connection:
            removed = connection.execute(
                _PRUNE, {"cut": limit, "piece": _PIECE}
            ).rowcount


def newest(
    connection: Connection,
    *,
    tool_id: str | None,
    status: CallStatus | None,
    since: int,
    limit: int,
) -> list[TraceRecord]:
    """Give the newest matching rows that are not before `since`."""
    if tool_id is not None and not is_storable(tool_id):
        return []
    query = select(*TRACE_COLUMNS).where(TRACES.c.created_at >= since)
    if tool_id is not None:
        query = query.where(TRACES.c.tool_id == tool_id)
    if status is not None:
        query = query.where(TRACES.c.status == status)
    query = query.order_by(TRACES.c.created_at.desc(), TRACES.c.seq.desc())
    return [trace_record(row) for row in connection.execute(query.limit(limit))]


def clear(connection: Connection, tool_id: str | None) -> int:
    """Remove rows; give their count."""
    if tool_id is None:
        return connection.execute(delete(TRACES)).rowcount
    if not is_storable(tool_id):
        return 0
    statement = delete(TRACES).where(TRACES.c.tool_id == tool_id)
    return connection.execute(statement).rowcount
