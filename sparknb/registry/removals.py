"""Secrets whose values are to be removed from the keychain after a step."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from sparknb.registry.steps import Step
from sparknb.registry.tables import REMOVALS

__all__ = ["confirm", "keep_secrets", "note_removals", "noted"]

_NOTED = select(REMOVALS.c.reference).order_by(REMOVALS.c.reference)
_FORGET = delete(REMOVALS).where(REMOVALS.c.reference == bindparam("forgotten"))


def note_removals(step: Step, references: Sequence[str]) -> None:
    """Note references `custom-tool:<id>:<name>`, each once."""
    if not references:
        return
    known = set(noted(step.connection))
    rows = [
        {"reference": reference, "tool_id": reference.split(":")[1]}
        for reference in dict.fromkeys(references)
        if reference not in known
    ]
    if rows:
        step.connection.execute(insert(REMOVALS), rows)


def keep_secrets(step: Step, wire: Mapping[str, Any]) -> None:
    """Forget noted removals of secrets that this version declares (again)."""
    confirm(step.connection, list(wire.get("secretRefs", {}).values()))


def noted(connection: Connection) -> list[str]:
    """Give all noted references, sorted."""
    return list(connection.execute(_NOTED).scalars())


def confirm(connection: Connection, references: Sequence[str]) -> None:
    """Forget these references."""
    rows = [{"forgotten": reference} for reference in references]
    if rows:
        connection.execute(_FORGET, rows)
