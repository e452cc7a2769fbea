"""What a runtime sees counts at every step, and one that does not hold runs nothing."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.errors import ExecutionFailedError, InvalidInputError, SparknbError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Proof
from sparknb.core.validation import validate
from sparknb.mcp.projection import call_result
from tests.host.programs import Workshop, by_hand, program_tool
from tests.hosting import Answering, Definition

SOURCE = "spec.runtime.source"
MISTAKE = Problem(
    code="CODE_TYPES", message="no such attribute", path=SOURCE, line=1, column=9
)
SKIPPED = Problem(
    code="CHECK_SKIPPED",
    message="the source was not checked",
    path=SOURCE,
    hint="pip install the-sandbox",
    level="warning",
)
BROKEN = (
    Proof(attack="read a file", held=True),
    Proof(attack="open a socket", held=False, detail="it answered"),
)

Step = Callable[[Workshop], Coroutine[Any, Any, Any]]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    opened = Workshop(tmp_path / "home", both=True)
    yield opened
    opened.close()


def sees(shop: Workshop, *problems: Problem) -> None:
    """Let the runtime find these in the tool `adder` from now on."""
    shop.programs.problems["adder"] = problems


def adder(**more: Any) -> Definition:
    return program_tool("adder", **more)


def refusal(shop: Workshop, work: Coroutine[Any, Any, Any]) -> SparknbError:
    with pytest.raises(SparknbError) as caught:
        shop.run(work)
    return caught.value


# ------------------------------------------------------------ what a runtime sees
def test_a_mistake_is_told_at_its_line_and_nothing_is_stored(shop: Workshop) -> None:
    sees(shop, MISTAKE)
    studio = shop.host.studio
    report = shop.run(studio.validate(adder()))
    assert report.errors == (MISTAKE,)
    assert report.normalized is None
    for save in (studio.create_draft, studio.draft):
        error = refusal(shop, save(adder()))
        assert isinstance(error, InvalidInputError)
        assert list(error.problems) == [MISTAKE]
    assert shop.run(studio.list()).total == 0


@pytest.mark.parametrize(
    ("source", "language", "is_told"),
    [
        ("def run(): return 1", {}, True),
        ("def walk(): return 1", {}, True),
        ("export default ( => 1", {}, False),
        ("def run(: return 1", {}, False),
        ("def run(): return 1", {"language": "python"}, False),
    ],
    ids=["python", "no run", "typescript", "neither", "said"],
)
def test_python_without_a_word_about_its_language_is_told_to_say_it(
    shop: Workshop, source: str, language: dict[str, str], is_told: bool
) -> None:
    sees(shop, Problem(code="CODE_SYNTAX", message="it cannot be read", path=SOURCE))
    tool = adder(spec={"runtime": {"source": source, **language}})
    report = shop.run(shop.host.studio.validate(tool))
    (problem,) = (p for p in report.errors if p.code == "CODE_SYNTAX")
    assert ('say "language": "python"' in (problem.hint or "")) == is_told


def test_a_saved_draft_stays_when_the_next_one_has_a_mistake(shop: Workshop) -> None:
    studio = shop.host.studio
    shop.run(studio.draft(adder()))
    sees(shop, MISTAKE)
    assert refusal(shop, studio.save_draft(adder(title="Other"))).code
    shown = shop.run(studio.get("adder")).shown
    assert shown.definition["title"] == adder()["title"]


@pytest.mark.parametrize(
    "step",
    [
        lambda shop: shop.host.studio.publish("adder"),
        lambda shop: shop.host.studio.require_publishable("adder"),
        lambda shop: shop.host.studio.test("adder", {}),
        lambda shop: shop.host.studio.test(adder(), {}),
        lambda shop: shop.host.studio.run_cases("adder"),
    ],
    ids=["publish", "publishable", "test", "test unsaved", "cases"],
)
def test_a_mistake_that_was_edited_into_the_registry_is_met_at_each_step(
    shop: Workshop, step: Step
) -> None:
    case = {"name": "one", "input": {}, "expect": {"contains": "a"}}
    report = validate(adder())
    assert report.definition is not None
    shop.host.registry.create_draft(report.definition, [case])
    sees(shop, MISTAKE)
    assert list(refusal(shop, step(shop)).problems) == [MISTAKE]


@pytest.mark.parametrize(
    "step",
    [
        lambda shop: shop.host.studio.set_enabled("adder", True),
        lambda shop: shop.host.studio.require_enableable("adder"),
        lambda shop: shop.host.studio.rollback("adder", 1),
    ],
    ids=["enable", "enableable", "rollback"],
)
def test_a_mistake_in_a_published_version_keeps_it_from_going_live_again(
    shop: Workshop, step: Step
) -> None:
    by_hand(shop, adder())
    by_hand(shop, adder(title="Second"))
    sees(shop, MISTAKE)
    assert list(refusal(shop, step(shop)).problems) == [MISTAKE]


def test_warnings_of_a_runtime_come_with_a_report_and_a_draft(shop: Workshop) -> None:
    sees(shop, SKIPPED)
    studio = shop.host.studio
    report = shop.run(studio.validate(adder()))
    assert report.valid
    assert report.warnings == (SKIPPED,)
    assert list(shop.run(studio.draft(adder())).warnings) == [SKIPPED]


def test_what_could_not_be_looked_at_is_kept_and_tested_but_not_published(
    shop: Workshop,
) -> None:
    sees(shop, SKIPPED)
    studio = shop.host.studio
    shop.run(studio.draft(adder()))
    assert shop.run(studio.test("adder", {})).ok
    error = refusal(shop, studio.publish("adder"))
    assert [p.code for p in error.problems] == ["CHECK_SKIPPED"]
    assert error.hint == "pip install the-sandbox"
    sees(shop)
    shop.run(studio.publish("adder"))


def test_a_program_is_looked_at_once_as_long_as_it_stays_the_same(
    shop: Workshop,
) -> None:
    shop.publish(adder())
    shop.run(shop.host.studio.test("adder", {}))
    shop.call("adder", {})
    assert shop.programs.checked == ["adder"]
    shop.run(shop.host.studio.draft(adder(title="Another")))
    assert shop.programs.checked == ["adder", "adder"]


# ------------------------------------------------------ what comes in a file
def export(*languages: str) -> str:
    """Give an export file with one tool a language, named by it."""
    sources = {"python": "def run(): return 1", "typescript": "export default () => 1"}
    tools = []
    for language in languages:
        tool = program_tool(f"in_{language}")
        runtime = {"language": language, "source": sources[language]}
        tool["spec"]["runtime"] = runtime
        tools.append({"spec": tool})
    return json.dumps({"formatVersion": 1, "tools": tools})


def test_an_imported_program_that_we_read_more_closely_only_warns(
    shop: Workshop,
) -> None:
    studio = shop.host.studio
    shop.programs.problems["in_typescript"] = (MISTAKE,)
    done = shop.run(studio.import_(export("typescript")))
    (tool,) = done.imported
    assert [(w.code, w.level) for w in tool.warnings] == [("CODE_TYPES", "warning")]
    assert tool.is_refused
    for step in (studio.test("in_typescript", {}), studio.publish("in_typescript")):
        assert [p.level for p in refusal(shop, step).problems] == ["error"]


def test_an_imported_program_that_the_original_cannot_have_is_skipped(
    shop: Workshop,
) -> None:
    shop.programs.problems["in_python"] = (MISTAKE,)
    done = shop.run(shop.host.studio.import_(export("python", "typescript")))
    assert [each.tool.id for each in done.imported] == ["in_typescript"]
    (skip,) = done.skipped
    assert (skip.id, skip.reason) == ("in_python", "INVALID_DEFINITION")
    assert list(skip.issues) == [MISTAKE]


# -------------------------------------------------------------------- its walls
def test_many_first_calls_prove_the_sandbox_once(shop: Workshop) -> None:
    by_hand(shop, adder())

    async def many() -> list[Any]:
        calls = [shop.host.call("adder", {}) for _ in range(50)]
        return await asyncio.gather(*calls)

    results = shop.run(many())
    assert all(result.ok for result in results)
    assert shop.programs.proved == 1


def test_a_sandbox_that_does_not_hold_runs_nothing_and_asks_nobody(
    shop: Workshop,
) -> None:
    shop.programs.proofs = BROKEN
    by_hand(shop, adder(risk="low-write"))
    approver = Answering()
    ran: list[str] = []

    async def program(*_: Any) -> str:
        ran.append("adder")
        return "ran"

    shop.does("adder", program)
    for result in (
        shop.call("adder", {}, approver=approver),
        shop.run(shop.host.studio.test("adder", {}, approver=approver)),
    ):
        assert result.error_code == "EXECUTION_FAILED"
        assert "switched off" in result.text
        assert "open a socket (it answered)" in result.text
        assert "doctor" in (result.hint or "")
    check = shop.run(shop.host.check_call("adder", {}))
    assert (check.decision, check.error_code) == ("deny", "EXECUTION_FAILED")
    assert (approver.asked, ran) == ([], [])
    assert shop.programs.checked == []  # nor is a source read in there
    assert shop.programs.proved == 1


def test_a_draft_for_a_sandbox_that_does_not_hold_is_kept_and_not_published(
    shop: Workshop,
) -> None:
    shop.programs.proofs = BROKEN
    outcome = shop.run(shop.host.studio.draft(adder()))
    (warning,) = outcome.warnings
    assert (warning.code, warning.path) == ("CHECK_SKIPPED", SOURCE)
    assert "switched off" in warning.message
    error = refusal(shop, shop.host.studio.publish("adder"))
    assert [p.code for p in error.problems] == ["CHECK_SKIPPED"]


def test_what_a_program_may_call_proves_itself_before_its_time_begins(
    shop: Workshop,
) -> None:
    below = adder()
    below["spec"]["runtime"] = {"language": "typescript", "source": "x"}
    by_hand(shop, below)
    by_hand(shop, program_tool("middle", "adder"))
    by_hand(shop, program_tool("above", "middle"))
    # in the fixture, one sandbox stands for both languages
    assert shop.call("above", {}).ok
    assert shop.programs.proved == len(("python", "typescript"))
    shop.call("adder", {})
    assert shop.programs.proved == len(("python", "typescript"))


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (ExecutionFailedError("deno is not installed", hint="get it"), "not installed"),
        (OSError(24, "too many open files"), "OSError"),
    ],
)
def test_a_proof_that_could_not_be_tried_is_tried_again(
    shop: Workshop, failure: Exception, said: str
) -> None:
    by_hand(shop, adder())
    shop.programs.proofs = failure
    result = shop.call("adder", {})
    assert result.error_code == "EXECUTION_FAILED"
    assert said in result.text
    assert result.hint
    shop.programs.proofs = ()
    assert shop.call("adder", {}).ok


def test_who_is_stopped_while_the_sandbox_proves_itself_does_not_stop_the_others(
    shop: Workshop,
) -> None:
    proving = shop.programs.proving = asyncio.Barrier(2)

    async def both() -> Any:
        first = asyncio.ensure_future(shop.host.studio.validate(adder()))
        second = asyncio.ensure_future(shop.host.studio.validate(adder(title="2nd")))
        await proving.wait()
        first.cancel()
        await asyncio.wait([first])
        assert first.cancelled()
        await proving.wait()
        return await second

    assert shop.run(both()).valid
    assert shop.programs.proved == 1


def test_a_host_that_closes_ends_a_proof_that_never_comes(shop: Workshop) -> None:
    proving = shop.programs.proving = asyncio.Barrier(2)

    async def leave() -> None:
        waiting = asyncio.ensure_future(shop.host.studio.validate(adder()))
        await proving.wait()
        await shop.host.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    shop.run(leave())


# ------------------------------------------------------------- what it printed
def test_what_a_program_printed_comes_with_its_result_without_secrets(
    shop: Workshop,
) -> None:
    key = "sk-" + "a1B2" * 8
    shop.programs.printed = f"looked\n{key}\n"
    shop.publish(adder())
    tested = shop.run(shop.host.studio.test("adder", {}))
    assert tested.text == "adder"
    assert tested.printed == "looked\n[REDACTED]\n"
    assert tested.to_wire()["printed"] == tested.printed
    called = shop.call("adder", {})
    assert called.printed == shop.programs.printed


def test_what_a_program_printed_is_not_told_to_agents(shop: Workshop) -> None:
    shop.programs.printed = "for-its-author"
    shop.publish(adder())
    agents = shop.host.agent_tools
    given = {"toolId": "adder", "input": {}}
    result = shop.run(agents.call("custom_tools_test", given))
    assert result.ok
    for told in (result, shop.call("adder", {})):
        assert "for-its-author" not in json.dumps(call_result(told))
    assert "for-its-author" not in json.dumps(result.to_wire())
