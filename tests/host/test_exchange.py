"""Tools out to export files and in from them, over a real registry."""

import asyncio
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparknb import open_spark
from sparknb.core.errors import (
    InvalidInputError,
    InvalidTemplateError,
    NotFoundError,
    SparknbError,
)
from sparknb.host import files
from sparknb.host.files import write_whole
from tests.core.exchange.files import export_file, original_tool
from tests.core.validation.samples import CODE, HTTP, POST, VISION, changed
from tests.hosting import Session
from tests.registry.killing import Countdown, survives_being_killed_at

CASE = {"name": "finds", "input": {"q": "a"}, "expect": {"contains": "a"}}


def stored(session: Session) -> list[str]:
    return sorted(t.id for t in session.run(session.host.studio.list()).tools)


def specs(export: Any) -> list[Any]:
    return [each["spec"] for each in export.payload["tools"]]


# ------------------------------------------------------------- acceptance example 36
def test_an_original_file_gives_one_draft_and_two_skips(session: Session) -> None:
    studio = session.host.studio
    session.run(studio.draft(original_tool("taken", title="Mine")))
    text = export_file(
        original_tool("fresh"),
        {"id": "db", "type": "sql", "spec": {"query": "select 1"}},
        original_tool("taken", title="Theirs"),
    )
    outcome = session.run(studio.import_(text))
    assert [each.tool.id for each in outcome.imported] == ["fresh"]
    assert [(s.id, s.reason) for s in outcome.skipped] == [
        ("db", "NOT_IMPLEMENTED"),
        ("taken", "ALREADY_EXISTS"),
    ]
    tool = session.run(studio.get("fresh")).tool
    assert (tool.enabled, tool.published_version, tool.draft_version) == (
        False,
        None,
        1,
    )
    assert tool.origin == "imported"
    assert session.run(studio.get("taken")).tool.title == "Mine"
    with pytest.raises(InvalidInputError) as caught:
        session.run(studio.import_('{"formatVersion": 2, "tools": []}'))
    assert caught.value.path == "formatVersion"
    assert stored(session) == ["fresh", "taken"]
    assert specs(session.run(studio.export("fresh"))) == [original_tool("fresh")]


def test_the_placeholder_of_a_host_warns_in_a_file_and_refuses_test_and_publish(
    session: Session,
) -> None:
    url = "https://{{q}}.api.test/"
    studio = session.host.studio
    text = export_file(changed(POST, spec__request__urlTemplate=url))
    (imported,) = session.run(studio.import_(text)).imported
    assert imported.is_refused
    assert [(w.code, w.path) for w in imported.warnings] == [
        ("INVALID_TEMPLATE", "spec.request.urlTemplate")
    ]
    for step in (studio.publish("items"), studio.test("items", {"q": "a"})):
        with pytest.raises(InvalidTemplateError):
            session.run(step)
    assert session.run(studio.get("items")).secret_status == {"k": False}
    assert session.run(session.host.secrets.status("items")) == {"k": False}
    with pytest.raises(InvalidTemplateError):
        session.run(session.host.secrets.set("items", "k", "canary-1d9e"))
    assert session.run(session.host.check_call("items", {"q": "a"})).decision == "deny"
    session.run(studio.draft(HTTP))  # saved clean
    assert session.run(studio.publish("items")).tool.published_version == 1


def test_an_imported_draft_that_is_refused_can_be_exported_and_deleted(
    session: Session,
) -> None:
    studio = session.host.studio
    unclean = changed(POST, spec__request__urlTemplate="https://u:p@api.test/")
    outcome = session.run(studio.import_(export_file(unclean)))
    assert repr(outcome) == "<Imported: items; 0 skipped>"
    made = session.run(studio.export("items"))
    assert specs(made)[0]["spec"]["request"] == unclean["spec"]["request"]
    session.run(studio.delete("items"))
    assert stored(session) == []


def test_an_imported_program_is_warned_about_tools_that_are_not_there(
    session: Session,
) -> None:
    tool = changed(CODE, spec__permissions={"toolIds": ["nowhere"]})
    (imported,) = session.run(session.host.studio.import_(export_file(tool))).imported
    assert ("DEPENDENCY_MISSING", "spec.permissions.toolIds.0") in [
        (w.code, w.path) for w in imported.warnings
    ]
    assert not imported.is_refused


# --------------------------------------------------------------------- round trips
def test_export_import_export_gives_an_equal_file(
    session: Session, open_session: Callable[..., Session], tmp_path: Path
) -> None:
    studio = session.host.studio
    tools = [HTTP, changed(POST, id="post", secretRefs={"k": "custom-tool:post:k"})]
    nested = '{"a": {"b": {"c": {{q}}}}}'
    tools[1] = changed(tools[1], spec__request__body__jsonTemplate=nested)
    for tool in [*tools, changed(VISION, id="eyes")]:
        session.run(studio.create_draft(tool, [CASE]))
    first = session.run(studio.export(with_cases=True))
    other = open_session(tmp_path / "other").host.studio
    outcome = session.run(other.import_(first.text))
    assert outcome.skipped == []
    assert [each.case_count for each in outcome.imported] == [1, 1, 1]
    assert session.run(other.export(with_cases=True)).text == first.text
    assert list(session.run(other.get("items")).shown.cases) == [CASE]
    assert not session.run(other.get("post")).secret_status["k"]


def test_what_is_published_is_exported_and_else_the_draft(session: Session) -> None:
    studio = session.host.studio
    session.publish(HTTP)
    session.run(studio.draft(changed(HTTP, title="Pending")))
    session.run(studio.draft(changed(HTTP, id="other", title="Only a draft")))
    made = session.run(studio.export())
    assert [s["title"] for s in specs(made)] == ["Items", "Only a draft"]
    assert [t.version for t in made.tools] == [1, 1]


def test_an_export_never_holds_a_secret_value(session: Session, tmp_path: Path) -> None:
    canary = "canary-5f2c9a7e41"
    studio = session.host.studio
    session.run(studio.draft(POST))
    session.run(session.host.secrets.set("items", "k", canary))
    made = session.run(studio.export(out=tmp_path / "a.json"))
    assert made.payload["tools"][0]["secretNames"] == ["k"]
    everything = (tmp_path / "a.json").read_text() + repr(made) + str(made.to_wire())
    assert canary not in everything


def test_the_mapping_that_json_gives_is_imported_too(session: Session) -> None:
    file = json.loads(export_file(HTTP))
    session.run(session.host.studio.import_(file))
    assert stored(session) == ["items"]


@pytest.mark.parametrize(
    "file", [None, 5, [], {"formatVersion": {1}}, {"formatVersion": float("nan")}]
)
def test_what_is_no_file_at_all_is_refused(session: Session, file: Any) -> None:
    with pytest.raises(InvalidInputError):
        session.run(session.host.studio.import_(file))
    assert stored(session) == []


def test_two_imports_at_once_store_each_tool_once(session: Session) -> None:
    tools = [changed(HTTP, id=f"tool_{n}") for n in range(20)]
    text = export_file(*tools)

    async def both() -> list[Any]:
        studio = session.host.studio
        both = studio.import_(text), studio.import_(text)
        return list(await asyncio.gather(*both))

    outcomes = session.run(both())
    imported = [each.tool.id for o in outcomes for each in o.imported]
    assert sorted(imported) == sorted(tool["id"] for tool in tools)
    assert sum(len(o.skipped) for o in outcomes) == 20


# ------------------------------------------------------------------------- the file
def test_an_unknown_id_writes_no_file(session: Session, tmp_path: Path) -> None:
    session.run(session.host.studio.draft(HTTP))
    out = tmp_path / "out.json"
    with pytest.raises(NotFoundError, match="nope"):
        session.run(session.host.studio.export(["items", "nope"], out=out))
    assert not out.exists()


def test_tools_come_in_the_order_named_and_once(session: Session) -> None:
    for tool_id in ("aaa", "bbb"):
        session.run(session.host.studio.draft(changed(HTTP, id=tool_id)))
    made = session.run(session.host.studio.export(["bbb", "aaa", "bbb"]))
    assert [t.id for t in made.tools] == ["bbb", "aaa"]


def test_a_file_is_replaced_with_its_mode_and_a_link_stays_a_link(
    tmp_path: Path,
) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, "new é\n")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new é\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "real.json"]


def unwritable(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    return {
        "a folder": tmp_path / "folder",
        "a pipe": tmp_path / "pipe",
        "a device": Path(os.devnull),
        "no folder": tmp_path / "gone" / "a.json",
        "below a file": tmp_path / "file" / "a.json",
        "too long": tmp_path / ("x" * 300),
        "NUL": tmp_path / "a\0b",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    places = unwritable(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for what, path in places.items():
        with pytest.raises(SparknbError) as caught:
            write_whole(path, "new")
        assert caught.value.path == "out", what
    assert sorted(tmp_path.rglob("*")) == before
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize("failing", ["fsync", "open"])
def test_a_failing_disk_leaves_the_old_file_and_nothing_else(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")

    def fail(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(InvalidInputError, match="No space left"):
        write_whole(target, "new")
    monkeypatch.undo()
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork")
def test_a_process_killed_while_it_writes_leaves_the_old_text_or_the_new(
    tmp_path: Path,
) -> None:
    target = tmp_path / "a.json"
    seen = set()
    for n in range(1, 100):
        target.write_text("old")
        through = survives_being_killed_at(n, lambda ticks: _write(target, ticks))
        seen.add(target.read_text())
        if through:
            break
    assert through
    assert seen == {"old", "new"}


def _write(target: Path, countdown: Countdown) -> None:
    """Write in a child that counts every line of the module that writes."""

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != files.__file__:
            return None
        countdown.tick()
        return trace

    sys.settrace(trace)
    write_whole(target, "new")
    sys.settrace(None)


def test_the_blocking_handle_exports_and_imports(tmp_path: Path) -> None:
    out = tmp_path / "tools.json"
    with open_spark(home=tmp_path / "one", keychain="memory") as spark:
        spark.studio.create_draft(HTTP)
        spark.studio.export("items", out=str(out))
    with open_spark(home=tmp_path / "two", keychain="memory") as spark:
        (imported,) = spark.studio.import_(out.read_text()).imported
        assert imported.tool.id == "items"
