"""Each contract test runs against every kind of registry."""

import os
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sparknb.core.protocols import Registry
from sparknb.registry import open_registry

# Read before the tests hide the settings of the machine.
POSTGRES_URL = os.environ.get("SPARKNB_TEST_POSTGRES_URL")


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def advance(self, **parts: float) -> None:
        self.time += timedelta(**parts)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/home/registry.db"


def _postgres_schema(schema: str, action: str) -> None:
    from sqlalchemy import create_engine, text

    assert POSTGRES_URL is not None
    engine = create_engine(POSTGRES_URL)
    with engine.begin() as connection:
        connection.execute(text(f"{action} SCHEMA {schema}"))
    engine.dispose()


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """Give the URL of an empty schema of its own."""
    if POSTGRES_URL is None:
        pytest.skip("SPARKNB_TEST_POSTGRES_URL is not set")
    schema = f"t{uuid.uuid4().hex}"
    _postgres_schema(schema, "CREATE")
    yield f"{POSTGRES_URL}?options=-csearch_path%3D{schema}"
    _postgres_schema(f"{schema} CASCADE", "DROP")


def _url_of(kind: str, request: pytest.FixtureRequest) -> str:
    if kind == "memory":
        return "sqlite://"
    name = "sqlite_url" if kind == "file" else "postgres_url"
    return str(request.getfixturevalue(name))


@pytest.fixture(params=["file", "postgres"])
def shared_url(request: pytest.FixtureRequest) -> str:
    """Give the URL of a new database that several processes can open."""
    return _url_of(request.param, request)


@pytest.fixture(params=["file", "memory", "postgres"])
def registry(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Registry]:
    """Give a new registry of each kind, with a clock that stands."""
    opened = open_registry(_url_of(request.param, request), now=clock)
    yield opened
    opened.close()


@pytest.fixture
def opened(sqlite_url: str) -> Iterator[Callable[[], Registry]]:
    """Give a function that opens the same file again and again."""
    registries: list[Registry] = []

    def open_again() -> Registry:
        registries.append(open_registry(sqlite_url))
        return registries[-1]

    yield open_again
    for registry in registries:
        registry.close()
