import pytest

from sparknb.importers.curl import read_curl
from tests.importers.curl.previews import URL, notices, request


@pytest.mark.parametrize(
    ("option", "named"),
    [("-u a:b", "-u is left out"), ("--oauth2-bearer t", "--oauth2-bearer is left")],
)
def test_the_option_that_a_header_overrules_is_named(option: str, named: str) -> None:
    found = read_curl(f"curl {URL} {option} -H 'Authorization: x'")
    assert named in notices(found)


@pytest.mark.parametrize(
    ("value", "sent", "is_told"),
    [("5", "5-", False), ("05", "5-", False), ("5,9", "5-", True), ("5x", "5-", True)],
)
def test_a_range_without_a_dash_goes_to_the_end(
    value: str, sent: str, *, is_told: bool
) -> None:
    text = f"curl {URL} -r {value}"
    assert request(text)["headers"] == [
        {"name": "Range", "valueTemplate": f"bytes={sent}"}
    ]
    assert ("no dash" in notices(read_curl(text))) == is_told


def test_a_placeholder_stays_in_a_range() -> None:
    for value in ("{{from}}", "5{{rest}}", "{{from}}-{{to}}"):
        (header,) = request(f"curl {URL} -r '{value}'")["headers"]
        assert header["valueTemplate"] == f"bytes={value}"
