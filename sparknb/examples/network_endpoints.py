"""Endpoints that are slow, fail, move, or answer too much."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from sparknb.examples.answers import bytes_answer, json_answer, text_answer
from sparknb.examples.endpoint import Call, Endpoint, Refusal
from sparknb.examples.shapes import described, wire
from sparknb.examples.world import load_world

if TYPE_CHECKING:
    from starlette.responses import Response

__all__ = ["NETWORK_ENDPOINTS"]

ALL_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_CHUNK = 65_536
_MOST_FLAKY_KEYS = 1_000


@dataclass(frozen=True, slots=True)
class Pause:
    """How long to wait."""

    ms: int = described("Milliseconds.", default=1000, minimum=0, maximum=60_000)


@dataclass(frozen=True, slots=True)
class StatusCode:
    """Which status to answer with."""

    code: int = described("HTTP status.", minimum=200, maximum=599)


@dataclass(frozen=True, slots=True)
class Flakiness:
    """How often to fail before it works."""

    key: str = described("Counts for itself.", default="default", max_length=100)
    failures: int = described("Failures first.", default=2, minimum=0, maximum=100)


@dataclass(frozen=True, slots=True)
class Hops:
    """How many redirects are left."""

    hops: int = described("Redirects before the end.", minimum=0, maximum=100)


RedirectStatus = Literal[301, 302, 303, 307, 308]


@dataclass(frozen=True, slots=True)
class RedirectKind:
    """Which kind of redirect."""

    status: RedirectStatus = described("HTTP status.", default=302)


@dataclass(frozen=True, slots=True)
class RedirectTarget:
    """Where to and how."""

    url: str = described("Any address, absolute or relative.", max_length=2000)
    status: RedirectStatus = described("HTTP status.", default=302)


Elsewhere = Literal[
    "port", "host", "https", "ftp", "file", "user", "metadata", "broken", "nowhere"
]


@dataclass(frozen=True, slots=True)
class RedirectPlace:
    """A place that needs care."""

    place: Elsewhere = described("What is special about the target.")


@dataclass(frozen=True, slots=True)
class Amount:
    """How much to answer."""

    bytes: int = described(
        "Length of the answer.", default=10_485_760, minimum=0, maximum=67_108_864
    )


@dataclass(frozen=True, slots=True)
class Compression:
    """How to compress."""

    encoding: Literal["gzip", "deflate"] = described("Method.", default="gzip")


@dataclass(frozen=True, slots=True)
class BombSize:
    """What a small answer unpacks to."""

    megabytes: int = described("Unpacked size.", default=64, minimum=1, maximum=256)


@dataclass(frozen=True, slots=True)
class Drops:
    """An answer in drops; it ends after a minute at the latest."""

    ms: int = described("Pause between.", default=100, minimum=1, maximum=10_000)


async def _slow(call: Call) -> "Response":
    await asyncio.sleep(call.query.ms / 1000)
    return json_answer({"waited_ms": call.query.ms})


async def _status(call: Call) -> "Response":
    code: int = call.path.code
    if code in (204, 205, 304):
        return bytes_answer(b"", "", status=code)
    return text_answer(f"This answer has the status {code}.", status=code)


async def _flaky(call: Call) -> "Response":
    wish: Flakiness = call.query
    counts = call.shelf.failures
    if len(counts) >= _MOST_FLAKY_KEYS and wish.key not in counts:
        raise Refusal(429, "TOO_MANY_KEYS", "no more keys: use one of before")
    failed = counts.setdefault(wish.key, 0)
    if failed < wish.failures:
        counts[wish.key] += 1
        raise Refusal(
            503,
            "FLAKY",
            f"failure {failed + 1} of {wish.failures}",
            headers={"retry-after": "0"},
        )
    counts[wish.key] = 0
    return json_answer({"key": wish.key, "failures": wish.failures})


def _redirect(target: str, status: int = 302) -> "Response":
    return bytes_answer(b"", "", status=status, headers={"location": target})


async def _chain(call: Call) -> "Response":
    hops: int = call.path.hops
    if hops == 0:
        return json_answer({"arrived": True, "method": call.request.method})
    status: int = call.query.status
    return _redirect(f"/redirect/chain/{hops - 1}?status={status}", status)


async def _loop(_call: Call) -> "Response":
    return _redirect("/redirect/loop")


async def _redirect_to(call: Call) -> "Response":
    target: str = call.query.url
    if not target.isascii() or not target.isprintable():
        raise Refusal(422, "INVALID_REQUEST", "url must be printable ASCII")
    return _redirect(target, call.query.status)


async def _elsewhere(call: Call) -> "Response":
    url, other = call.shelf.url, call.shelf.other_url
    authority = url.removeprefix("http://")
    targets: dict[Elsewhere, str] = {
        "port": f"{other}/echo",
        "host": f"{url.replace('127.0.0.1', 'localhost')}/echo",
        "https": f"https://{authority}/echo",
        "ftp": f"ftp://{authority}/echo",
        "file": "file:///etc/hostname",
        "user": f"http://somebody:something@{authority}/echo",
        "metadata": "http://169.254.169.254/latest/meta-data/",
        "broken": "http://[::/echo",
    }
    if call.path.place == "nowhere":
        return bytes_answer(b"", "", status=302)
    return _redirect(targets[call.path.place], call.query.status)


def _lines(amount: int) -> "AsyncIterator[bytes]":
    line = b"The quick brown fox jumps over the lazy dog 0123456789 times.\n"
    chunk = (line * (_CHUNK // len(line) + 1))[:_CHUNK]

    async def chunks() -> AsyncIterator[bytes]:
        left = amount
        while left > 0:
            yield chunk[:left]
            left -= _CHUNK

    return chunks()


async def _huge(call: Call) -> "Response":
    from starlette.responses import StreamingResponse

    amount: int = call.query.bytes
    headers = {"content-length": str(amount), "content-type": "text/plain"}
    return StreamingResponse(_lines(amount), headers=headers)


async def _endless(call: Call) -> "Response":
    from starlette.responses import StreamingResponse

    async def drops() -> AsyncIterator[bytes]:
        for number in range(60_000 // call.query.ms):
            yield f"drop {number}\n".encode()
            await asyncio.sleep(call.query.ms / 1000)

    return StreamingResponse(drops(), headers={"content-type": "text/plain"})


async def _compressed(call: Call) -> "Response":
    import json

    encoding: str = call.query.encoding
    largest = [wire(city) for city in load_world().cities[:50]]
    plain = json.dumps(largest, ensure_ascii=False).encode()
    packed = (
        gzip.compress(plain, mtime=0) if encoding == "gzip" else zlib.compress(plain)
    )
    headers = {"content-encoding": encoding}
    return bytes_answer(packed, "application/json", headers=headers)


@lru_cache(maxsize=4)
def _bomb_bytes(megabytes: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    million = b"0" * 1_048_576
    parts = [packer.compress(million) for _ in range(megabytes)]
    return b"".join(parts) + packer.flush()


async def _bomb(call: Call) -> "Response":
    packed = await asyncio.to_thread(_bomb_bytes, call.query.megabytes)
    headers = {"content-encoding": "gzip"}
    return bytes_answer(packed, "text/plain", headers=headers)


NETWORK_ENDPOINTS = (
    Endpoint(
        path="/slow",
        operation="waitALittle",
        summary="Answer late",
        tag="network",
        handler=_slow,
        query_shape=Pause,
        answer=dict,
    ),
    Endpoint(
        path="/status/{code}",
        operation="answerWithStatus",
        summary="Answer with any status",
        tag="network",
        handler=_status,
        methods=ALL_METHODS,
        path_shape=StatusCode,
        answer="text/plain",
    ),
    Endpoint(
        path="/flaky",
        operation="failFirst",
        summary="Fail a few times, then work",
        tag="network",
        handler=_flaky,
        query_shape=Flakiness,
        answer=dict,
        refusals=(429, 503),
    ),
    Endpoint(
        path="/redirect/chain/{hops}",
        operation="followChain",
        summary="Redirect a number of times",
        tag="network",
        handler=_chain,
        methods=ALL_METHODS,
        path_shape=Hops,
        query_shape=RedirectKind,
        answer=dict,
    ),
    Endpoint(
        path="/redirect/loop",
        operation="followLoop",
        summary="Redirect to itself, for ever",
        tag="network",
        handler=_loop,
        answer=None,
        status=302,
    ),
    Endpoint(
        path="/redirect/to",
        operation="followTo",
        summary="Redirect to any address",
        tag="network",
        handler=_redirect_to,
        methods=ALL_METHODS,
        query_shape=RedirectTarget,
        answer=None,
        status=302,
    ),
    Endpoint(
        path="/redirect/elsewhere/{place}",
        operation="followElsewhere",
        summary="Redirect to a place that needs care",
        description="Another port, host or scheme, a URL with a user, a metadata "
        "service, a broken URL, or no Location at all.",
        tag="network",
        handler=_elsewhere,
        methods=ALL_METHODS,
        path_shape=RedirectPlace,
        query_shape=RedirectKind,
        answer=None,
        status=302,
    ),
    Endpoint(
        path="/huge",
        operation="answerMuch",
        summary="Answer with many bytes",
        tag="network",
        handler=_huge,
        query_shape=Amount,
        answer="text/plain",
    ),
    Endpoint(
        path="/endless",
        operation="answerSlowly",
        summary="Answer in drops, for a minute at most",
        tag="network",
        handler=_endless,
        query_shape=Drops,
        answer="text/plain",
    ),
    Endpoint(
        path="/compressed",
        operation="answerCompressed",
        summary="Answer with compressed JSON",
        tag="network",
        handler=_compressed,
        query_shape=Compression,
        answer="application/json",
    ),
    Endpoint(
        path="/bomb",
        operation="answerBomb",
        summary="Answer with a few bytes that unpack to many",
        tag="network",
        handler=_bomb,
        query_shape=BombSize,
        answer="text/plain",
    ),
)
