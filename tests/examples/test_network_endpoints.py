"""Slow, failing, moving, huge and compressed answers."""

import gzip
import json
import zlib

import httpx
import pytest

from sparknb.examples import ExampleService, serve_examples


def test_a_slow_answer_comes_after_its_time(client: httpx.Client) -> None:
    answer = client.get("/slow?ms=120")
    assert answer.json() == {"waited_ms": 120}
    assert answer.elapsed.total_seconds() >= 0.12


def test_a_slow_answer_can_be_too_slow_for_a_client(client: httpx.Client) -> None:
    with pytest.raises(httpx.ReadTimeout):
        client.get("/slow?ms=60000", timeout=0.1)


@pytest.mark.parametrize("code", [200, 204, 304, 404, 418, 500, 599])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_any_status_can_be_had(client: httpx.Client, code: int, method: str) -> None:
    answer = client.request(method, f"/status/{code}")
    assert answer.status_code == code
    assert (answer.content == b"") == (code in (204, 304))


@pytest.mark.parametrize("code", ["100", "199", "600", "-1", "ok"])
def test_no_other_status_can_be_had(client: httpx.Client, code: str) -> None:
    assert client.get(f"/status/{code}").status_code == 422


def test_a_flaky_answer_fails_first_for_each_key(client: httpx.Client) -> None:
    def codes(key: str) -> list[int]:
        path = f"/flaky?key={key}&failures=2"
        return [client.get(path).status_code for _ in range(4)]

    assert codes("one") == [503, 503, 200, 503]
    assert codes("two") == [503, 503, 200, 503]


def test_the_keys_of_flaky_answers_are_bounded() -> None:
    with (
        serve_examples() as service,
        httpx.Client(base_url=service.url, trust_env=False) as client,
    ):
        for number in range(1000):
            client.get(f"/flaky?key={number}")
        answer = client.get("/flaky?key=one-more")
        assert answer.json()["error"]["code"] == "TOO_MANY_KEYS"
        assert client.get("/flaky?key=7").json()["error"]["code"] == "FLAKY"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_chain_of_redirects_ends_as_the_status_says(
    client: httpx.Client, status: int
) -> None:
    path = f"/redirect/chain/3?status={status}"
    answer = client.post(path, content=b"x", follow_redirects=True)
    assert [hop.status_code for hop in answer.history] == [status] * 3
    method = "POST" if status in (307, 308) else "GET"
    assert answer.json() == {"arrived": True, "method": method}


def test_a_loop_has_no_end(client: httpx.Client) -> None:
    with pytest.raises(httpx.TooManyRedirects):
        client.get("/redirect/loop", follow_redirects=True)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("port", "{other}/echo"),
        ("host", "http://localhost:{port}/echo"),
        ("https", "https://127.0.0.1:{port}/echo"),
        ("ftp", "ftp://127.0.0.1:{port}/echo"),
        ("file", "file:///etc/hostname"),
        ("user", "http://somebody:something@127.0.0.1:{port}/echo"),
        ("metadata", "http://169.254.169.254/latest/meta-data/"),
    ],
)
def test_a_redirect_can_lead_elsewhere(
    client: httpx.Client, example_service: ExampleService, place: str, expected: str
) -> None:
    answer = client.put(f"/redirect/elsewhere/{place}?status=307")
    port, other = example_service.port, example_service.other_url
    assert answer.status_code == 307
    assert answer.headers["location"] == expected.format(port=port, other=other)


def test_a_redirect_can_be_unreadable(client: httpx.Client) -> None:
    with pytest.raises(httpx.RemoteProtocolError, match="location"):
        client.get("/redirect/elsewhere/broken")


def test_a_redirect_can_lead_nowhere(client: httpx.Client) -> None:
    answer = client.get("/redirect/elsewhere/nowhere")
    assert (answer.status_code, "location" in answer.headers) == (302, False)


def test_the_other_port_is_the_same_service(
    client: httpx.Client, example_service: ExampleService
) -> None:
    answer = client.get("/redirect/elsewhere/port", follow_redirects=True)
    assert answer.url == f"{example_service.other_url}/echo"
    assert answer.json()["method"] == "GET"


def test_a_redirect_goes_to_any_printable_address(client: httpx.Client) -> None:
    query = {"url": "ftp://127.0.0.1/x?y"}
    assert client.get("/redirect/to", params=query).headers["location"] == query["url"]
    split = client.get("/redirect/to", params={"url": "/x\r\nSet-Cookie: a=b"})
    assert (split.status_code, "set-cookie" in split.headers) == (422, False)


@pytest.mark.parametrize("size", [0, 1, 65_536, 300_001])
def test_a_huge_answer_has_the_size_asked_for(client: httpx.Client, size: int) -> None:
    answer = client.get("/huge", params={"bytes": size})
    assert len(answer.content) == size == int(answer.headers["content-length"])


def test_no_answer_is_larger_than_64_mebibytes(client: httpx.Client) -> None:
    assert client.get("/huge?bytes=67108865").status_code == 422


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_json_unpacks_to_cities(client: httpx.Client, encoding: str) -> None:
    with client.stream("GET", "/compressed", params={"encoding": encoding}) as answer:
        packed = b"".join(answer.iter_raw())
    unpack = gzip.decompress if encoding == "gzip" else zlib.decompress
    assert answer.headers["content-encoding"] == encoding
    assert len(json.loads(unpack(packed))) == 50


def test_a_bomb_is_small_outside_and_large_inside(client: httpx.Client) -> None:
    with client.stream("GET", "/bomb?megabytes=8") as answer:
        packed = b"".join(answer.iter_raw())
    assert len(packed) < 20_000
    assert len(gzip.decompress(packed)) == 8 * 1_048_576


def test_an_endless_answer_flows_drop_by_drop(client: httpx.Client) -> None:
    with client.stream("GET", "/endless?ms=1") as answer:
        lines = answer.iter_lines()
        assert [next(lines), next(lines)] == ["drop 0", "drop 1"]
