"""How widgets look and read: themes, contrast, width, axe."""

from collections.abc import Callable
from typing import Any

import pytest

from sparknb.commands.context import Question
from sparknb.core.protocols import ApprovalRequest
from sparknb.host import Host
from sparknb.host.loop_thread import LoopThread
from sparknb.widgets import (
    ConfirmationCard,
    QuestionCard,
    RiskForm,
    SecretEntry,
    SecretPrompt,
    risk_state,
    secret_state,
)
from tests.hosting import Definition
from tests.widgets.stage import Hand, Stage

expect = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
).expect
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe is not installed"
)


@pytest.fixture
def fill(
    loop: LoopThread,
    host: Host,
    hand: Hand,
    order_tool: Definition,
    ask: Callable[..., ApprovalRequest],
) -> Callable[[Stage], None]:
    """Give what puts every widget, in several states, on a page."""
    key = ("place_order", "api_key")
    secret, risk = (
        loop.run(secret_state(host, *key)),
        loop.run(risk_state(host, "place_order")),
    )

    def put(stage: Stage) -> None:
        arguments = {"item": "lamp\n" * 40, "n": 1, "ok": True, "tags": ["a"]}
        for risk_name in ("low-write", "high-write", "destructive"):
            request = ask(risk=risk_name, arguments=arguments)
            stage.show(ConfirmationCard(request, print), f"card-{risk_name}")
        edited = stage.page.locator("[data-view=card-high-write]")
        edited.get_by_role("button", name="Edit arguments").click()
        edited.get_by_label("n", exact=True).fill("x")
        edited.get_by_role("button", name="Approve as edited").click()
        ended = ConfirmationCard(ask(arguments={}), print)
        ended.end("approved")
        stage.show(ended, "ended")
        stage.show(QuestionCard(Question("Publish?", (("tool", "x"),)), print), "q")
        prompt = stage.show(SecretPrompt("Value of api_key", print), "prompt")
        prompt.get_by_role("button", name="Use this value").click()
        stage.show(SecretEntry(host, *key, secret, hand), "entry")
        form = stage.show(RiskForm(host, "place_order", risk, hand), "risk")
        form.get_by_label("destructive", exact=True).check()
        form.get_by_label("read", exact=True).first.click(force=True)

    return put


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 800), ("dark", 320), ("bare", 320)]
)
def test_no_serious_finding_in_any_theme_and_width(
    stage_in: Callable[..., Stage],
    fill: Callable[[Stage], None],
    theme: str,
    width: int,
) -> None:
    stage = stage_in(theme, width)
    fill(stage)

    found = axe.Axe().run(stage.page).response["violations"]

    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious] == []
    assert stage.page.evaluate("document.documentElement.scrollWidth") <= width
    assert stage.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_a_notebook_theme_the_system_decides(
    stage_in: Callable[..., Stage], fill: Callable[[Stage], None], scheme: Any
) -> None:
    stage = stage_in("bare", color_scheme=scheme)
    fill(stage)

    root = stage.page.locator(".spark").first
    expect(root).to_have_attribute("data-theme", scheme)


def test_a_change_of_theme_is_followed(
    stage: Stage, fill: Callable[[Stage], None]
) -> None:
    fill(stage)
    root = stage.page.locator(".spark").first
    expect(root).to_have_attribute("data-theme", "light")

    stage.page.evaluate(
        """() => {
          document.documentElement.style.setProperty("--jp-layout-color1", "#111");
          document.body.setAttribute("data-jp-theme-light", "false");
        }"""
    )

    expect(root).to_have_attribute("data-theme", "dark")


def test_high_contrast_and_calm_are_respected(
    stage_in: Callable[..., Stage], fill: Callable[[Stage], None]
) -> None:
    stage = stage_in(forced_colors="active", reduced_motion="reduce")
    fill(stage)

    button = stage.page.locator(".spark-button.primary").first
    assert button.evaluate("b => getComputedStyle(b).borderTopWidth") == "2px"
    assert button.evaluate("b => getComputedStyle(b).transitionProperty") == "none"


def test_the_focus_can_be_seen_on_every_control(
    stage: Stage, fill: Callable[[Stage], None]
) -> None:
    fill(stage)

    unseen = stage.page.evaluate(
        """() => [...document.querySelectorAll(
          ".spark :is(button, input, textarea, select)")]
          .filter((c) => c.offsetParent && !c.disabled)
          .filter((c) => (c.focus(), getComputedStyle(c).outlineStyle !== "solid"))
          .map((c) => c.outerHTML)"""
    )
    assert unseen == []
