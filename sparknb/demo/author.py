"""What the author of the tools does in the demo, and looks at afterwards."""

import json
from pathlib import Path
from typing import Any

from sparknb.core.problems import Problem
from sparknb.demo.stage import Stage, definition, require

__all__ = ["compose", "look_back", "publish", "refuse", "try_out", "write"]


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
        _tell(stage, problem)
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


async def compose(stage: Stage) -> None:
    """Publish a Python program that calls the weather tool."""
    stage.account.step("A Python program makes a new tool of the weather tool")
    program = definition("warmest", "")
    runtime = program["spec"]["runtime"]
    stage.account.quote(runtime["source"])
    importing = _with_source(program, f"import os\n{runtime['source']}")
    refused = await stage.host.studio.validate(importing)
    require(
        [(p.code, p.line) for p in refused.errors] == [("CODE_IMPORT", 1)],
        f"the import of os must be refused, not {refused.errors}",
    )
    stage.account.say("With `import os` above it, it is refused before it ever runs:")
    for problem in refused.errors:
        _tell(stage, problem)
    endless = "def run(cities: list):\n    while True:\n        pass\n"
    stopped = await stage.host.studio.test(
        _with_source(program, endless) | {"timeoutMs": 1000}, {"cities": []}
    )
    require(stopped.error_code == "TIMEOUT", f"it must be stopped: {stopped.text}")
    stage.account.say("Another one, which never ends, is stopped while it runs:")
    stage.account.problem("TIMEOUT", "while True: pass", stopped.text)
    await stage.host.studio.draft(program)
    outcome = await stage.host.studio.publish("warmest_city")
    require(outcome.tool.enabled, "warmest_city must be live")
    stage.account.done("The program itself is live. It may call city_weather only.")


def _with_source(program: dict[str, Any], source: str) -> dict[str, Any]:
    runtime = {"language": "python", "source": source}
    return program | {"spec": program["spec"] | {"runtime": runtime}}


async def look_back(stage: Stage) -> None:
    """Show the traces, and look for the key on the disk."""
    stage.account.step("What is left of it: traces, without inputs, outputs or secrets")
    traces = list(reversed(await stage.host.traces.list()))
    rows = [
        (
            t.tool_id,
            "unsaved" if t.tool_version is None else str(t.tool_version),
            t.source,
            t.status,
            t.approval,
        )
        for t in traces
    ]
    stage.account.table(("tool", "version", "called by", "ended", "approval"), rows)
    require(
        [row[2:] for row in rows]
        == [
            ("test", "ok", "none"),
            ("test", "error", "none"),
            ("test", "timeout", "none"),
            ("mcp", "ok", "none"),
            ("nested", "ok", "none"),
            ("nested", "ok", "none"),
            ("mcp", "ok", "none"),
            ("mcp", "ok", "once"),
        ],
        "there must be one trace for each call",
    )
    key = stage.service.api_key.encode()
    holders = [f.name for f in stage.home.rglob("*") if f.is_file() and _has(f, key)]
    require(not holders, f"the API key must be in no file, but is in {holders}")
    stage.account.done("The API key is in no file of the home folder.")


def _tell(stage: Stage, problem: Problem) -> None:
    stage.account.problem(problem.code, problem.place, problem.message)


def _has(file: Path, needle: bytes) -> bool:
    return needle in file.read_bytes()
