import gc
from collections.abc import Iterator

import pytest

from tests.keyring_session import KeyringSession, keyring_session


@pytest.fixture(scope="session")
def shared_session() -> Iterator[KeyringSession]:
    with keyring_session() as session:
        yield session


@pytest.fixture
def session_bus(
    shared_session: KeyringSession, monkeypatch: pytest.MonkeyPatch
) -> KeyringSession:
    """The environment leads to a real, unlocked keyring."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", shared_session.address)
    return shared_session


@pytest.fixture
def own_session(monkeypatch: pytest.MonkeyPatch) -> Iterator[KeyringSession]:
    """As `session_bus`, for a test that locks the keyring or lets it hang.

    keyring leaves its connection to a locked keyring to the garbage collector, which
    is asked here, where the test that caused it can say so.
    """
    with keyring_session() as session:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", session.address)
        yield session
        gc.collect()
