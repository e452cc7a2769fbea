from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from sparknb.commands import checks
from tests.cli.conftest import Run


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
        "deno sandbox",
        "monty sandbox",
        "browser",
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
    monkeypatch.setattr(checks, "find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    reply = sparknb("doctor", "--json")
    absent = [c for c in reply.document["checks"] if c["state"] == "absent"]
    assert [c["name"] for c in absent] == ["deno sandbox", "monty sandbox", "browser"]
    assert all(c["hint"] for c in absent)
    assert reply.exit == 0


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
    monkeypatch.setattr("sqlite3.sqlite_version", "3.0")
    reply = sparknb("doctor", env={"SPARKNB_HOME": "/nonexistent/sparknb-home"})
    assert reply.out == snapshot
