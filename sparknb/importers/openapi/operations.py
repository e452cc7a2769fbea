"""Makes tools: one draft or one skip for each operation (ST-100)."""

from collections.abc import Callable, Sequence

from sparknb.core.validation import validate
from sparknb.importers.openapi.collecting import no_collections
from sparknb.importers.openapi.ids import Ids
from sparknb.importers.openapi.model import Description, Operation
from sparknb.importers.openapi.outcomes import Draft, Imported, Skip, SkipError
from sparknb.importers.openapi.servers import checked_base_url
from sparknb.importers.openapi.sketches import Sketcher

__all__ = ["import_operations"]


def import_operations(
    description: Description,
    *,
    selected: Sequence[Operation] | None = None,
    base_url: str | None = None,
    is_taken: Callable[[str], bool] = lambda _: False,
) -> Imported:
    """Make a draft of each operation, or say why there is none.

    Nothing is stored, read or sent. Every draft has passed the validator.

    Args:
        description: As `read_description` gives it.
        selected: Operations of the description; None for all.
        base_url: In place of the servers of the document.
        is_taken: Tells which ids other tools have.

    Raises:
        InvalidInputError: The base URL cannot be called.
    """
    base = None if base_url is None else checked_base_url(base_url)
    sketcher = Sketcher(description, base)
    ids = Ids(is_taken)
    drafts: list[Draft] = []
    skipped: list[Skip] = []
    with no_collections():
        for operation in description.operations() if selected is None else selected:
            try:
                drafts.append(_draft(operation, sketcher, ids))
            except SkipError as error:
                skip = Skip(
                    operation=operation.name,
                    reason=error.reason,
                    message=error.message,
                    issues=error.issues,
                )
                skipped.append(skip)
    return Imported(drafts=drafts, skipped=skipped, notices=description.notices)


def _draft(operation: Operation, sketcher: Sketcher, ids: Ids) -> Draft:
    sketch = sketcher.sketch(operation)
    tool_id = ids.propose(operation)
    report = validate(sketch.with_id(tool_id))
    if report.normalized is None:
        first = report.errors[0]
        message = f"the tool made of it breaks a rule: {first.message}"
        raise SkipError("INVALID_DEFINITION", message, report.errors)
    ids.take(tool_id)
    return Draft(
        operation=operation.name,
        definition=dict(report.normalized),
        notices=(*sketch.notices, *report.warnings),
        secrets={c.secret: c.value for c in sketch.credentials},
    )
