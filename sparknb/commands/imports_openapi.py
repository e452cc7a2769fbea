"""import openapi: what each operation of an API description becomes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sparknb.commands.context import Context
from sparknb.commands.imports_curl import taken
from sparknb.commands.inputs import variables
from sparknb.commands.offers import Choice, Choices
from sparknb.commands.outcomes import problems_view
from sparknb.commands.sources import Read, read_source
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import Column, Line, Span, Stack, Table, View
from sparknb.commands.words import count, next_steps, risk_span
from sparknb.core.errors import UsageError
from sparknb.core.problems import Problem

if TYPE_CHECKING:
    from sparknb.host.imports import Accepted
    from sparknb.importers.openapi import Imported
    from sparknb.importers.openapi.model import Description, Operation

__all__ = ["OPENAPI"]

_MOST_NOTICES = 20
_MOST_SECRETS = 5
_OPERATIONS = Column("OPERATION")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What was found in a description, and what was made of it."""

    title: str
    operations: "Sequence[Operation]"
    imported: "Imported"


async def _import_openapi(context: Context, values: Values) -> Outcome:
    if values["list"] and values["save"]:
        raise UsageError("--list saves nothing: leave out --save, or --list")
    passed = variables(context, values)
    source = _filled(values["source"], passed)
    base_url = _filled(values["base_url"], passed)
    read = await read_source(context, source)
    operations, tags = values["operation"] or [], values["tag"] or []
    if values["list"]:
        return await asyncio.to_thread(_listing, read, operations, tags, base_url)
    is_taken = await taken(context, saves=values["save"])
    found = await asyncio.to_thread(
        _imported, read, operations, tags, base_url, is_taken
    )
    if not values["save"]:
        offer = None if operations or tags else _choices(found)
        return replace(_preview(context, found), offer=offer)
    host = await context.host()
    drafts = found.imported.drafts
    accepted = await host.imports.accept(
        [draft.definition for draft in drafts], origin="local"
    )
    return _saved(context, found, accepted)


def _filled(text: str | None, passed: Mapping[str, str]) -> Any:
    from sparknb.importers.cell.variables import fill

    return None if text is None else fill(text, passed)


# ---------------------------------------------------------------------- reading
def _described(read: Read) -> "Description":
    from sparknb.importers.openapi.document import read_description

    return read_description(read.data, name=read.name, url=read.url, load=read.load)


def _selected(
    description: "Description", operations: Sequence[str], tags: Sequence[str]
) -> "Sequence[Operation] | None":
    from sparknb.importers.openapi import select

    if not operations and not tags:
        return None
    return select(description, operations=operations, tags=tags)


def _imported(
    read: Read,
    operations: Sequence[str],
    tags: Sequence[str],
    base_url: str | None,
    is_taken: Callable[[str], bool],
) -> _Found:
    from sparknb.importers.openapi import import_operations

    description = _described(read)
    chosen = _selected(description, operations, tags)
    imported = import_operations(
        description, selected=chosen, base_url=base_url, is_taken=is_taken
    )
    return _Found(
        title=description.title,
        operations=description.operations(),
        imported=imported,
    )


def _listing(
    read: Read, operations: Sequence[str], tags: Sequence[str], base_url: str | None
) -> Outcome:
    from sparknb.importers.openapi import listing

    description = _described(read)
    listed = listing(description, base_url=base_url)
    chosen = _selected(description, operations, tags)
    if chosen is not None:
        names = {operation.name for operation in chosen}
        listed = [each for each in listed if each.operation in names]
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
            Column("OPERATION ID"),
            Column("TAGS"),
            Column("TOKENS", "right"),
            Column("SUMMARY", wraps=True),
        ),
        rows=rows,
        empty="There are no operations.",
    )
    parts: list[View] = [table, *_notices(description.notices)]
    return Outcome(document, Stack(parts))


# ---------------------------------------------------------------------- showing
def _preview(context: Context, found: _Found) -> Outcome:
    imported = found.imported
    document = imported.to_wire()
    said = f"{_counted(found)}; nothing was saved"
    parts: list[View] = [Line(said, "done"), *_tables(context, found)]
    if imported.drafts:
        first = imported.drafts[0].operation
        steps = [
            (f"sparknb import openapi SOURCE --operation '{first}' --save", "keep one"),
            ("sparknb import openapi SOURCE --save", "keep all as drafts"),
        ]
        parts.append(next_steps(steps))
    return Outcome(document, Stack(parts))


def _saved(context: Context, found: _Found, accepted: "Accepted") -> Outcome:
    saved = accepted.to_wire()["saved"]
    outcome = _preview(context, found)
    document = outcome.document | {"saved": saved}
    late = {skip.id: skip for skip in accepted.skipped}  # taken by somebody meanwhile
    kept = [d for d in found.imported.drafts if d.definition["id"] not in late]
    document["drafts"] = [draft.to_wire() for draft in kept]
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
    parts: list[View] = [Line(said, "done"), *_tables(context, found)]
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
    return [*steps, (f"sparknb test {first}", "try one")]


def _counted(found: _Found) -> str:
    imported = found.imported
    total = len(imported.drafts) + len(imported.skipped)
    said = f"{count(total, 'operation')}: {count(len(imported.drafts), 'tool')}"
    return f"{said}, {len(imported.skipped):,} skipped" if imported.skipped else said


def _tables(context: Context, found: _Found) -> list[View]:
    del context
    imported = found.imported
    parts: list[View] = []
    if imported.drafts:
        rows = [
            (
                draft.operation,
                draft.definition["id"],
                risk_span(draft.definition["risk"]),
                f"{draft.tokens:,}",
                f"{len(draft.notices)}" if draft.notices else "",
            )
            for draft in imported.drafts
        ]
        parts.append(
            Table(
                title="Tools",
                columns=(
                    _OPERATIONS,
                    Column("ID"),
                    Column("RISK"),
                    Column("TOKENS", "right"),
                    Column("NOTES", "right"),
                ),
                rows=rows,
            )
        )
        total = sum(draft.tokens for draft in imported.drafts)
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


def _choices(found: _Found) -> Choices:
    """Give what a person can pick from, in the order of the document."""
    drafts = {draft.operation: draft for draft in found.imported.drafts}
    against = {skip.operation: skip for skip in found.imported.skipped}
    items = []
    for operation in found.operations:
        draft, skip = drafts.get(operation.name), against.get(operation.name)
        tags, summary = operation.node.get("tags"), operation.node.get("summary")
        items.append(
            Choice(
                operation=operation.name,
                definition=None if draft is None else draft.definition,
                summary=summary if isinstance(summary, str) else "",
                tags=[t for t in tags if isinstance(t, str)]
                if isinstance(tags, list)
                else (),
                is_deprecated=operation.node.get("deprecated") is True,
                tokens=0 if draft is None else draft.tokens,
                against="" if skip is None else skip.message,
                notices=() if draft is None else [n.message for n in draft.notices],
                secrets=() if draft is None else tuple(draft.secrets),
            )
        )
    return Choices(title=found.title, items=items)


OPENAPI = Command(
    path=("import", "openapi"),
    summary="Make tools of an OpenAPI description.",
    details=(
        "Reads OpenAPI 3.0, 3.1 and Swagger 2.0, as JSON or YAML. Every operation"
        " becomes a tool or is skipped with its reason. Without --save nothing is kept."
    ),
    group="Import",
    arguments=(
        Argument(
            name="source",
            shown="SOURCE",
            kind="path",
            help="A file, an http(s) address, or - for standard input.",
        ),
    ),
    options=(
        Option(name="--list", kind="flag", help="Only list the operations."),
        Option(
            name="--operation",
            metavar="OP",
            repeats=True,
            help="Only this one: an operationId, or 'METHOD /path'.",
        ),
        Option(
            name="--tag",
            metavar="T",
            repeats=True,
            help="Only the operations with this tag.",
        ),
        Option(
            name="--base-url",
            metavar="URL",
            help="Call the API there, whatever the document says.",
        ),
        Option(name="--save", kind="flag", help="Keep them as drafts."),
        Option(
            name="--var",
            metavar="NAME",
            repeats=True,
            help="Notebooks: let ${NAME} in SOURCE and URL stand for this variable.",
        ),
    ),
    examples=(
        "sparknb import openapi petstore.yaml --list",
        "sparknb import openapi petstore.yaml --tag pets --save",
    ),
    run=_import_openapi,
)
