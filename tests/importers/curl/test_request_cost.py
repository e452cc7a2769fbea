"""What an import of a command costs, also of a hostile one."""

import json
import random

import pytest

from sparknb.importers.curl import read_curl
from tests.costs import cpu_seconds
from tests.importers.curl.previews import URL, refusals


def test_a_browsers_command_takes_less_than_20_ms() -> None:
    headers = " ".join(f"-H 'x-header-{n}: some value {n}; q=0.{n}'" for n in range(20))
    body = json.dumps({f"key{n}": [n, {"v": "text " * 5}] for n in range(40)})
    text = (
        f"curl '{URL}?a=1&b=2' {headers} -H 'Authorization: Bearer x' --json '{body}'"
    )
    assert cpu_seconds(lambda: read_curl(text)) < 0.02
    assert cpu_seconds(lambda: read_curl(text, parameters="auto")) < 0.02


@pytest.mark.parametrize(
    "piece", ["{", "[", '{"a":', "a=1&", "{{", "%", '"', "\\", "1,", '\\"']
)
def test_long_bodies_take_time_in_proportion(piece: str) -> None:
    def work(length: int) -> float:
        body = (piece * length)[:length].replace("'", "")
        return cpu_seconds(
            lambda: read_curl(f"curl {URL} --data-raw '{body}'", parameters="auto"),
            runs=2,
        )

    assert work(32_000) < 12 * work(4000) + 0.02


def test_random_bytes_of_text_are_answered() -> None:
    chance = random.Random(3)  # noqa: S311  # nothing here is secret
    for _ in range(200):
        text = "".join(chance.choice("curl -dHXG'\"{}[]%=&?/:@$ a1") for _ in range(80))
        found = read_curl(f"curl a.test {text}", parameters="auto")
        assert (found.definition is None) == bool(found.problems)


def test_a_paste_of_ten_megabytes_is_refused_at_once() -> None:
    text = f"curl {URL} -d '{'x' * 10_000_000}'"
    assert cpu_seconds(lambda: read_curl(text), runs=1) < 1
    assert [code for code, _ in refusals(text)] == ["CURL_SYNTAX"]
