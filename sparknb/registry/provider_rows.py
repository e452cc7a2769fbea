"""The rows of provider profiles."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from sparknb.core.errors import AlreadyExistsError
from sparknb.core.providers import ProviderProfile
from sparknb.registry.rows import is_storable
from sparknb.registry.steps import Step
from sparknb.registry.tables import PROVIDERS

__all__ = ["add", "listed", "looked_up", "remove"]

_ALL = select(
    PROVIDERS.c.id,
    PROVIDERS.c.name,
    PROVIDERS.c.base_url,
    PROVIDERS.c.model,
    PROVIDERS.c.needs_key,
)
_ONE = _ALL.where(PROVIDERS.c.id == bindparam("profile_id"))
_REMOVE = delete(PROVIDERS).where(PROVIDERS.c.id == bindparam("gone"))


def listed(connection: Connection) -> Sequence[ProviderProfile]:
    """Give all profiles, sorted by id."""
    # Sorted here: databases compare letters by rules of their own.
    return sorted(map(_profile, connection.execute(_ALL)), key=attrgetter("id"))


def looked_up(connection: Connection, profile_id: str) -> ProviderProfile | None:
    """Give one profile, or None."""
    if not is_storable(profile_id):
        return None
    row = connection.execute(_ONE, {"profile_id": profile_id}).first()
    return None if row is None else _profile(row)


def add(step: Step, profile: ProviderProfile) -> None:
    """Store a new profile; see `Registry`."""
    if looked_up(step.connection, profile.id) is not None:
        raise AlreadyExistsError(
            f"there is a provider with the id {profile.id} already",
            path="id",
            hint="remove it first, or choose another id",
        )
    row = {
        "id": profile.id,
        "name": profile.name,
        "base_url": profile.base_url,
        "model": profile.model,
        "needs_key": int(profile.needs_key),
        "created_at": step.moment,
    }
    step.connection.execute(insert(PROVIDERS), row)


def remove(step: Step, profile_id: str) -> bool:
    """Remove a profile; see `Registry`."""
    if not is_storable(profile_id):
        return False
    return step.connection.execute(_REMOVE, {"gone": profile_id}).rowcount > 0


def _profile(row: Sequence[Any]) -> ProviderProfile:
    profile_id, name, base_url, model, needs_key = row
    return ProviderProfile(
        id=profile_id,
        name=name,
        base_url=base_url,
        model=model,
        needs_key=bool(needs_key),
    )
