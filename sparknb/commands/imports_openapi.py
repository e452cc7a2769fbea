"""import openapi: what each operation of an API description becomes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sparknb.commands.context import Context
from sparknb.commands.imports_views import (
    Found,
    choices,
    listing_outcome,
    preview_outcome,
    saved_outcome,
)
from sparknb.commands.inputs import variables
from sparknb.commands.sources import Read, read_source
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.typed import typed
from sparknb.core.errors import UsageError

if TYPE_CHECKING:
    from sparknb.importers.openapi.model import Description, Operation

__all__ = ["OPENAPI"]


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
    is_taken = await context.taken_ids(saves=values["save"])
    found = await asyncio.to_thread(
        _imported, read, operations, tags, base_url, is_taken
    )
    if not values["save"]:
        offer = None if operations or tags else choices(found)
        return replace(preview_outcome(found, _keep(found, values)), offer=offer)
    return await _saved(context, found)


def _keep(found: Found, values: Values) -> list[tuple[str, str]]:
    """Give the same command again, so that it keeps what it showed."""
    names = [draft.operation for draft in found.imported.drafts]
    every = typed(OPENAPI, values, save=True)
    if len(names) == 1:
        return [(every, "keep it as a draft")]
    one = typed(OPENAPI, values, operation=names[:1], tag=[], save=True)
    return [(one, "keep one"), (every, "keep all as drafts")]


async def _saved(context: Context, found: Found) -> Outcome:
    from sparknb.core.validation import read_definition

    host = await context.host()
    made = [read_definition(draft.definition) for draft in found.imported.drafts]
    return saved_outcome(found, await host.imports.accept(made, origin="local"))


def _filled(text: str | None, passed: Mapping[str, str]) -> Any:
    if text is None or not passed:
        return text
    from sparknb.importers.cell.variables import fill

    return fill(text, passed)


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
) -> Found:
    from sparknb.importers.openapi import import_operations

    description = _described(read)
    chosen = _selected(description, operations, tags)
    imported = import_operations(
        description, selected=chosen, base_url=base_url, is_taken=is_taken
    )
    return Found(
        title=description.title,
        operations=description.operations(),
        imported=imported,
        wire=imported.to_wire(),
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
    return listing_outcome(description, listed)


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
