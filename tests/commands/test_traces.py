from datetime import UTC, datetime, timedelta

import pytest

from sparknb.commands.traces import read_since
from sparknb.core.errors import UsageError

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("30m", timedelta(minutes=30)),
        ("12h", timedelta(hours=12)),
        ("7d", timedelta(days=7)),
        ("0m", timedelta()),
    ],
)
def test_a_span_counts_back_from_now(text: str, ago: timedelta) -> None:
    assert read_since(text, NOW) == NOW - ago


def test_a_time_with_a_zone_is_that_time() -> None:
    found = read_since("2026-11-30T14:00:00+02:00", NOW)
    assert found == NOW
    assert found.tzinfo is UTC


def test_a_time_without_a_zone_is_the_persons_own() -> None:
    here = datetime(2026, 11, 30).astimezone()  # the person's own zone
    assert read_since("2026-11-30", NOW) == here


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "7w", "-1d", "1.5h", "9999999d", "999999d", "٣d", "7d\n"],
)
def test_what_is_no_time_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_since(text, NOW)
    assert caught.value.path == "--since"
    assert caught.value.hint
