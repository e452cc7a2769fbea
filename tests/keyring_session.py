"""A private Secret Service for tests: a session bus and a gnome-keyring of our own.

Nothing of the person's own session is touched: the bus starts no services by itself,
and the keyring keeps its file in a folder that goes away.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import secretstorage
from jeepney import (  # type: ignore[import-untyped]  # ships no types
    DBusAddress,
    MatchRule,
    new_method_call,
)
from jeepney.io.blocking import (  # type: ignore[import-untyped]  # ships no types
    DBusConnection,
    open_dbus_connection,
)

__all__ = ["KeyringSession", "keyring_session", "require_keyring"]

_SERVICE = "org.freedesktop.secrets"
_BUS = DBusAddress(
    "/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus"
)
_SECONDS = 20  # for a start that takes a twentieth of one
_PROGRAMS = {"dbus-daemon": "dbus", "gnome-keyring-daemon": "gnome-keyring"}

# Read before tests hide the settings of whoever starts them.
_WITHOUT = os.environ.get("SPARKNB_TEST_WITHOUT_KEYRING") == "1"

_CONFIGURATION = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir={folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def require_keyring() -> None:
    """Fail the test, saying what to install, where no real keyring can be started."""
    packages = [p for name, p in _PROGRAMS.items() if shutil.which(name) is None]
    if not packages:
        return
    needed = f"this test needs a real keyring: apt-get install {' '.join(packages)}"
    if _WITHOUT:
        pytest.skip(f"SPARKNB_TEST_WITHOUT_KEYRING=1: {needed}")
    pytest.fail(f"{needed} (or set SPARKNB_TEST_WITHOUT_KEYRING=1 to go without)")


@dataclass(frozen=True)
class KeyringSession:
    """A running session.

    Attributes:
        address: Of the bus.
        folder: Where bus and keyring keep their files.
        daemon: The keyring's process.
    """

    address: str
    folder: Path
    daemon: "subprocess.Popen[bytes]"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a program to this session and to nothing else."""
        return _environment(self.address, self.folder)

    def lock(self) -> None:
        """Lock the keyring; only a new session unlocks it."""
        with contextlib.closing(open_dbus_connection(self.address)) as connection:
            secretstorage.get_default_collection(connection).lock()

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Let the keyring answer nothing for a while."""
        self.daemon.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.daemon.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def keyring_session() -> Iterator[KeyringSession]:
    """Start a bus and an unlocked, empty keyring on it; end both afterwards."""
    require_keyring()
    # Not pytest's folder: the path of a socket has at most 107 characters.
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kr-")))
        address = _start_bus(folder, stack)
        connection = stack.enter_context(
            contextlib.closing(open_dbus_connection(address))
        )
        yield _start_keyring(address, folder, connection, stack)


def _start_bus(folder: Path, stack: contextlib.ExitStack) -> str:
    configuration = folder / "bus.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder), encoding="utf-8")
    bus = _started(
        [
            "dbus-daemon",
            f"--config-file={configuration}",
            "--nofork",
            "--print-address",
        ],
        {"PATH": os.environ["PATH"]},
        stack,
    )
    assert bus.stdout is not None
    address = bus.stdout.readline().decode().strip()
    assert address, "the bus did not start"
    return address


def _start_keyring(
    address: str, folder: Path, connection: DBusConnection, stack: contextlib.ExitStack
) -> KeyringSession:
    rule = MatchRule(
        type="signal",
        interface="org.freedesktop.DBus",
        member="NameOwnerChanged",
        path="/org/freedesktop/DBus",
    )
    rule.add_arg_condition(0, _SERVICE)
    watch = new_method_call(_BUS, "AddMatch", "s", (rule.serialise(),))
    connection.send_and_get_reply(watch, timeout=_SECONDS)
    with connection.filter(rule) as owners:
        command = ["gnome-keyring-daemon", "--foreground", "--unlock"]
        environment = _environment(address, folder)
        daemon = _started([*command, "--components=secrets"], environment, stack)
        assert daemon.stdin is not None
        daemon.stdin.write(b"password of a test")
        daemon.stdin.close()
        connection.recv_until_filtered(owners, timeout=_SECONDS)
    return KeyringSession(address, folder, daemon)


def _environment(address: str, folder: Path) -> dict[str, str]:
    return {
        "DBUS_SESSION_BUS_ADDRESS": address,
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "XDG_DATA_HOME": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
    }


def _started(
    command: list[str], environment: dict[str, str], stack: contextlib.ExitStack
) -> "subprocess.Popen[bytes]":
    process = stack.enter_context(
        subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    )
    stack.callback(process.kill)
    return process
