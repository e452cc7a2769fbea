"""What a tool may reach (ST-54 to ST-57), seen from the runtime."""

import asyncio
import socket
from typing import Any

import pytest

from sparknb.core.addresses import leads_home
from sparknb.core.errors import DeniedError, SparknbError, UnreachableError
from sparknb.runtimes.guard import resolve_name
from tests.runtimes.wire import Names, Peer, http_tool, reply, run, runtime

ANY = "0.0.0.0"  # noqa: S104  # asked for, never listened on
PUBLIC = "93.184.216.34"


def refused(url: str, allow: bool | None, names: Names | None = None) -> SparknbError:
    """Give the error of a call that cannot succeed."""
    tool = http_tool(url, allow_private_network=allow)
    with pytest.raises(SparknbError) as caught:
        asyncio.run(run(tool, resolve=names or Names({})))
    return caught.value


# ------------------------------------------------------- by what the URL says
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "100.100.100.200",
        ANY,
        "0",
        "2130706433",
        "017700000001",
        "0x7f.1",
        "0251.254.0xa9.254",
        "１２７.0.0.1",
        "①②⑦.⓪.⓪.①",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::]",
        "[::ffff:7f00:1]",
        "[::ffff:10.0.0.1]",
        "[::10.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[2002:7f00:1::]",
        "[fc00::1]",
        "[fe80::1]",
        "metadata.google.internal",
        "METADATA.goog.",
        "localhost",
        "LOCALHOST.",
        "db.localhost",
        "1.2.3.4.5",
        "256.1.1.1",
    ],
)
def test_without_private_networks_a_private_literal_is_denied_without_a_question(
    host: str,
) -> None:
    names = Names({})
    error = refused(f"http://{host}/", allow=False, names=names)
    assert isinstance(error, DeniedError)
    assert names.asked == []


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "169.254.169.254.",
        "100.100.100.200",
        "168.63.129.16",
        "[fd00:ec2::254]",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::a9fe:a9fe]",
        "metadata",
        "Metadata.Google.Internal",
        "instance-data.ec2.internal.",
    ],
)
def test_metadata_is_denied_by_default_and_tried_when_asked_for(host: str) -> None:
    denied = refused(f"http://{host}/", allow=None)
    assert isinstance(denied, DeniedError)
    assert denied.hint is not None
    assert "allowPrivateNetwork" in denied.hint
    tried = refused(f"http://{host}/", allow=True)
    assert isinstance(tried, UnreachableError)


def test_loopback_works_by_default_and_when_asked_for() -> None:
    async def main() -> None:
        async with Peer([reply("hello")]) as peer:
            for host in ("127.0.0.1", "127.1", "2130706433", "0x7f000001"):
                for allow in (None, True):
                    url = peer.url(host=host)
                    tool = http_tool(url, allow_private_network=allow)
                    assert (await run(tool)).text == "hello"
                assert peer.seen[-1].headers["host"] == f"{host}:{peer.port}"

    asyncio.run(main())


def test_ipv6_works_with_its_brackets() -> None:
    async def main() -> None:
        try:
            peer = await Peer(host="::1").__aenter__()
        except OSError:
            pytest.skip("this machine has no IPv6")
        await run(http_tool(peer.url(host="[::1]")))
        await peer.__aexit__(None, None, None)
        assert peer.seen[0].headers["host"] == f"[::1]:{peer.port}"

    asyncio.run(main())


# ---------------------------------------------------- by what a name resolves to
@pytest.mark.parametrize(
    ("addresses", "allow"),
    [
        (["10.1.2.3"], False),
        (["127.0.0.1"], False),
        ([PUBLIC, "10.1.2.3"], False),
        (["fd00::1", PUBLIC], False),
        (["::ffff:10.0.0.1"], False),
        (["64:ff9b::7f00:1"], False),
        (["fe80::1%2"], False),
        (["169.254.169.254"], False),
        (["169.254.169.254"], None),
        ([PUBLIC, "169.254.169.254"], None),
        (["fd00:ec2::254"], None),
    ],
)
def test_a_name_with_one_blocked_address_is_denied_before_any_connection(
    addresses: list[str], allow: bool | None
) -> None:
    error = refused("http://inside.test/", allow, Names({"inside.test": [addresses]}))
    assert isinstance(error, DeniedError)
    assert "inside.test is " in str(error)


def test_localhost_works_by_default_and_is_denied_to_public_tools() -> None:
    async def main() -> None:
        async with Peer() as peer:
            url = peer.url(host="localhost")
            await run(http_tool(url))
            with pytest.raises(DeniedError):
                await run(http_tool(url, allow_private_network=False))
        assert len(peer.seen) == 1

    asyncio.run(main())


def test_a_public_address_is_tried() -> None:
    names = Names({"api.test": [[PUBLIC]]})
    for host in ("api.test", PUBLIC, "172.32.0.1", "[2606:4700::1]"):
        error = refused(f"http://{host}/", allow=False, names=names)
        assert isinstance(error, UnreachableError)
        assert f"no connection to {host}:80" in str(error)


def test_only_the_first_checked_answer_is_ever_connected_to() -> None:
    """A name server that answers differently the second time gains nothing."""

    async def main() -> None:
        async with Peer() as peer:
            names = Names({"rebind.test": [[PUBLIC], ["127.0.0.1"]]})
            url = peer.url(host="rebind.test")
            with pytest.raises(UnreachableError):
                await run(http_tool(url, allow_private_network=False), resolve=names)
            assert names.asked == ["rebind.test"]
            assert peer.connections == 0

            names = Names({"rebind.test": [["127.0.0.1"], ["169.254.169.254"]]})
            used = runtime(resolve=names)
            for _ in range(3):
                await run(http_tool(url), on=used)
            await used.close()
            assert names.asked == ["rebind.test"]
            assert peer.connections == 1
            assert peer.seen[0].headers["host"] == f"rebind.test:{peer.port}"

    asyncio.run(main())


@pytest.mark.parametrize("answers", [[[]], [["no address"]], None])
def test_a_name_without_an_address_is_unreachable(answers: Any) -> None:
    names = Names({} if answers is None else {"nx.test": answers})
    error = refused("http://nx.test/", None, names)
    assert isinstance(error, UnreachableError)
    assert "nx.test cannot be resolved" in str(error)


def test_one_address_that_refuses_does_not_stop_the_next() -> None:
    async def main() -> None:
        async with Peer() as peer:
            names = Names({"two.test": [["::1", "127.0.0.1", "::1"]]})
            await run(http_tool(peer.url(host="two.test")), resolve=names)
        assert len(peer.seen) == 1

    asyncio.run(main())


def test_a_policy_never_uses_a_connection_of_another() -> None:
    async def main() -> None:
        async with Peer() as peer:
            names = Names({"shop.test": [["127.0.0.1"]]})
            used = runtime(resolve=names)
            url = peer.url(host="shop.test")
            await run(http_tool(url, allow_private_network=True), on=used)
            with pytest.raises(DeniedError):
                await run(http_tool(url, allow_private_network=False), on=used)
            await run(http_tool(url), on=used)
            await used.close()
        assert len(peer.seen) == 2
        assert peer.connections == 2

    asyncio.run(main())


def test_two_names_of_one_address_never_share_a_connection() -> None:
    async def main() -> None:
        async with Peer() as peer:
            names = Names({"a.test": [["127.0.0.1"]], "b.test": [["127.0.0.1"]]})
            used = runtime(resolve=names)
            for host in ("a.test", "b.test", "a.test"):
                await run(http_tool(peer.url(host=host)), on=used)
            await used.close()
        assert peer.connections == 2

    asyncio.run(main())


# ------------------------------------------------------------------- the system
def test_the_system_resolves_local_names_to_addresses() -> None:
    found = asyncio.run(resolve_name("localhost", 80))
    assert set(found) <= {"127.0.0.1", "::1"}
    assert found


@pytest.mark.parametrize("name", ["nowhere.test", "a" * 64 + ".test", "a..test"])
def test_the_system_refuses_names_it_cannot_find(name: str) -> None:
    with pytest.raises((OSError, ValueError)):
        asyncio.run(resolve_name(name, 80))
    error = refused(f"http://{name}/", None) if ".." not in name else None
    assert error is None or error.code in {"UNREACHABLE", "INVALID_TEMPLATE"}


def test_a_name_server_that_does_not_answer_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import threading

    asked, released = threading.Event(), threading.Event()

    def slow(*_: Any, **__: Any) -> Any:
        asked.set()
        released.wait(30)
        return [(None, None, None, "", ("127.0.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", slow)

    async def main() -> None:
        used = runtime()
        call = used.prepare(http_tool("http://slow.test/"), {}).run({})
        task = asyncio.create_task(call)
        while not asked.is_set():  # noqa: ASYNC110  # set in another thread
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await used.close()

    asyncio.run(main())  # would wait for a thread of the loop's own pool
    assert not released.is_set()

    async def late() -> None:
        task = asyncio.create_task(resolve_name("slow.test", 80))
        await asyncio.sleep(0)
        task.cancel()
        released.set()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(asked.wait)
        await asyncio.sleep(0)

    asyncio.run(late())  # an answer nobody waits for is thrown away


def test_home_is_told_by_spelling_alone() -> None:
    for host in ("localhost", "localhost.", "x.localhost", "127.9.9.9", "[::1]", ANY):
        assert leads_home(host)
    for host in ("localhost.test", "10.0.0.1", "notlocalhost"):
        assert not leads_home(host)
