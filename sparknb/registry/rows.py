"""Database rows and the records they stand for, both ways."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement

from sparknb.core.definitions import ToolDefinition, ToolType
from sparknb.core.errors import RegistryUnavailableError
from sparknb.core.records import ToolLinks, ToolRecord, TraceRecord, VersionRecord
from sparknb.registry.tables import TOOLS, TRACES, VERSIONS

__all__ = [
    "TOOL_COLUMNS",
    "TRACE_COLUMNS",
    "VERSION_COLUMNS",
    "StoredObject",
    "SurfaceRow",
    "from_json",
    "from_microseconds",
    "is_storable",
    "json_text",
    "microseconds",
    "shown",
    "tool_links",
    "tool_record",
    "trace_record",
    "trace_values",
    "version_record",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LONGEST_NAME = 200  # of ids in traces: those of refused calls are not checked

# In the order in which the functions below take the row apart.
TOOL_COLUMNS: tuple[ColumnElement[Any], ...] = (
    TOOLS.c.id,
    TOOLS.c.type,
    TOOLS.c.title,
    TOOLS.c.description,
    TOOLS.c.risk,
    TOOLS.c.effect,
    TOOLS.c.idempotency,
    TOOLS.c.enabled,
    TOOLS.c.published_version,
    TOOLS.c.draft_version,
    TOOLS.c.draft_revision,
    TOOLS.c.origin,
    TOOLS.c.last_test_at,
    TOOLS.c.created_at,
    TOOLS.c.updated_at,
)
VERSION_COLUMNS: tuple[ColumnElement[Any], ...] = (
    VERSIONS.c.tool_id,
    VERSIONS.c.version,
    VERSIONS.c.status,
    VERSIONS.c.source_version,
    VERSIONS.c.definition,
    VERSIONS.c.digest,
    VERSIONS.c.cases,
    VERSIONS.c.case_run,
    VERSIONS.c.created_at,
    VERSIONS.c.published_at,
)
TRACE_COLUMNS: tuple[ColumnElement[Any], ...] = (
    TRACES.c.id,
    TRACES.c.tool_id,
    TRACES.c.tool_version,
    TRACES.c.session_id,
    TRACES.c.turn_id,
    TRACES.c.input_sha256,
    TRACES.c.source,
    TRACES.c.status,
    TRACES.c.duration_ms,
    TRACES.c.error_code,
    TRACES.c.output_bytes,
    TRACES.c.approval,
    TRACES.c.created_at,
)


def microseconds(moment: datetime) -> int:
    """Give whole microseconds since 1970; a time without a zone is taken as UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """Give the moment in UTC."""
    return _EPOCH + timedelta(0, 0, count)


def json_text(value: Any) -> str:
    """Give compact JSON with its keys in their own order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)


def from_json(text: str) -> Any:
    """Read what `json_text` wrote.

    Raises:
        RegistryUnavailableError: It is something else: the registry is damaged.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RegistryUnavailableError(
            "The registry is damaged: a stored text is no JSON.",
            hint="Put a backup of the registry in its place.",
        ) from error


def is_storable(text: str) -> bool:
    """Whether both databases can hold the text; nothing they hold equals any other."""
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def shown(definition: ToolDefinition | Mapping[str, Any]) -> dict[str, Any]:
    """Give the columns of a tool that lists show, from the version they come from."""
    wire = definition if isinstance(definition, Mapping) else definition.wire
    title, description = wire["title"], wire["description"]
    return {
        "title": title,
        "description": description,
        "folded_title": title.casefold(),
        "folded_description": description.casefold(),
        "risk": wire["risk"],
        "effect": wire["effect"],
        "idempotency": wire["idempotency"],
    }


class StoredObject(Mapping[str, Any]):
    """A JSON object that is read at its first use: a surface has thousands of them."""

    __slots__ = ("_text", "_value")

    def __init__(self, text: str) -> None:
        self._text = text
        self._value: dict[str, Any] | None = None

    def _read(self) -> dict[str, Any]:
        if self._value is None:
            self._value = cast("dict[str, Any]", from_json(self._text))
        return self._value

    def __getitem__(self, key: str) -> Any:
        return self._read()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


def tool_record(row: Sequence[Any]) -> ToolRecord:
    """Read a row of `TOOL_COLUMNS`."""
    tested = row[12]
    return ToolRecord(
        id=row[0],
        type=row[1],
        title=row[2],
        description=row[3],
        risk=row[4],
        effect=row[5],
        idempotency=row[6],
        enabled=row[7] != 0,
        published_version=row[8],
        draft_version=row[9],
        draft_revision=row[10],
        origin=row[11],
        last_test_at=None if tested is None else from_microseconds(tested),
        created_at=from_microseconds(row[13]),
        updated_at=from_microseconds(row[14]),
    )


def version_record(row: Sequence[Any], *, lazy: bool = False) -> VersionRecord:
    """Read a row of `VERSION_COLUMNS`; `lazy` reads the definition at its first use."""
    text, cases, case_run, published = row[4], row[6], row[7], row[9]
    return VersionRecord(
        tool_id=row[0],
        version=row[1],
        status=row[2],
        source_version=row[3],
        definition=StoredObject(text) if lazy else from_json(text),
        digest=row[5],
        cases=() if cases == "[]" else tuple(from_json(cases)),
        case_run=None if case_run is None else from_json(case_run),
        created_at=from_microseconds(row[8]),
        published_at=None if published is None else from_microseconds(published),
    )


def tool_links(row: Sequence[Any]) -> ToolLinks | None:
    """Read a row of id, version, published version and definition of a code tool.

    None when the definition is damaged: the others still name what they name.
    """
    try:
        tool_ids = tuple(map(str, from_json(row[3])["spec"]["permissions"]["toolIds"]))
    except (KeyError, TypeError, RegistryUnavailableError):
        return None
    published = row[1] == row[2]
    return ToolLinks(
        tool_id=row[0], version=row[1], is_published=published, tool_ids=tool_ids
    )


class SurfaceRow:
    """One row of `TOOL_COLUMNS` and `VERSION_COLUMNS`; see `core.protocols`."""

    __slots__ = ("_row",)

    def __init__(self, row: Sequence[Any]) -> None:
        self._row = row

    @property
    def id(self) -> str:
        """The tool's id."""
        return cast("str", self._row[0])

    @property
    def type(self) -> ToolType:
        """What carries the tool out."""
        return cast("ToolType", self._row[1])

    @property
    def number(self) -> int:
        """The published version."""
        return cast("int", self._row[8])

    def tool(self) -> ToolRecord:
        """Give the state of the tool."""
        try:
            return tool_record(self._row)
        except (OverflowError, TypeError) as error:
            raise _damaged(self.id) from error

    def version(self) -> VersionRecord:
        """Give the published version."""
        try:
            return version_record(self._row[len(TOOL_COLUMNS) :], lazy=True)
        except (OverflowError, TypeError) as error:
            raise _damaged(self.id) from error


def _damaged(tool_id: str) -> RegistryUnavailableError:
    return RegistryUnavailableError(
        f"The registry is damaged: {tool_id} is kept with values of the wrong kind.",
        hint="Put a backup of the registry in its place.",
    )


def trace_record(row: Sequence[Any]) -> TraceRecord:
    """Read a row of `TRACE_COLUMNS`."""
    return TraceRecord(
        id=row[0],
        tool_id=row[1],
        tool_version=row[2],
        session_id=row[3],
        turn_id=row[4],
        input_sha256=row[5],
        source=row[6],
        status=row[7],
        duration_ms=row[8],
        error_code=row[9],
        output_bytes=row[10],
        approval=row[11],
        created_at=from_microseconds(row[12]),
    )


def _named(text: str | None) -> str | None:
    """Give a text that a row can hold: a refused call may carry any name at all."""
    if text is None:
        return None
    clipped = text[:_LONGEST_NAME]
    if is_storable(clipped):
        return clipped
    return clipped.replace("\0", "?").encode("utf-8", "replace").decode("utf-8")


def trace_values(trace: TraceRecord) -> dict[str, Any]:
    """Give the row of a trace, by column name."""
    return {
        "id": trace.id,
        "tool_id": _named(trace.tool_id),
        "tool_version": trace.tool_version,
        "session_id": _named(trace.session_id),
        "turn_id": _named(trace.turn_id),
        "input_sha256": trace.input_sha256,
        "source": trace.source,
        "status": trace.status,
        "duration_ms": trace.duration_ms,
        "error_code": trace.error_code,
        "output_bytes": trace.output_bytes,
        "approval": trace.approval,
        "created_at": microseconds(trace.created_at),
    }
