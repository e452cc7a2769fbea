from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.clip import _tokenizer, clip
from sparknb.core.two_ends import MARKER, both_ends


def count(text: str) -> int:
    """Count with the tokenizer itself, which takes 50,000 characters of any kind."""
    encoding = _tokenizer()
    parts = [text[i : i + 50_000] for i in range(0, len(text), 50_000)]
    return sum(len(encoding.encode_ordinary(part)) for part in parts)


def parts_of(text: str) -> tuple[str, str]:
    head, marker, tail = text.partition(MARKER)
    assert marker
    return head, tail


def test_a_text_within_the_budget_is_unchanged() -> None:
    for text in ("", "a", "a" * 8000, "hello world " * 3000, " " * 500_000):
        assert clip(text) == (text, False)


def test_a_long_text_keeps_its_two_ends_around_a_line_of_its_own() -> None:
    text = " ".join(f"word{n}" for n in range(20_000))
    clipped, is_cut = clip(text)
    head, tail = parts_of(clipped)
    assert is_cut
    assert count(clipped) <= 8000
    assert text.startswith(head)
    assert text.endswith(tail)
    # 60 % of what the marker leaves
    assert count(head) == pytest.approx(0.6 * (8000 - count(MARKER)), abs=3)
    assert count(tail) == pytest.approx(0.4 * (8000 - count(MARKER)), abs=3)


def test_what_looks_like_a_special_token_is_text() -> None:
    text = "before <|endoftext|> after <|endofprompt|>\n" * 4000
    clipped, is_cut = clip(text)
    assert is_cut
    assert count(clipped) <= 8000
    assert "<|endoftext|>" in clipped


@pytest.mark.parametrize(
    "text",
    [
        "😀" * 300_000,
        "👩‍👩‍👧‍👦" * 20_000,
        "日本語" * 100_000,
        " " * 2_000_000,
        "a" * 1_500_000,
        "\n" * 100_000,
        "aé日😀\n" * 200_000,
        "e\u0301" * 100_000,
    ],
    ids=lambda text: ascii(text[:4]),
)
def test_no_character_is_cut_in_half_in_texts_of_any_size(text: str) -> None:
    clipped, is_cut = clip(text, 1000)
    assert is_cut
    assert count(clipped) <= 1000
    head, tail = clipped.split("…[truncated middle]…")
    assert text.startswith(head.removesuffix("\n"))
    assert text.endswith(tail.removeprefix("\n"))
    assert "\ufffd" not in clipped


def test_small_budgets_leave_out_what_has_no_room() -> None:
    text = "one two three four five six seven eight nine ten " * 4
    marker = count(MARKER)
    assert clip(text, 0) == ("", True)
    assert clip("", 0) == ("", False)
    for budget in range(1, marker + 1):
        head, is_cut = clip(text, budget)
        assert is_cut
        assert head
        assert text.startswith(head)
        assert count(head) <= budget
    only_head, _ = clip(text, marker + 1)
    assert only_head == f"one{MARKER}"
    both, _ = clip(text, marker + 2)
    head, tail = parts_of(both)
    assert head == "one"
    assert count(tail) <= 1


def test_half_a_surrogate_pair_is_counted_as_something() -> None:
    clipped, is_cut = clip("\ud800" + "word " * 100, 20)
    assert is_cut
    clipped.encode()


_ROUGH = st.text(
    st.sampled_from(
        ["a", " ", "\n", "é", "日", "😀", "\u0301", "\u200d", "<", "|", "1"]
    ),
    min_size=20,
    max_size=300,
)


@given(_ROUGH, st.integers(0, 60))
def test_any_text_ends_within_any_budget(text: str, budget: int) -> None:
    clipped, is_cut = clip(text, budget)
    assert count(clipped) <= budget
    assert is_cut is (clipped != text)
    assert is_cut is (count(text) > budget)


# ------------------------------------------------------------------ both_ends
@pytest.fixture
def letters() -> Callable[[int], list[str]]:
    return lambda count: [chr(97 + n % 26) for n in range(count)]


@pytest.mark.parametrize("length", [0, 1, 5, 9, 10])
def test_pieces_that_fit_are_joined(
    length: int, letters: Callable[[int], list[str]]
) -> None:
    pieces = letters(length)
    assert both_ends(pieces, 5) == "".join(pieces)


def test_beyond_both_ends_a_marker_stands(
    letters: Callable[[int], list[str]],
) -> None:
    pieces = letters(26)
    assert both_ends(pieces, 5) == f"abcde{MARKER}vwxyz"


def test_a_piece_is_never_cut() -> None:
    assert both_ends(["a" * 9, "b", "c" * 9, "d" * 9], 5) == (
        f"{'a' * 9}{MARKER}{'d' * 9}"
    )
    assert both_ends(["a" * 9, "c" * 9], 5) == "a" * 9 + "c" * 9
