"""Where an imported tool is called."""

from typing import Any

import pytest

from tests.importers.openapi.documents import draft_of, imported, parameter, skip_of

WORD = "FAKEpw0009"


def url_of(servers: Any, path: str = "/things", **more: Any) -> str:
    made = draft_of({}, path, servers=servers, **more)
    return str(made.definition["spec"]["request"]["urlTemplate"])


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("https://a.test", "https://a.test/things"),
        ("https://a.test/", "https://a.test/things"),
        ("https://a.test/v1/", "https://a.test/v1/things"),
        ("https://a.test/v1//", "https://a.test/v1//things"),
        ("HTTPS://A.test:8443/v1", "https://A.test:8443/v1/things"),
        ("http://[::1]:80/x", "http://[::1]:80/x/things"),
        ("https://bücher.test/ü ", "https://bücher.test/ü/things"),
        ("https://a.test/a b/%20/%zz", "https://a.test/a%20b/%20/%25zz/things"),
        ("https://a.test/v1/../../admin", "https://a.test/admin/things"),
        ("https://a.test/./v1/.", "https://a.test/v1/things"),
    ],
)
def test_path_and_server_meet_at_one_slash(server: str, expected: str) -> None:
    assert url_of([{"url": server}]) == expected


@pytest.mark.parametrize(
    "server",
    [
        "ftp://a.test",
        "wss://a.test",
        "file:///etc",
        "javascript:alert(1)//",
        f"https://user:{WORD}@a.test",
        f"https://a.test@{WORD.lower()}.test",
        f"https://a.test/?key={WORD}",
        f"https://a.test/#{WORD}",
        "https://",
        "https://a..test",
        "https://a.test:0",
        "https://a.test:99999",
        "https://a b.test",
        "https://a.test\\@b.test",
        "https://{host}/",
        "https://a.test/{",
        "/relative",
        "relative",
        "//a.test/v1",
        "localhost:8080/v1",
        "",
        5,
    ],
)
def test_what_no_tool_can_call_is_skipped_without_repeating_it(server: Any) -> None:
    skip = skip_of({}, servers=[{"url": server}])
    assert skip.reason == "NO_SERVER"
    assert WORD.lower() not in str(skip.to_wire()).lower()


def test_variables_take_their_defaults() -> None:
    variables = {
        "region": {"default": "eu", "enum": ["eu", "us"]},
        "stage": {"default": 2},
        "odd": {"default": "{region}"},
    }
    server = {"url": "https://{region}.a.test/{stage}/", "variables": variables}
    assert url_of([server]) == "https://eu.a.test/2/things"
    left = {"url": "https://a.test/{odd}", "variables": variables}
    assert skip_of({}, servers=[left]).reason == "NO_SERVER"
    for broken in ({}, {"enum": ["x"]}, {"default": None}, "x"):
        given = {"url": "https://a.test/{v}", "variables": {"v": broken}}
        assert skip_of({}, servers=[given]).reason == "NO_SERVER"


def test_the_nearest_server_counts_and_of_these_the_first() -> None:
    def at(*urls: str) -> dict[str, Any]:
        return {"servers": [{"url": url} for url in urls]}

    made = imported(
        {
            "/a": {"get": at("https://op.test", "https://x.test"), **at("https://p.t")},
            "/b": {"get": {}, **at("https://path.test")},
            "/c": {"get": at(), **at()},
        }
    )
    urls = [d.definition["spec"]["request"]["urlTemplate"] for d in made.drafts]
    assert urls == [
        "https://op.test/a",
        "https://path.test/b",
        "https://api.test/v1/c",
    ]


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("/v2", "http://docs.test:8080/v2/things"),
        ("../v3/", "http://docs.test:8080/v3/things"),
        (".", "http://docs.test:8080/api/things"),
        ("//other.test/x", "http://other.test/x/things"),
        ("/", "http://docs.test:8080/things"),
    ],
)
def test_relative_servers_count_from_the_address_of_the_document(
    server: str, expected: str
) -> None:
    url = "http://docs.test:8080/api/openapi.json?x=1"
    assert url_of([{"url": server}], url=url) == expected


def test_a_document_without_servers_means_the_host_that_it_came_from() -> None:
    url = "http://docs.test:8080/api/openapi.json"
    assert url_of([], url=url) == "http://docs.test:8080/things"
    assert skip_of({}, servers=[]).reason == "NO_SERVER"


def test_a_base_url_takes_the_place_of_every_server() -> None:
    paths = {
        "/a": {"get": {}, "servers": [{"url": "ftp://x"}]},
        "/b": {"get": {"servers": [{"url": "https://other.test"}]}},
    }
    made = imported(paths, base_url=" http://127.0.0.1:8000/base/ ")
    urls = [d.definition["spec"]["request"]["urlTemplate"] for d in made.drafts]
    assert urls == ["http://127.0.0.1:8000/base/a", "http://127.0.0.1:8000/base/b"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/l//double", "https://a.test/l//double"),
        ("/m?fixed=1", "https://a.test/m?fixed=1&q={{q}}"),
        ("/x(1)/$a:b@c,d", "https://a.test/x(1)/$a:b@c,d"),
        ("/a b/}{/ü", "https://a.test/a%20b/%7D%7B/ü"),
        ('/"<>^`|\\', "https://a.test/%22%3C%3E%5E%60%7C%5C"),
        ("/100%", "https://a.test/100%25"),
        ("/doc#part", "https://a.test/doc"),
    ],
)
def test_the_path_is_sent_as_it_stands(path: str, expected: str) -> None:
    made = draft_of(
        {"parameters": [parameter("q")]}, path, servers=[{"url": "https://a.test"}]
    )
    url = made.definition["spec"]["request"]["urlTemplate"]
    assert url == (expected if "?" in expected else f"{expected}?q={{{{q}}}}")


def test_a_fragment_of_a_path_is_told() -> None:
    made = draft_of({}, "/doc#part")
    assert "behind #" in made.notices[0].message


def test_a_url_that_is_too_long_is_skipped() -> None:
    assert skip_of({}, "/" + "a" * 2000).reason == "TOO_LONG"
    many = [parameter(f"{'x' * 60}{n}") for n in range(30)]
    assert skip_of({"parameters": many}).reason == "TOO_LONG"
