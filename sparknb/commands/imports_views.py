"""How an import of an API description looks: what became of each operation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sparknb.commands.offers import Choice, Choices
from sparknb.commands.outcomes import problems_view
from sparknb.commands.table import Outcome
from sparknb.commands.views import Cell, Column, Line, Span, Stack, Table, View
from sparknb.commands.words import change_steps, count, next_steps, risk_span
from sparknb.core.problems import Problem

if TYPE_CHECKING:
    from sparknb.host.imports import Accepted
    from sparknb.importers.openapi import Draft, Imported, Listed
    from sparknb.importers.openapi.model import Description, Operation

__all__ = ["Found", "choices", "listing_outcome", "preview_outcome", "saved_outcome"]

_MOST_NOTICES = 20
_MOST_SECRETS = 5
_LONGEST = 160  # of a text to pick by
_OPERATIONS = Column("OPERATION")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found in a description, and what was made of it."""

    title: str
    operations: "Sequence[Operation]"
    imported: "Imported"
    wire: dict[str, Any]  # made once: it counts the tokens of every tool

    @property
    def sizes(self) -> Mapping[str, int]:
        """The tokens of each tool, by its operation."""
        drafts = zip(self.imported.drafts, self.wire["drafts"], strict=True)
        return {draft.operation: wire["tokens"] for draft, wire in drafts}


def preview_outcome(found: Found, keep: Sequence[tuple[str, str]]) -> Outcome:
    """Give what would become of each operation; `keep` are the ways to keep them."""
    imported = found.imported
    said = f"{_counted(found)}; nothing was saved"
    parts: list[View] = [Line(said, "done"), *_tables(found)]
    if imported.drafts:
        parts.append(next_steps(keep))
    return Outcome(found.wire, Stack(parts))


def saved_outcome(found: Found, accepted: "Accepted") -> Outcome:
    """Give what became of each operation; an id that was taken meanwhile is a skip."""
    saved = accepted.to_wire()["saved"]
    late = {skip.id: skip for skip in accepted.skipped}  # taken by somebody meanwhile
    kept = [d for d in found.imported.drafts if d.definition["id"] not in late]
    document = found.wire | {"saved": saved}
    document["drafts"] = [
        wire for wire in document["drafts"] if wire["definition"]["id"] not in late
    ]
    document["skipped"] += [
        {
            "operation": draft.operation,
            "reason": late[draft.definition["id"]].reason,
            "message": late[draft.definition["id"]].message,
        }
        for draft in found.imported.drafts
        if draft.definition["id"] in late
    ]
    said = f"{_counted(found)}; {count(len(saved), 'draft')} saved"
    parts: list[View] = [Line(said, "done"), *_tables(found)]
    if kept:
        parts.append(next_steps(_steps(kept)))
    return Outcome(document, Stack(parts))


def _steps(drafts: Sequence[Any]) -> list[tuple[str, str]]:
    wanted = [
        (draft.definition["id"], name, what)
        for draft in drafts
        for name, what in draft.secrets.items()
    ]
    steps = [
        (f"sparknb secret set {tool_id} {name}", what)
        for tool_id, name, what in wanted[:_MOST_SECRETS]
    ]
    if len(wanted) > _MOST_SECRETS:
        left = count(len(wanted) - _MOST_SECRETS, "more secret")
        steps.append(("sparknb secret status ID", f"{left} to set"))
    first = drafts[0].definition["id"]
    return [*steps, (f"sparknb test {first}", "try one"), *change_steps(first)]


def _counted(found: Found) -> str:
    imported = found.imported
    total = len(imported.drafts) + len(imported.skipped)
    said = f"{count(total, 'operation')}: {count(len(imported.drafts), 'tool')}"
    return f"{said}, {len(imported.skipped):,} skipped" if imported.skipped else said


def _tables(found: Found) -> list[View]:
    imported, sizes = found.imported, found.sizes
    parts: list[View] = []
    if imported.drafts:
        parts.append(_tools(imported.drafts, sizes))
        total = sum(sizes.values())
        said = f"An agent that gets all of them reads {count(total, 'token')}."
        parts.append(Line((Span(said, "quiet"),)))
    if imported.skipped:
        rows_of_skips = [(s.operation, s.reason, s.message) for s in imported.skipped]
        parts.append(
            Table(
                title="Skipped operations",
                columns=(_OPERATIONS, Column("REASON"), Column("WHY", wraps=True)),
                rows=rows_of_skips,
            )
        )
    told = [*imported.notices]
    for draft in imported.drafts:
        told += [
            replace(notice, message=f"{draft.operation}: {notice.message}")
            for notice in draft.notices
        ]
    return [*parts, *_notices(told)]


def _tools(drafts: "Sequence[Draft]", sizes: Mapping[str, int]) -> Table:
    """Give what becomes a tool; notes are counted where there are any."""
    columns = [_OPERATIONS, Column("ID"), Column("RISK"), Column("TOKENS", "right")]
    rows: list[tuple[Cell, ...]] = [
        (
            draft.operation,
            draft.definition["id"],
            risk_span(draft.definition["risk"]),
            f"{sizes[draft.operation]:,}",
        )
        for draft in drafts
    ]
    if any(draft.notices for draft in drafts):
        columns.append(Column("NOTES", "right"))
        notes = [str(len(draft.notices) or "-") for draft in drafts]
        rows = [(*row, note) for row, note in zip(rows, notes, strict=True)]
    return Table(title="Tools", columns=columns, rows=rows)


def _notices(notices: Sequence[Problem]) -> list[View]:
    if not notices:
        return []
    shown = [replace(notice, path="") for notice in notices[:_MOST_NOTICES]]
    parts: list[View] = [problems_view(None, shown)]
    left = len(notices) - _MOST_NOTICES
    if left > 0:
        said = f"{count(left, 'more note')}: --json lists all of them"
        parts.append(Line((Span(said, "quiet"),)))
    return parts


def choices(found: Found) -> Choices:
    """Give what a person can pick from, in the order of the document."""
    from sparknb.importers.openapi.texts import clean

    drafts = {draft.operation: draft for draft in found.imported.drafts}
    against = {skip.operation: skip for skip in found.imported.skipped}
    sizes = found.sizes
    items = []
    for operation in found.operations:
        draft, skip = drafts.get(operation.name), against.get(operation.name)
        tags, summary = operation.node.get("tags"), operation.node.get("summary")
        items.append(
            Choice(
                operation=operation.name,
                definition=None if draft is None else draft.definition,
                summary=clean(summary, _LONGEST),
                tags=[clean(tag, _LONGEST) for tag in tags if isinstance(tag, str)]
                if isinstance(tags, list)
                else (),
                is_deprecated=operation.node.get("deprecated") is True,
                tokens=sizes.get(operation.name, 0),
                against="" if skip is None else skip.message,
                notices=() if draft is None else [n.message for n in draft.notices],
                secrets=() if draft is None else tuple(draft.secrets),
            )
        )
    return Choices(title=found.title, items=items)


def listing_outcome(description: "Description", listed: "Sequence[Listed]") -> Outcome:
    """Give the list of operations, none of them imported."""
    document = {
        "title": description.title,
        "operations": [each.to_wire() for each in listed],
        "notices": [notice.to_wire() for notice in description.notices],
    }
    rows = [
        (
            each.operation,
            each.operation_id or "",
            ", ".join(each.tags),
            Span(each.skip, "quiet") if each.skip else f"{each.tokens:,}",
            f"Deprecated. {each.summary}" if each.deprecated else each.summary,
        )
        for each in listed
    ]
    table = Table(
        title="Operations",
        columns=(
            _OPERATIONS,
            Column("OPERATION ID", yields=True),
            Column("TAGS", yields=True),
            Column("TOKENS", "right"),
            Column("SUMMARY", wraps=True, yields=True),
        ),
        rows=rows,
        empty="There are no operations.",
    )
    parts: list[View] = [table, *_notices(description.notices)]
    return Outcome(document, Stack(parts))
