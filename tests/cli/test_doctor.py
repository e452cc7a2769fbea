import asyncio
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from sparknb import bootstrap
from sparknb.commands import checks
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.protocols import Proof
from tests.cli.conftest import Run
from tests.host.programs import Programs

REAL = bootstrap.sandboxes
OFF = "are switched off"


class Proving(Programs):
    """A sandbox whose proof comes out as the test says."""

    def __init__(self, ending: Sequence[Proof] | Exception | None = ()) -> None:
        super().__init__()
        self.ending = ending
        self.is_closed = False

    async def prove(self) -> Sequence[Proof]:
        if self.ending is None:
            await asyncio.Event().wait()
        if isinstance(self.ending, Exception):
            raise self.ending
        return self.ending or ()

    async def close(self) -> None:
        self.is_closed = True


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> dict[str, Proving]:
    """Give sandboxes that prove nothing: the real ones take their time."""
    held = (Proof(attack="read a file", held=True),)
    made = {"python": Proving(held), "typescript": Proving(held)}
    monkeypatch.setattr(bootstrap, "sandboxes", lambda: made)
    return made


def states(reply: object) -> dict[str, str]:
    found = reply.document["checks"]  # type: ignore[attr-defined]  # a Reply
    return {check["name"]: check["state"] for check in found}


def test_a_fresh_machine_has_all_that_commands_need(
    sparknb: Run, isolated_home: Path
) -> None:
    reply = sparknb("doctor", "--json")
    assert reply.exit == 0
    assert list(states(reply)) == [
        "python",
        "sparknb",
        "mcp",
        "jupyterlab",
        "browser",
        "python sandbox",
        "typescript sandbox",
        "home",
        "registry",
        "keychain",
    ]
    assert reply.document["settings"]["keychain"] == {
        "value": "memory",
        "source": "environment",
        "variable": "SPARKNB_KEYCHAIN",
    }
    assert not (isolated_home / "sparknb").exists()


def test_what_is_missing_comes_with_what_to_do(
    sparknb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(checks, "version", missing)
    monkeypatch.setattr("shutil.which", lambda name: None)
    reply = sparknb("doctor", "--json")
    absent = {c["name"]: c for c in reply.document["checks"] if c["state"] == "absent"}
    python, typescript = absent["python sandbox"], absent["typescript sandbox"]
    assert re.match("pip install 'pydantic-monty<2.*-client<2", python["hint"])
    assert python["detail"] == "not installed; needed only for code tools in python"
    assert re.fullmatch("pip install 'deno<3,[^ ]*'", typescript["hint"])
    assert absent["browser"]["hint"]
    assert reply.exit == 0
    monkeypatch.setattr(checks, "requires", missing)
    again = {c["name"]: c for c in sparknb("doctor", "--json").document["checks"]}
    assert again["typescript sandbox"]["hint"] == "pip install deno"


def test_a_sandbox_of_which_only_a_part_is_there_is_not_installed(
    sparknb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def known(name: str) -> str:
        if name == "pydantic-monty-client":
            raise PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(checks, "version", known)
    found = {c["name"]: c for c in sparknb("doctor", "--json").document["checks"]}
    assert found["python sandbox"]["state"] == "absent"
    assert found["python sandbox"]["hint"].startswith("pip install 'pydantic-monty-cl")
    assert found["typescript sandbox"]["state"] == "ok"


def test_the_sandboxes_of_this_machine_refuse_all_attacks(
    sparknb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "sandboxes", REAL)
    reply = sparknb("doctor", "--json")
    found = {c["name"]: c for c in reply.document["checks"] if "sandbox" in c["name"]}
    assert list(found) == ["python sandbox", "typescript sandbox"]
    for check in found.values():
        done, tried = re.findall(r"([0-9]+) of ([0-9]+) attacks", check["detail"])[0]
        assert check["state"] == "ok"
        assert done == tried
        assert int(tried) >= 8
    assert reply.exit == 0


@pytest.mark.parametrize(
    ("ending", "said", "hint"),
    [
        (
            (
                Proof(attack="read a file", held=True),
                Proof(attack="open a socket", held=False, detail="it answered"),
                Proof(attack="run a program", held=False),
            ),
            "2 of 3 attacks got through: open a socket (it answered); run a program",
            OFF,
        ),
        (ExecutionFailedError("it does not start"), "it does not start", OFF),
        (
            (Proof(attack="start", held=False, detail="no such file"),),
            ": no such file",
            "do not run; install it anew: pip install --force-reinstall 'deno<3",
        ),
        (None, "not proven within 0.1 s", OFF),
    ],
    ids=["attacks", "refused", "absent", "silent"],
)
def test_a_sandbox_that_does_not_hold_fails_the_check(
    sparknb: Run,
    monkeypatch: pytest.MonkeyPatch,
    fast: dict[str, Proving],
    *,
    ending: Sequence[Proof] | Exception | None,
    said: str,
    hint: str,
) -> None:
    monkeypatch.setattr(checks, "_PROOF_SECONDS", 0.1)
    fast["typescript"].ending = ending
    reply = sparknb("doctor", "--json")
    found = {check["name"]: check for check in reply.document["checks"]}
    check = found["typescript sandbox"]
    assert (reply.exit, check["state"]) == (1, "broken")
    assert said in check["detail"]
    assert f"code tools in typescript {hint}" in check["hint"]
    assert found["python sandbox"]["state"] == "ok"
    assert all(sandbox.is_closed for sandbox in fast.values())


def test_an_existing_registry_is_looked_at(sparknb: Run, isolated_home: Path) -> None:
    sparknb("list")
    assert (isolated_home / "sparknb" / "registry.db").exists()
    shown = sparknb("doctor").out
    assert "0 tools" in shown
    assert "Everything that commands need is there." in shown


def test_a_home_that_cannot_be_made_fails_the_check(
    sparknb: Run, isolated_home: Path
) -> None:
    file = isolated_home / "file"
    file.write_text("x", encoding="utf-8")
    reply = sparknb("doctor", "--json", env={"SPARKNB_HOME": str(file / "home")})
    assert (reply.exit, states(reply)["settings"]) == (1, "broken")


def test_a_broken_registry_fails_the_check(sparknb: Run, isolated_home: Path) -> None:
    home = isolated_home / "sparknb"
    home.mkdir()
    (home / "registry.db").write_bytes(b"no database " * 1000)
    reply = sparknb("doctor", "--json")
    assert (reply.exit, states(reply)["registry"]) == (1, "broken")
    assert sparknb("list", "--json").error["code"] == "REGISTRY_UNAVAILABLE"


def test_a_setting_that_cannot_be_fails_the_check(sparknb: Run) -> None:
    reply = sparknb("doctor", "--json", env={"SPARKNB_KEYCHAIN": "paper"})
    assert (reply.exit, states(reply)["settings"]) == (1, "broken")
    assert reply.document["settings"] == {}
    shown = sparknb("doctor", env={"SPARKNB_KEYCHAIN": "paper"}).out
    assert "1 check failed: settings." in shown


def test_a_password_of_the_database_is_never_shown(sparknb: Run) -> None:
    url = "postgresql+psycopg://me:hunter2-abc@127.0.0.1:9/tools"
    for more in ([], ["--json"]):
        reply = sparknb("doctor", *more, env={"SPARKNB_DATABASE_URL": url})
        assert reply.exit == 1
        assert "hunter2" not in reply.out + reply.err


def test_a_keychain_that_does_not_answer_is_a_warning(sparknb: Run) -> None:
    broken = {"SPARKNB_KEYCHAIN": "os", "PYTHON_KEYRING_BACKEND": "not.a.module.Ring"}
    reply = sparknb("doctor", "--json", env=broken)
    assert (reply.exit, states(reply)["keychain"]) == (0, "warning")


def test_the_report_looks_as_before(
    sparknb: Run, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    fixed = checks.Check(name="python", state="ok", detail="3.11")
    absent = checks.Check(name="deno", state="absent", detail="gone", hint="get it")
    monkeypatch.setattr(checks, "installed", lambda: [fixed, absent])
    monkeypatch.setattr(checks, "version", lambda name: "1.0")
    monkeypatch.setattr("sqlite3.sqlite_version", "3.0")
    reply = sparknb("doctor", env={"SPARKNB_HOME": "/nonexistent/sparknb-home"})
    assert reply.out == snapshot
