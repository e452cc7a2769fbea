"""A JupyterLab server of its own, with private folders, that surely ends."""

import contextlib
import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.browser.limits import LONGEST, LONGEST_START

__all__ = ["DEBUG_KERNEL", "LabServer"]

DEBUG_KERNEL = "debug"  # logs every message, as `--debug` does; see `LabServer.logs`

# The server ends itself when the pipe of its standard input closes: also when the
# process of the tests was killed.
_PROGRAM = """
import os, signal, threading
def end():
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=end, daemon=True).start()
from jupyterlab.labapp import main
main()
"""

_SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    # what is scrolled out of sight stays in the page, so that it can be looked at
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    # nothing is saved behind the test's back
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "VIRTUAL_ENV")


class LabServer:
    """A running JupyterLab on loopback, and the folders that it writes to.

    Attributes:
        folder: All of its private folders are below.
        notebooks: Where its notebooks are.
        sparknb: The home of sparknb for all of its kernels.
        url: Its address, without a slash at the end.
        token: What a browser needs to come in.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notebooks = folder / "notebooks"
        self.sparknb = folder / "sparknb"
        self.home = folder / "home"
        self.logs = folder / "logs"
        self.token = secrets.token_hex(16)
        self._environment = self._make_folders()
        self._log = (self.logs / "server.log").open("wb")
        self._process = self._start()
        try:
            self.url = self._wait_for_url()
        except BaseException:
            self.close()
            raise

    def log_text(self) -> str:
        """Give all that the server and its kernels wrote."""
        files = sorted(self.logs.iterdir())
        return "\n".join(f.read_text("utf-8", "replace") for f in files)

    def end_kernels(self) -> None:
        """End all kernels, whatever they do."""
        for kernel in json.loads(self._ask("GET", "/api/kernels")):
            self._ask("DELETE", f"/api/kernels/{kernel['id']}")

    def close(self) -> None:
        """End the server and its kernels: with a request, then by force."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._log.close()

    def _ask(self, method: str, path: str) -> bytes:
        address = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(address.netloc, timeout=LONGEST)
        headers = {"Authorization": f"token {self.token}"}
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
        # a kernel that is gone already is as good
        assert answer.status in (200, 204, 404), f"{method} {path}: {answer.status}"
        return body

    def _make_folders(self) -> dict[str, str]:
        jupyter = self.folder / "jupyter"
        self.notebooks.mkdir(parents=True)
        self.home.mkdir()
        self.logs.mkdir()
        config = jupyter / "config" / "labconfig"
        config.mkdir(parents=True)
        _write(config / "default_setting_overrides.json", _SETTINGS)
        kernel = jupyter / "data" / "kernels" / DEBUG_KERNEL
        kernel.mkdir(parents=True)
        _write(kernel / "kernel.json", self._debug_kernel())
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return kept | {
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "JUPYTER_CONFIG_DIR": str(jupyter / "config"),
            "JUPYTER_DATA_DIR": str(jupyter / "data"),
            "JUPYTER_RUNTIME_DIR": str(jupyter / "runtime"),
            "JUPYTER_NO_CONFIG": "",
            "JUPYTER_PLATFORM_DIRS": "1",
            "IPYTHONDIR": str(self.folder / "ipython"),
            "SPARKNB_HOME": str(self.sparknb),
            "SPARKNB_KEYCHAIN": "memory",
            "SPARKNB_EXAMPLES_PORT": str(_free_port() - 1),  # lesson 1 adds 1
            "PYTHONUNBUFFERED": "1",
        }

    def _debug_kernel(self) -> Mapping[str, Any]:
        log = self.logs / "kernel.log"
        command = 'exec "$0" -m ipykernel_launcher "$@" 2>>"$SPARK_TEST_LOG"'
        words = ["/bin/sh", "-c", command, sys.executable, "--debug"]
        return {
            "argv": [*words, "-f", "{connection_file}"],
            "display_name": "Python with a log of all messages",
            "language": "python",
            "env": {"SPARK_TEST_LOG": str(log)},
        }

    def _start(self) -> subprocess.Popen[bytes]:
        options = [
            "--no-browser",
            "--allow-root",
            "--debug",
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.port=0",
            f"--ServerApp.root_dir={self.notebooks}",
            "--ServerApp.terminals_enabled=False",
            "--LanguageServerManager.autodetect=False",
            f"--IdentityProvider.token={self.token}",
            "--LabApp.expose_app_in_browser=True",
        ]
        return subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *options],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            cwd=self.notebooks,
            env=self._environment,
            start_new_session=True,
        )

    def _wait_for_url(self) -> str:
        """Give the address that the server wrote down when it listened."""
        place = Path(self._environment["JUPYTER_RUNTIME_DIR"])
        name = f"jpserver-{self._process.pid}.json"
        end = time.monotonic() + LONGEST_START
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            try:
                found = json.loads((place / name).read_text(encoding="utf-8"))
            except (OSError, ValueError):  # not there, or not wholly written
                time.sleep(0.05)
                continue
            return str(found["url"]).rstrip("/")
        raise RuntimeError(f"JupyterLab does not start:\n{self.log_text()[-4000:]}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
