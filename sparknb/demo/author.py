"""What the author of the tools does in the demo, and looks at afterwards."""

import json
from pathlib import Path

from sparknb.demo.stage import Stage, definition, require

__all__ = ["look_back", "publish", "refuse", "try_out", "write"]


async def write(stage: Stage) -> None:
    """Store two drafts."""
    stage.account.step("Two definitions become drafts")
    rows = []
    for name in ("weather", "order"):
        outcome = await stage.host.studio.draft(definition(name, stage.service.url))
        tool = outcome.tool
        require(not tool.enabled, f"the draft {tool.id} must not be enabled")
        request = outcome.definition.wire["spec"]["request"]
        secrets = ", ".join(outcome.definition.secrets) or "none"
        rows.append((tool.id, request["method"], tool.risk, tool.effect, secrets))
    stage.account.table(("id", "method", "risk", "effect", "secrets"), rows)
    stage.account.done("Stored, disabled. Risk and effect follow from the method.")


async def refuse(stage: Stage) -> None:
    """Let a dangerous definition be refused."""
    stage.account.step("A dangerous definition is refused, with all its problems")
    report = await stage.host.studio.validate(definition("dangerous", ""))
    require(not report.valid, "the dangerous definition must be refused")
    require(len(report.errors) > 1, "all problems must be listed")
    for problem in report.errors:
        stage.account.problem(problem.code, problem.path, problem.message)
    known = await stage.host.studio.list()
    require(known.total == len(("weather", "order")), "nothing may be stored")
    stage.account.done(
        f"{len(report.errors)} problems at once, nothing stored, no key repeated."
    )


async def try_out(stage: Stage) -> None:
    """Test the draft that only reads, also with bad input."""
    stage.account.step("The author tries the weather tool")
    result = await stage.host.studio.test("city_weather", {"city": "Zurich"})
    require(result.ok, f"the test must work: {result.text}")
    stage.account.say('Input: {"city": "Zurich"}')
    stage.account.quote(json.dumps(result.data, ensure_ascii=False))
    bad = await stage.host.studio.test("city_weather", {"city": "  ", "when": 1})
    require(bad.error_code == "INVALID_INPUT", "bad input must be refused")
    places = " and ".join(problem.path for problem in bad.problems)
    stage.account.done(f"It works, and bad input is refused before sending: {places}.")


async def publish(stage: Stage) -> None:
    """Make both tools live."""
    stage.account.step("Both are published")
    for tool_id in ("city_weather", "order_item"):
        outcome = await stage.host.studio.publish(tool_id)
        require(outcome.tool.enabled, f"{tool_id} must be live")
    stage.account.done("Version 1 of each is live; drafts never are.")


async def look_back(stage: Stage) -> None:
    """Show the traces, and look for the key on the disk."""
    stage.account.step("What is left of it: traces, without inputs, outputs or secrets")
    traces = list(reversed(await stage.host.traces.list()))
    rows = [
        (t.tool_id, str(t.tool_version), t.source, t.status, t.approval) for t in traces
    ]
    stage.account.table(("tool", "version", "called by", "ended", "approval"), rows)
    require(
        [row[2:] for row in rows]
        == [
            ("test", "ok", "none"),
            ("test", "error", "none"),
            ("mcp", "ok", "none"),
            ("mcp", "ok", "once"),
        ],
        "there must be one trace for each call",
    )
    key = stage.service.api_key.encode()
    holders = [f.name for f in stage.home.rglob("*") if f.is_file() and _has(f, key)]
    require(not holders, f"the API key must be in no file, but is in {holders}")
    stage.account.done("The API key is in no file of the home folder.")


def _has(file: Path, needle: bytes) -> bool:
    return needle in file.read_bytes()
