"""What programs and servers say of themselves, as one line of ours."""

import pytest

from sparknb.runtimes.refusals import one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("no such city", "no such city"),
        ("größer als 5 日本\u3000語 🙂", "größer als 5 日本\u3000語 🙂"),
        ("a\nprinted:\nb", r"a\nprinted:\nb"),
        ("a\r\nb\tc\x1b[31m\x00\x7f\x85", r"a\r\nb\tc\x1b[31m\x00\x7f\x85"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("to\u202eleft\u200b\ufeff\U000e0041", r"to\u202eleft\u200b\ufeff\U000e0041"),
        ("half \ud83d", r"half \ud83d"),
    ],
)
def test_a_line_has_no_breaks_and_nothing_that_is_not_seen(
    text: str, line: str
) -> None:
    assert one_line(text) == line


def test_a_line_is_at_most_as_long_as_it_may_be_and_says_where_it_is_cut() -> None:
    assert one_line("x" * 10, limit=10) == "x" * 10
    assert one_line("x" * 11, limit=10) == "x" * 9 + "…"
    assert one_line("\n" * 10, limit=10) == r"\n" * 4 + r"\…"
    assert len(one_line("\x00" * 10_000_000)) == 2000
