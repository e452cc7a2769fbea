"""What all widgets share: an end that leaves nothing, names that load late."""

import subprocess
import sys
from collections.abc import Callable

from ipywidgets.widgets import (  # type: ignore[import-untyped]  # it ships no types
    widget as registry,
)

import sparknb.widgets
from sparknb.core.protocols import ApprovalRequest
from sparknb.widgets import ConfirmationCard


def test_closing_takes_the_widget_and_its_layout_away(
    ask: Callable[..., ApprovalRequest],
) -> None:
    before = set(registry._instances)
    card = ConfirmationCard(ask(), print)
    assert len(set(registry._instances) - before) == 2

    card.close()
    card.close()
    card.end("cancelled")

    assert set(registry._instances) == before
    assert "place_order" in repr(card)


def test_the_names_of_the_package_are_there_and_are_no_modules() -> None:
    for name in sparknb.widgets.__all__:
        assert type(getattr(sparknb.widgets, name)).__name__ != "module"
    assert dir(sparknb.widgets) == sorted(sparknb.widgets.__all__)


def test_importing_the_package_loads_no_widget_library() -> None:
    code = (
        "import sys, sparknb.widgets; from sparknb.widgets import Courier; "
        "print({'anywidget', 'ipywidgets', 'IPython'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ran.stdout.strip() == "set()", ran.stderr
