"""The keychain of the operating system where something is wrong with it."""

import shutil
import subprocess
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import (
    InitError,
    KeyringError,
    KeyringLocked,
    NoKeyringError,
    PasswordDeleteError,
    PasswordSetError,
)

from sparknb.core.errors import KeychainUnavailableError
from sparknb.core.protocols import StoredSecret
from sparknb.keychain import OsKeychain, backends
from tests import canary, keyring_session
from tests.keyring_session import KeyringSession

REFERENCE = "custom-tool:weather:key"
VALUE = "canary_Zr4t_0pWq81"
SECRET = StoredSecret(VALUE, "https://api.test:443")

# keyring leaves its connection to a locked keyring to the garbage collector
leaves_a_socket = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)


class Failing:
    """A backend whose calls fail, or do not come back."""

    def __init__(self, error: BaseException | threading.Event) -> None:
        self.error = error
        self.calls = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.calls += 1
        if isinstance(self.error, threading.Event):
            self.error.wait(timeout=60)
            return None
        raise self.error

    def set_password(self, service: str, username: str, password: str) -> None:
        self.get_password(service, username)

    def delete_password(self, service: str, username: str) -> None:
        self.get_password(service, username)


class Holding:
    """A backend that holds one text, whatever the name."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def get_password(self, service: str, username: str) -> str | None:
        return self.text

    def set_password(self, service: str, username: str, password: str) -> None:
        self.text = password

    def delete_password(self, service: str, username: str) -> None:
        raise PasswordDeleteError("always the same error")


def refused(keychain: OsKeychain, verb: str) -> KeychainUnavailableError:
    """Give the error of a verb, after a look that nothing shows the value."""
    verbs: dict[str, Callable[[], object]] = {
        "read": lambda: keychain.read(REFERENCE),
        "write": lambda: keychain.write(REFERENCE, SECRET),
        "remove": lambda: keychain.remove(REFERENCE),
    }
    with pytest.raises(KeychainUnavailableError) as caught:
        verbs[verb]()
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    walk = traceback.TracebackException.from_exception(error, capture_locals=True)
    shown = "".join(walk.format()) + str(error.to_wire())
    for form in canary.text_forms(VALUE):
        assert form not in shown
    assert error.hint
    return error


# ----------------------------------------------------------------- a real keyring
@leaves_a_socket
@pytest.mark.keyring
@pytest.mark.parametrize("verb", ["read", "write", "remove"])
def test_a_locked_keychain_is_unavailable_not_empty(
    own_session: KeyringSession, verb: str
) -> None:
    keychain = OsKeychain("home")
    keychain.write(REFERENCE, SECRET)
    own_session.lock()
    error = refused(keychain, verb)
    assert error.message == "the keychain is locked"


@leaves_a_socket
@pytest.mark.keyring
def test_a_keychain_that_does_not_answer_is_unavailable_and_recovers(
    own_session: KeyringSession,
) -> None:
    keychain = OsKeychain("home", patience=20)
    keychain.write(REFERENCE, SECRET)
    hasty = OsKeychain("home", patience=0.1)
    with own_session.frozen():
        assert "does not answer" in refused(hasty, "read").message
    assert keychain.read(REFERENCE) == SECRET


@pytest.mark.keyring
def test_an_entry_of_another_program_is_unreadable_and_can_be_replaced(
    session_bus: KeyringSession,
) -> None:
    backends.best_backend().set_password("sparknb:foreign", REFERENCE, VALUE)
    keychain = OsKeychain("foreign")
    error = refused(keychain, "read")
    assert REFERENCE in error.message
    keychain.write(REFERENCE, SECRET)
    assert keychain.read(REFERENCE) == SECRET


@pytest.mark.keyring
def test_the_value_is_in_no_file_of_the_keyring(session_bus: KeyringSession) -> None:
    OsKeychain("on disk").write(REFERENCE, SECRET)
    assert list(session_bus.folder.rglob("*.keyring"))
    assert canary.search_tree(session_bus.folder / "keyrings", VALUE) == []


@pytest.mark.keyring
def test_another_process_finds_what_this_one_stored(
    session_bus: KeyringSession,
) -> None:
    OsKeychain("shared").write(REFERENCE, SECRET)
    program = (
        "from sparknb.keychain import OsKeychain\n"
        f"print(OsKeychain('shared').read({REFERENCE!r}).origin)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=session_bus.environment,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.decode().strip() == SECRET.origin


@pytest.mark.keyring
def test_the_label_names_the_real_keychain_once_it_was_used(
    session_bus: KeyringSession,
) -> None:
    keychain = OsKeychain("home")
    assert keychain.label == "keychain of the operating system"
    keychain.read(REFERENCE)
    assert keychain.label == "Secret Service"


# ------------------------------------------------------------------ no keyring
@pytest.mark.parametrize("verb", ["read", "write", "remove"])
def test_a_machine_without_keychain_is_unavailable(verb: str) -> None:
    error = refused(OsKeychain("home"), verb)
    assert error.message == "no keychain of the operating system answers"
    assert "SPARKNB_KEYCHAIN" in str(error.hint)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("not.a.module.Keyring", "ModuleNotFoundError"),
        ("keyring.backends.Nothing", "AttributeError"),
        ("Keyring", "ValueError"),
        ("", "ValueError"),
        ("os.path.join", "AttributeError"),
        ("keyring.backends.SecretService.Keyring", "RuntimeError"),  # no bus here
    ],
)
def test_a_broken_choice_of_backend_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, named: str, said: str
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", named)
    error = refused(OsKeychain("home"), "write")
    assert "PYTHON_KEYRING_BACKEND" in error.message
    assert said in error.message


@pytest.mark.parametrize(
    "named", ["keyring.backends.null.Keyring", "keyring.backends.fail.Keyring"]
)
def test_a_chosen_backend_that_keeps_nothing_safe_is_refused(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", named)
    error = refused(OsKeychain("home"), "write")
    assert f"PYTHON_KEYRING_BACKEND chooses {named}" in error.message


@pytest.fixture
def plaintext(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A third-party backend that writes plaintext and would win by its priority."""
    written: list[str] = []

    class PlaintextKeyring(KeyringBackend):
        priority = 99

        def get_password(self, service: str, username: str) -> str | None:
            return None

        def set_password(self, service: str, username: str, password: str) -> None:
            written.append(password)

    PlaintextKeyring.__module__ = "keyrings.alt.file"
    for name in ("keyrings", "keyrings.alt", "keyrings.alt.file"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(
        sys.modules["keyrings.alt.file"], "PlaintextKeyring", PlaintextKeyring, False
    )
    yield written
    KeyringBackend._classes.discard(PlaintextKeyring)


def test_a_plaintext_file_is_refused_when_it_is_chosen(
    monkeypatch: pytest.MonkeyPatch, plaintext: list[str]
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyrings.alt.file.PlaintextKeyring")
    error = refused(OsKeychain("home"), "write")
    assert "keyrings.alt.file" in error.message
    assert plaintext == []


def test_a_plaintext_file_is_never_chosen_on_its_own(plaintext: list[str]) -> None:
    refused(OsKeychain("home"), "write")
    assert plaintext == []


@pytest.mark.keyring
def test_a_chain_gives_the_real_keychain_alone(
    monkeypatch: pytest.MonkeyPatch,
    session_bus: KeyringSession,
    plaintext: list[str],
) -> None:
    chain = "keyring.backends.chainer.ChainerBackend"
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", chain)
    keychain = OsKeychain("chain")
    keychain.write(REFERENCE, SECRET)
    assert keychain.label == "Secret Service"
    assert plaintext == []


def test_a_choice_in_the_file_of_keyring_is_judged_too(isolated_home: Path) -> None:
    folder = isolated_home / ".config" / "python_keyring"
    folder.mkdir(parents=True)
    (folder / "keyringrc.cfg").write_text(
        "[backend]\ndefault-keyring = keyring.backends.null.Keyring\n", encoding="utf-8"
    )
    error = refused(OsKeychain("home"), "read")
    assert "keyringrc.cfg" in error.message


@pytest.mark.keyring
def test_an_allowed_choice_is_followed(
    monkeypatch: pytest.MonkeyPatch, session_bus: KeyringSession
) -> None:
    named = "keyring.backends.SecretService.Keyring"
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", named)
    keychain = OsKeychain("chosen")
    keychain.write(REFERENCE, SECRET)
    assert keychain.read(REFERENCE) == SECRET


# --------------------------------------------------------------- failing backends
@pytest.mark.parametrize("verb", ["read", "write", "remove"])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyringLocked(VALUE), "is locked"),
        (InitError(VALUE), "could not be opened"),
        (NoKeyringError(VALUE), "no keychain"),
        (PasswordSetError(VALUE), "refuses (PasswordSetError)"),
        (KeyringError(VALUE), "refuses (KeyringError)"),
        (OSError(5, VALUE), "refuses (OSError)"),
        (TimeoutError(VALUE), "does not answer"),
        (RuntimeError(VALUE), "refuses (RuntimeError)"),
        (SystemExit(VALUE), "refuses (SystemExit)"),
        (UnicodeEncodeError("ascii", VALUE, 0, 1, "x"), "refuses (UnicodeEncodeError)"),
        (OSError(1783, "stub"), "at most 2560 bytes"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_every_failure_of_a_backend_is_one_of_ours_without_its_text(
    error: BaseException, said: str, verb: str
) -> None:
    keychain = OsKeychain("home", backend=Failing(error))
    assert said in refused(keychain, verb).message


def test_a_windows_error_number_is_told_from_its_attribute() -> None:
    class Error(Exception):
        winerror = 1783

    error = refused(OsKeychain("home", backend=Failing(Error())), "write")
    assert "Windows Credential Manager" in error.message


def test_a_value_too_long_for_windows_is_refused_before_the_call() -> None:
    class WinVaultKeyring(Holding):
        pass

    WinVaultKeyring.__module__ = "keyring.backends.Windows"
    backend = WinVaultKeyring(None)
    keychain = OsKeychain("home", backend=backend)
    keychain.write(REFERENCE, StoredSecret("x" * 1_200, "https://api.test:443"))
    assert backend.text is not None
    kept = backend.text
    with pytest.raises(KeychainUnavailableError, match="2560 bytes"):
        keychain.write(REFERENCE, StoredSecret("x" * 1_281))
    assert backend.text == kept
    assert keychain.label == "Windows Credential Manager"


def test_a_delete_error_about_a_value_that_is_there_is_a_refusal() -> None:
    keychain = OsKeychain("home", backend=Holding('{"v":1,"origin":null,"value":"x"}'))
    assert "PasswordDeleteError" in refused(keychain, "remove").message
    assert OsKeychain("home", backend=Holding(None)).remove(REFERENCE) is False


@pytest.mark.parametrize(
    "text",
    [
        VALUE,
        "",
        "[]",
        "null",
        '{"v":2,"origin":null,"value":"' + VALUE + '"}',
        '{"v":1,"value":"' + VALUE + '"}',
        '{"v":1,"origin":1,"value":"' + VALUE + '"}',
        '{"v":1,"origin":null,"value":null}',
        "[" * 100_000,
    ],
)
def test_an_entry_of_another_form_is_unreadable_and_not_shown(text: str) -> None:
    error = refused(OsKeychain("home", backend=Holding(text)), "read")
    assert "cannot be read" in error.message


def test_a_probe_accepts_a_locked_keychain_and_no_broken_one() -> None:
    OsKeychain("home", backend=Holding(None)).probe()
    OsKeychain("home", backend=Failing(KeyringLocked(VALUE))).probe()
    with pytest.raises(KeychainUnavailableError, match="could not be opened"):
        OsKeychain("home", backend=Failing(InitError(VALUE))).probe()


def test_behind_a_call_that_hangs_no_other_is_begun() -> None:
    release = threading.Event()
    backend = Failing(release)
    keychain = OsKeychain("home", backend=backend, patience=0.05)
    try:
        refused(keychain, "write")
        start = time.monotonic()
        for verb in ("read", "write", "remove"):
            assert "does not answer" in refused(keychain, verb).message
        assert backend.calls == 1
        assert time.monotonic() - start < 5
    finally:
        release.set()


# ------------------------------------------------------------- the tests themselves
def test_a_machine_without_a_keyring_fails_these_tests_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(keyring_session, "_WITHOUT", False)
    with pytest.raises(pytest.fail.Exception, match="apt-get install dbus gnome-keyr"):
        keyring_session.require_keyring()
    monkeypatch.setattr(keyring_session, "_WITHOUT", True)
    with pytest.raises(pytest.skip.Exception, match="TEST_WITHOUT_KEYRING=1: this"):
        keyring_session.require_keyring()
