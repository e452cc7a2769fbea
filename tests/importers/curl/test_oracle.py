"""What curl sends, and what the tool sends that is made of the same command."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.hosting import Answering, Session
from tests.importers.curl.commands import FAITHFUL, MODES
from tests.importers.curl.generated import commands
from tests.importers.curl.oracle import Outcome, differences, run_all
from tests.importers.curl.recorder import Recorder, recording


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as opened:
        yield opened


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    opened = Session(tmp_path_factory.mktemp("home"), approver=Answering())
    yield opened
    opened.close()


def wrong(outcomes: list[Outcome]) -> list[tuple[str, list[str]]]:
    """Give what differs silently, with its command."""
    found = [
        (outcome.command, list(differences(outcome)))
        for outcome in outcomes
        if outcome.tool is not None
    ]
    return [entry for entry in found if entry[1]]


def test_commands_of_people_arrive_as_curl_sends_them(
    session: Session, recorder: Recorder
) -> None:
    outcomes = run_all(FAITHFUL, session, recorder)
    assert [o.command for o in outcomes if o.tool is None or o.curl is None] == []
    assert wrong(outcomes) == []
    assert len(outcomes) > 200


def test_commands_made_at_random_arrive_as_curl_sends_them(
    session: Session, recorder: Recorder
) -> None:
    outcomes = run_all(commands(7, 110, recorder.origin), session, recorder)
    sent = [o for o in outcomes if o.tool is not None]
    assert [o.command for o in outcomes if o.curl is None] == []
    assert wrong(outcomes) == []
    assert len(sent) > 95
    refused = Counter(code for o in outcomes for code in o.codes)
    assert set(refused) <= {"INVALID_TEMPLATE", "CURL_UNSUPPORTED_OPTION"}


def test_a_tool_with_parameters_sends_the_same_when_nothing_is_given(
    session: Session, recorder: Recorder
) -> None:
    outcomes = run_all(MODES, session, recorder, parameters="auto")
    for outcome in outcomes:
        assert outcome.preview.definition is not None, outcome.preview.problems
        assert outcome.curl is not None
        assert outcome.tool is not None
    assert wrong(outcomes) == []
