"""Hostile programs in both sandboxes: what each may reach, keep and cost.

The attacks are stored past all checks of a save, as who edits the registry would. They
run once, against one host; each test looks at what became of some of them.
"""

import asyncio
import json
import re
from collections.abc import Iterator

import pytest

from tests.security.attacks import ATTACKS, SENTINEL, Attack
from tests.security.campaign import Campaign, private_machine, run_attacks


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    root = tmp_path_factory.mktemp("attacks")
    with private_machine(root):
        yield asyncio.run(run_attacks(root, ATTACKS))


LOOKED_AT: set[str] = set()


def attacks(*groups: str) -> pytest.MarkDecorator:
    """Run a test for each attack of these groups."""
    LOOKED_AT.update(groups)
    found = [attack for attack in ATTACKS if attack.group in groups]
    assert {attack.group for attack in found} == set(groups)
    return pytest.mark.parametrize("attack", found, ids=str)


def require_end(campaign: Campaign, attack: Attack) -> None:
    """Say whether the call ended with its code and its reason, within its time."""
    result = campaign.results[attack]
    shown = f"{result.error_code}: {result.text[:500]}"
    assert result.error_code == attack.code, shown
    assert re.search(attack.said, result.text, re.IGNORECASE | re.DOTALL), shown
    assert "fault of sparknb" not in result.text
    assert campaign.seconds[attack] < attack.seconds


# -------------------------------------------------------------- what it may reach
@attacks("files")
def test_a_program_reads_and_writes_no_file(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("imports", "parsing")
def test_a_program_loads_no_other_module(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("machine")
def test_a_program_sees_nothing_of_the_machine(
    campaign: Campaign, attack: Attack
) -> None:
    require_end(campaign, attack)


@attacks("network")
def test_a_program_connects_to_nothing(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("processes")
def test_a_program_starts_nothing(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("stores")
def test_a_program_keeps_nothing(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("text_as_code")
def test_typescript_runs_no_text_as_code(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("insides")
def test_a_program_does_not_climb_out(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("channel")
def test_a_program_does_not_speak_for_the_host(
    campaign: Campaign, attack: Attack
) -> None:
    require_end(campaign, attack)


@attacks("tools")
def test_a_program_calls_only_what_it_may(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


# ---------------------------------------------------------------- what it may cost
@attacks("memory")
def test_memory_is_bounded(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("time")
def test_time_is_bounded(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("depth")
def test_depth_is_bounded(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


@attacks("endings")
def test_however_it_ends_it_is_told_plainly(campaign: Campaign, attack: Attack) -> None:
    require_end(campaign, attack)


# ------------------------------------------------------------------------ all of it
def test_every_attack_is_looked_at_and_has_a_name_of_its_own() -> None:
    names = [str(attack) for attack in ATTACKS]
    assert len(set(names)) == len(names) >= 60
    groups = {attack.group for attack in ATTACKS}
    assert groups == LOOKED_AT


def test_no_result_shows_what_the_attacks_were_after(campaign: Campaign) -> None:
    for attack, result in campaign.results.items():
        assert SENTINEL not in result.text, attack
        assert SENTINEL not in result.printed, attack


def test_what_comes_out_is_bounded(campaign: Campaign) -> None:
    for attack, result in campaign.results.items():
        assert len(result.text.encode()) < 200_000, attack
        assert len(result.printed.encode()) < 65_536 + 200, attack


def test_the_value_of_a_result_is_json_for_everybody(campaign: Campaign) -> None:
    for result in campaign.results.values():
        text = json.dumps(result.data, allow_nan=False, ensure_ascii=False)
        assert json.loads(text.encode()) == result.data


def test_the_host_itself_holds_little(campaign: Campaign) -> None:
    assert campaign.grown < 1024 * 1024 * 1024


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_good_program_runs_after_all_of_them(
    campaign: Campaign, language: str
) -> None:
    result = campaign.good[language]
    assert (result.error_code, result.text) == (None, "good")


def test_nothing_is_left_on_the_disk(campaign: Campaign) -> None:
    assert campaign.made == set()


def test_no_process_is_left(campaign: Campaign) -> None:
    assert campaign.left == []


def test_nobody_was_connected_to(campaign: Campaign) -> None:
    assert campaign.connections == 0
