"""The checks of doctor, each a small function that gives one finding."""

import asyncio
import os
import platform
import re
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sparknb.commands.views import Tone
from sparknb.commands.words import count
from sparknb.core.errors import SparknbError

if TYPE_CHECKING:
    from sparknb.core.protocols import Proof, Registry, Runtime
    from sparknb.settings import Settings

__all__ = ["Check", "State", "installed", "places", "refused", "sandboxes"]

State = Literal["ok", "absent", "warning", "broken"]
_TONES: Mapping[State, Tone] = {
    "ok": "good",
    "absent": "quiet",
    "warning": "warning",
    "broken": "bad",
}

_PACKAGES = {
    "python": ("pydantic-monty", "pydantic-monty-client"),
    "typescript": ("deno",),
}
"""What brings the sandbox of each language."""
_PROOF_SECONDS = 60.0
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding; `hint` says what to do about it, where there is something to do."""

    name: str
    state: State
    detail: str
    hint: str | None = None

    @property
    def tone(self) -> Tone:
        """How much the state matters."""
        return _TONES[self.state]

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{name, state, detail, hint?}`."""
        wire = {"name": self.name, "state": self.state, "detail": self.detail}
        return wire if self.hint is None else wire | {"hint": self.hint}


def installed() -> Sequence[Check]:
    """Check what is installed, and what could be."""
    return [
        _python(),
        _package("sparknb"),
        _package("mcp"),
        _package("jupyterlab"),
        _browser(),
    ]


async def sandboxes() -> Sequence[Check]:
    """Let the sandboxes of code tools attack themselves."""
    from sparknb.bootstrap import sandboxes as make

    found = []
    for language, runtime in make().items():
        try:
            found.append(await _sandbox(language, runtime))
        finally:
            await runtime.close()
    return found


async def places(settings: "Settings") -> Sequence[Check]:
    """Check what the settings point to: home, registry and keychain."""
    registry, checks = await asyncio.to_thread(_registry, settings)
    try:
        checks.append(await asyncio.to_thread(_keychain, settings, registry))
    finally:
        if registry is not None:
            await asyncio.to_thread(registry.close)
    return [_home(settings), *checks]


def refused(name: str, error: SparknbError) -> Check:
    """Give the finding that something every command needs is refused."""
    return Check(name=name, state="broken", detail=error.message, hint=error.hint)


def _python() -> Check:
    detail = f"{platform.python_implementation()} {platform.python_version()}"
    return Check(name="python", state="ok", detail=f"{detail}, {sys.executable}")


def _package(name: str) -> Check:
    found = _version(name)
    if found is not None:
        return Check(name=name, state="ok", detail=found)
    hint = f"pip install {name}"
    return Check(name=name, state="warning", detail="not installed", hint=hint)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


async def _sandbox(language: str, runtime: "Runtime") -> Check:
    """Check one sandbox; without it, only code tools in its language do not run."""
    name, packages = f"{language} sandbox", _PACKAGES[language]
    missing = [package for package in packages if _version(package) is None]
    if missing:
        said = f"not installed; needed only for code tools in {language}"
        hint = f"pip install {_wanted(missing)}"
        return Check(name=name, state="absent", detail=said, hint=hint)
    package = packages[0]
    off = f"code tools in {language} are switched off; try another version of {package}"
    try:
        async with asyncio.timeout(_PROOF_SECONDS):
            proofs = await runtime.prove()
    except SparknbError as error:
        said = f"{package}: {error.message}"
        return Check(name=name, state="broken", detail=said, hint=error.hint or off)
    except TimeoutError:
        said = f"{package}: not proven within {_PROOF_SECONDS:g} s"
        return Check(name=name, state="broken", detail=said, hint=off)
    said = f"{package} {_version(package)}: {_outcome(proofs)}"
    if all(proof.held for proof in proofs):
        return Check(name=name, state="ok", detail=said)
    if len(proofs) == 1:  # it did not even start
        off = (
            f"code tools in {language} do not run; install it anew:"
            f" pip install --force-reinstall {_wanted(packages)}"
        )
    return Check(name=name, state="broken", detail=said, hint=off)


def _wanted(packages: Sequence[str]) -> str:
    """Give packages as pip takes them, in the versions that sparknb works with."""
    try:
        known = requires("sparknb") or ()
    except PackageNotFoundError:  # it runs from its sources
        known = ()
    names = re.compile(r"[\w.-]+")
    always = [text for text in known if ";" not in text]  # an extra stands behind one
    wanted = {found[0]: text for text in always if (found := names.match(text))}
    return " ".join(shlex.quote(wanted.get(each, each)) for each in packages)


def _outcome(proofs: "Sequence[Proof]") -> str:
    through = [proof for proof in proofs if not proof.held]
    if not through:
        return f"{len(proofs)} of {len(proofs)} attacks refused"
    if len(proofs) == 1:  # it did not even start
        return proofs[0].detail
    return f"{len(through)} of {len(proofs)} attacks got through: {_listed(through)}"


def _listed(proofs: "Sequence[Proof]") -> str:
    return "; ".join(
        f"{proof.attack} ({proof.detail})" if proof.detail else proof.attack
        for proof in proofs
    )


def _browser() -> Check:
    """Look for a browser that can be driven; only widget tests need one."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    purpose = "needed only to test widgets"
    if found is None:
        hint = "on Debian and Ubuntu: apt-get install chromium"
        return Check(name="browser", state="absent", detail=purpose, hint=hint)
    return Check(name="browser", state="ok", detail=f"{found}; {purpose}")


def _home(settings: "Settings") -> Check:
    home, source = settings.home, settings.sources["home"]
    said = f"{home} ({source})"
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        said = f"{said}: {there} cannot be written to"
        hint = "give yourself the right to write there, or choose another home"
        return Check(name="home", state="broken", detail=said, hint=hint)
    made = "" if there == home else ", made at first use"
    return Check(name="home", state="ok", detail=said + made)


def _registry(settings: "Settings") -> "tuple[Registry | None, list[Check]]":
    """Open the registry, unless that would make one."""
    url = settings.database_url
    file = Path(url.removeprefix(_SQLITE).partition("?")[0])
    kind = "PostgreSQL"
    if url.startswith(_SQLITE):
        kind = f"SQLite {sqlite3.sqlite_version}"
        if not file.exists():
            detail = f"{kind}, made at first use"
            return None, [Check(name="registry", state="ok", detail=detail)]
    from sparknb.registry import open_registry
    from sparknb.registry.migrations import MIGRATIONS

    try:
        registry = open_registry(url, home=settings.home)
        _, total = registry.tools(limit=1)
    except SparknbError as error:
        return None, [refused("registry", error)]
    detail = f"{kind}, schema {MIGRATIONS.head}, {count(total, 'tool')}"
    return registry, [Check(name="registry", state="ok", detail=detail)]


def _keychain(settings: "Settings", registry: "Registry | None") -> Check:
    """Ask the keychain for a value that is not there: does it answer?"""
    from sparknb.keychain import open_keychain

    where = "" if registry is None else registry.id
    try:
        found = open_keychain(
            settings.keychain,
            registry_id=where,
            environment=settings.secret_environment,
        )
        found.read("custom-tool:doctor:probe")
    except SparknbError as error:
        return Check(
            name="keychain", state="warning", detail=error.message, hint=error.hint
        )
    detail = f"{found.kind}: {found.label}"
    if found.fallback_reason is None:
        return Check(name="keychain", state="ok", detail=detail)
    return Check(
        name="keychain",
        state="warning",
        detail=f"{detail}; {found.fallback_reason}",
        hint="install or unlock one, or use SPARKNB_KEYCHAIN=env",
    )
