import asyncio
import contextlib
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.errors import UnreachableError
from sparknb.runtimes.body import decode_text, read_capped

TEXT = b"".join(b"line %d of a text\n" % n for n in range(3000))


def read(
    raw: bytes | Iterable[bytes], *codings: str, limit: int = 10_000_000
) -> tuple[bytes, bool]:
    chunks = [raw] if isinstance(raw, bytes) else raw

    async def arriving() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return asyncio.run(read_capped(arriving(), codings, limit))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def split(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("X-GZIP", gzip.compress(TEXT)),
        (" gzip ,identity", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:7]) + gzip.compress(TEXT[7:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 512),
        ("gzip", gzip.compress(TEXT) + b"garbage behind the end"),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("deflate", zlib.compress(TEXT) + b"\x1f\x8bno second member"),
        ("deflate, gzip", gzip.compress(zlib.compress(TEXT))),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000, 10_000_000])
def test_a_compressed_body_is_read_in_chunks_of_any_size(
    coding: str, packed: bytes, size: int
) -> None:
    assert read(split(packed, size), coding) == (TEXT, False)


def test_several_header_lines_are_one_list() -> None:
    assert read(gzip.compress(zlib.compress(TEXT)), "deflate", "gzip") == (TEXT, False)


def test_an_empty_body_may_claim_any_known_coding() -> None:
    for coding in ("gzip", "deflate", ""):
        assert read([], coding) == (b"", False)
        assert read(b"", coding) == (b"", False)
    assert read(gzip.compress(b""), "gzip") == (b"", False)


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", b"this is no gzip"),
        ("gzip", gzip.compress(TEXT)[:-9]),
        ("gzip", gzip.compress(TEXT)[:200] + b"\xff" * 200),
        ("gzip", b"\x1f"),
        ("gzip", gzip.compress(TEXT) + gzip.compress(TEXT)[:20]),
        ("deflate", zlib.compress(TEXT)[:-3]),
        ("deflate", b"\x78\x9c\xff\xff\xff"),
        ("deflate", b"x"),
        ("gzip, gzip", gzip.compress(TEXT)),
    ],
)
def test_what_cannot_be_decompressed_is_a_broken_response(
    coding: str, packed: bytes
) -> None:
    with pytest.raises(UnreachableError, match="cannot be decompressed"):
        read(packed, coding)


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, br", "x-custom", "gzip;q=1"])
def test_a_coding_that_was_not_asked_for_is_a_broken_response(coding: str) -> None:
    with pytest.raises(UnreachableError, match="not asked for"):
        read(TEXT, coding)


def test_a_body_in_very_many_wrappings_is_refused() -> None:
    with pytest.raises(UnreachableError, match="too often"):
        read(TEXT, ",".join(["gzip"] * 5))


@pytest.mark.parametrize(("limit", "is_cut"), [(53, True), (54, False), (55, False)])
def test_the_cap_counts_decoded_bytes(limit: int, is_cut: bool) -> None:
    body = b"x" * 54
    for raw, coding in ((body, ""), (gzip.compress(body), "gzip")):
        assert read(raw, coding, limit=limit) == (body[:limit], is_cut)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "gzip,gzip"])
def test_a_bomb_takes_bounded_memory(coding: str) -> None:
    zeros = b"\0" * 20_000_000
    bomb = zlib.compress(zeros, 1) if coding == "deflate" else gzip.compress(zeros, 1)
    if coding == "gzip,gzip":
        bomb = gzip.compress(bomb, 1)
    tracemalloc.start()
    try:
        body, is_cut = read(bomb, coding, limit=262_144)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(body), is_cut) == (262_144, True)
    assert peak < 2_000_000


def test_no_more_is_read_than_the_cap_needs() -> None:
    taken = []

    def endless() -> Iterable[bytes]:
        while True:
            taken.append(1)
            yield b"x" * 1000

    assert read(endless(), limit=5000) == (b"x" * 5000, True)
    assert len(taken) == 6


@given(
    st.binary(max_size=2000), st.integers(1, 50), st.sampled_from(["gzip", "deflate"])
)
def test_no_bytes_break_the_reader(raw: bytes, size: int, coding: str) -> None:
    pack = gzip.compress if coding == "gzip" else zlib.compress
    assert read(split(pack(raw), size), coding) == (raw, False)
    with contextlib.suppress(UnreachableError):
        read(split(raw, size), coding)


# ----------------------------------------------------------------------- text
@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("", "é".encode(), "é"),
        ("text/plain", "é".encode(), "é"),
        ("text/plain; charset=utf-8", "é😀".encode(), "é😀"),
        ('text/plain;charset="UTF-8"', "é".encode(), "é"),
        ("text/plain; charset=ISO-8859-1", b"\xe9", "é"),
        ("text/plain; charset=windows-1252; x=y", b"\x80", "€"),
        ("text/plain; charset=shift_jis", "日本".encode("shift_jis"), "日本"),
        ("text/plain; charset=utf-16", "é😀".encode("utf-16"), "é😀"),
        ("text/plain; charset=utf-16", "é".encode("utf-16-be"), "\ue900"),
        ("text/plain; charset=utf-16", "é".encode("utf-16-le"), "é"),
        ("text/plain; charset=utf-32", "\ufeffé".encode("utf-32-be"), "é"),
        ("text/plain; charset=iso-2022-jp", "日".encode("iso-2022-jp"), "日"),
        ("text/plain; charset=nonsense", "é".encode(), "é"),
        ("text/plain; charset=zlib", b"\x78\x9c", "x\ufffd"),
        ("text/plain; charset=base64", b"YQ==", "YQ=="),
        ("text/plain; charset=rot13", b"nop", "nop"),
        ("text/plain; charset=unicode_escape", b"\\ud800", "\\ud800"),
        ("text/plain; charset=raw_unicode_escape", b"\\ud800", "\\ud800"),
        ("text/plain; charset=utf-7", b"+2AA-", "+2AA-"),
        ("text/plain; charset=punycode", b"a-b", "a-b"),
        ("text/plain; charset=idna", b"xn--a", "xn--a"),
        ("text/plain; charset=undefined", b"a", "a"),
        ("text/plain; charset=" + "x" * 1000, b"a", "a"),
        ("text/plain; charset=../../etc/passwd", b"a", "a"),
        ("text/plain; charset=", b"a", "a"),
        ("text/plain", b"a\xffb", "a\ufffdb"),
        ("text/plain", "\ufeffa".encode(), "\ufeffa"),
        ("text/plain", b"a\0b", "a\0b"),
        ("text/plain; charset=ascii", b"\xe9", "\ufffd"),
    ],
)
def test_bytes_are_decoded_by_the_charset_they_claim(
    content_type: str, body: bytes, text: str
) -> None:
    assert decode_text(body, content_type, is_cut=False) == text


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("utf-8", "a😀é日b"),
        ("utf-16", "a😀é日b"),
        ("utf-16-le", "a😀é"),
        ("shift_jis", "a日本b"),
        ("gb18030", "a😀日b"),
        ("euc-kr", "a한b"),
    ],
)
def test_a_cut_never_shows_half_a_character(charset: str, text: str) -> None:
    raw = text.encode(charset)
    for size in range(len(raw) + 1):
        kept = decode_text(raw[:size], f"text/plain; charset={charset}", is_cut=True)
        assert text.startswith(kept)


def test_bad_bytes_before_a_cut_stay_marked() -> None:
    assert decode_text(b"\xff\xf0\x9f", "", is_cut=True) == "\ufffd"
    assert decode_text(b"\xff\xf0\x9f", "", is_cut=False) == "\ufffd\ufffd"


@given(st.binary(max_size=200), st.text(max_size=30), st.booleans())
def test_any_bytes_of_any_charset_become_a_text_that_can_be_written(
    body: bytes, charset: str, is_cut: bool
) -> None:
    decode_text(body, f"text/plain; charset={charset}", is_cut=is_cut).encode()


CHARSETS = (
    "utf_8_sig utf_16 utf_32 utf_32_be cp037 cp1252 koi8_r big5 hz gb2312 euc_jp "
    "iso2022_kr charmap mac_roman latin_1 palmos tis_620 johab cp65001 mbcs"
)


@pytest.mark.parametrize("charset", CHARSETS.split())
def test_surrogates_never_come_out_of_a_codec(charset: str) -> None:
    body = b"\x00\xd8\xed\xa0\x80\xff\xfe\x00\xd8~{a+2AA-" * 3
    for is_cut in (False, True):
        decode_text(body, f"text/plain; charset={charset}", is_cut=is_cut).encode()
