"""The shapes of literal secrets."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.secret_scan import (
    contains_secret,
    has_original_shape,
    mask_secrets,
)
from tests.costs import cpu_seconds

W = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # 36 letters and digits
UPPER = "ABCDEFGH12345678"

ORIGINAL = [
    f"sk-{W[:16]}",
    f"sk-proj-{W[:5]}_{W[:5]}-{W[:5]}",
    f"AKIA{UPPER}",
    f"ghp_{W[:20]}",
    f"gho_{W[:20]}",
    f"xoxb-{W[:10]}",
    f"xoxs-1-2-3-{W[:4]}",
    f"Bearer {W[:20]}",
    f"bEARER \t\n {W[:10]}.~+/-{W[:10]}==",
    f"Bearer\u00a0{W[:20]}",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGINPRIVATE KEY-----",
]
ADDED = [
    f"ghu_{W[:20]}",
    f"ghs_{W[:20]}",
    f"ghr_{W[:20]}",
    f"github_pat_{W[:11]}_{W[:10]}",
    f"glpat-{W[:20]}",
    f"AIza{W[:35]}",
    f"hf_{W[:30]}",
    f"sk_live_{W[:16]}",
]
HARMLESS = [
    "",
    f"sk-{W[:15]}",
    f"task-{W[:16]}",
    f"AKIA{UPPER}9",
    f"AKIA{UPPER.lower()}",
    f"ghp_{W[:19]}",
    f"ghp_{W[:20]}_",
    f"xoxc-{W[:10]}",
    f"xoxb-{W[:9]}",
    f"Bearer {W[:19]}",
    f"forbearer {W[:20]}",
    "Bearer {{token}}",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN rsa PRIVATE KEY-----",
    f"glpat-{W[:19]}",
    f"AIza{W[:34]}",
    f"hf_{W[:29]}",
    f"sk_test_{W[:16]}",
    "the sky is blue",
]


@pytest.mark.parametrize("secret", ORIGINAL + ADDED)
@pytest.mark.parametrize("frame", ["{}", "key={}", '"{}"', "é{}é", "Key: {};\n"])
def test_each_shape_is_found_and_masked(secret: str, frame: str) -> None:
    text = frame.format(secret)
    assert contains_secret(text)
    assert has_original_shape(text) == (secret in ORIGINAL)
    assert mask_secrets(text) == frame.format("[REDACTED]")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_similar_is_left_alone(text: str) -> None:
    assert not contains_secret(text)
    assert mask_secrets(text) == text


def test_every_secret_of_a_text_is_masked_with_any_mark() -> None:
    text = f"{ORIGINAL[0]} and {ADDED[0]} and {ORIGINAL[0]}"
    assert mask_secrets(text, r"\1") == r"\1 and \1 and \1"


@given(st.text(st.sampled_from("sk-AIza_ghpbearer \n0xo=BEGIN"), max_size=60))
def test_a_masked_text_holds_no_secret(text: str) -> None:
    assert not contains_secret(mask_secrets(text, "*"))


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "é",
        "sk-a ",
        "ghp_a ",
        "gh_",
        "bearer ",
        "bearer \n",
        "-----BEGIN ",
        "-----BEGINPRIVATE KEY----",
        "AIza",
        "-AIza",
        "github_pat_ ",
        "xoxb-a_",
    ],
)
def test_the_time_grows_with_the_text_only(piece: str) -> None:
    def cost(length: int, runs: int) -> float:
        text = (piece * length)[:length]
        return cpu_seconds(lambda: mask_secrets(text), runs=runs)

    assert cost(100_000, 1) < max(cost(5_000, 3), 0.0005) * 100


def test_long_runs_after_a_prefix_take_linear_time() -> None:
    for text in (
        "ghp_" + "a" * 1_000_000 + "_",
        "bearer" + " " * 1_000_000,
        "-----BEGIN" + "A" * 1_000_000,
    ):
        assert not contains_secret(text)
        # quadratic would be minutes
        assert cpu_seconds(partial(contains_secret, text), runs=1) < 5
