"""Read a response body: decompressed, capped and decoded in bounded memory (ST-49)."""

import codecs
import re
import zlib
from collections.abc import AsyncIterable, Iterator, Sequence
from functools import reduce

from sparknb.core.errors import UnreachableError

__all__ = ["decode_text", "read_capped"]

_PIECE = 64 * 1024  # bytes that one step of decompression may give
_MOST_CODINGS = 4
_GZIP, _ZLIB, _RAW = 31, 15, -15  # zlib's names for the three formats
_GZIP_MAGIC = b"\x1f\x8b"
_MAGIC_SIZE = 2
_ZLIB_METHOD, _ZLIB_CHECK = 8, 31  # how a zlib header is told from raw data

_CHARSET = re.compile(
    r';\s*charset\s*=\s*"?([A-Za-z0-9][A-Za-z0-9._:-]{0,39})', re.IGNORECASE
)
# Codecs of Python that are no charsets of documents: they run code paths of their
# own, or give text that cannot be written again.
_NO_CHARSETS = {"idna", "punycode", "utf-7"}
_NEEDS_MARK = {"utf-16", "utf-32"}
_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


class _Inflater:
    """Undoes `gzip` (also several members) or `deflate` (with or without header)."""

    def __init__(self, coding: str) -> None:
        self._is_gzip = coding == "gzip"
        self._inner: zlib._Decompress | None = None
        self._held = b""  # too little to tell what it begins
        self._is_over = False

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Give what the data decompresses to, in pieces of bounded size."""
        data, self._held = self._held + data, b""
        while data and not self._is_over:
            if self._inner is None or self._inner.eof:
                if len(data) < _MAGIC_SIZE:
                    self._held = data
                    return
                self._begin(data)
            if self._inner is not None and not self._inner.eof:
                yield from _drained(self._inner, data)
                data = self._inner.unused_data

    def _begin(self, data: bytes) -> None:
        """Begin the stream; behind its end, gzip may go on, all else is padding."""
        if self._inner is not None and not (
            self._is_gzip and data.startswith(_GZIP_MAGIC)
        ):
            self._is_over = True
        elif self._is_gzip:
            self._inner = zlib.decompressobj(_GZIP)
        else:
            is_zlib = _has_zlib_header(data)
            self._inner = zlib.decompressobj(_ZLIB if is_zlib else _RAW)

    @property
    def is_broken_off(self) -> bool:
        """Whether data came, but not to its end."""
        return bool(self._held) if self._inner is None else not self._inner.eof


def _drained(inner: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    while True:
        piece = inner.decompress(data, _PIECE)
        if piece:
            yield piece
        data = inner.unconsumed_tail
        if not data and len(piece) < _PIECE:
            return


def _has_zlib_header(data: bytes) -> bool:
    is_method = data[0] & 0x0F == _ZLIB_METHOD
    return is_method and int.from_bytes(data[:2], "big") % _ZLIB_CHECK == 0


def _inflaters(codings: Sequence[str]) -> list[_Inflater]:
    """Give what undoes the content codings, the last applied first."""
    names = [c.strip().lower().removeprefix("x-") for c in ",".join(codings).split(",")]
    names = [name for name in names if name not in {"", "identity"}]
    for name in names:
        if name not in {"gzip", "deflate"}:
            shown = name[:20] if name.isalnum() else "?"
            raise UnreachableError(
                f"the response is broken: it is encoded as {shown!r}, which was not "
                "asked for"
            )
    if len(names) > _MOST_CODINGS:
        raise UnreachableError("the response is broken: it is compressed too often")
    return [_Inflater(name) for name in reversed(names)]


async def read_capped(
    chunks: AsyncIterable[bytes], codings: Sequence[str], limit: int
) -> tuple[bytes, bool]:
    """Read a body of at most `limit` decoded bytes.

    Args:
        chunks: The body as it arrives; not read further than needed.
        codings: Values of the `Content-Encoding` headers.
        limit: Cap in bytes.

    Returns:
        The decoded bytes, and whether there were more.

    Raises:
        UnreachableError: An unknown coding, or data that cannot be decompressed.
    """
    inflaters = _inflaters(codings)
    body = bytearray()
    try:
        async for chunk in chunks:
            for piece in _inflated(chunk, inflaters):
                body += piece
                if len(body) > limit:
                    return bytes(body[:limit]), True
    except zlib.error as error:
        raise _broken() from error
    if any(inflater.is_broken_off for inflater in inflaters):
        raise _broken()
    return bytes(body), False


def _inflated(chunk: bytes, inflaters: list[_Inflater]) -> Iterator[bytes]:
    def through(pieces: Iterator[bytes], inflater: _Inflater) -> Iterator[bytes]:
        return (out for piece in pieces for out in inflater.pieces(piece))

    return reduce(through, inflaters, iter((chunk,)))


def _broken() -> UnreachableError:
    return UnreachableError("the response is broken: it cannot be decompressed")


def decode_text(body: bytes, content_type: str, *, is_cut: bool) -> str:
    """Decode by the charset of the Content-Type, else as UTF-8.

    Bytes that are no text become U+FFFD; half a character at a cut is left out.
    """
    charset = _charset(content_type)
    if charset in _NEEDS_MARK and not body.startswith(_BYTE_ORDER_MARKS):
        charset += "-le"
    decoder = codecs.getincrementaldecoder(charset)(errors="replace")
    return decoder.decode(body, final=not is_cut)


def _charset(content_type: str) -> str:
    found = _CHARSET.search(content_type)
    if found is None:
        return "utf-8"
    try:
        name = codecs.lookup(found[1]).name
        b"a".decode(name, "replace")  # refuses what gives no text, such as zlib
    except (LookupError, UnicodeError):
        return "utf-8"
    return "utf-8" if name in _NO_CHARSETS or "escape" in name else name
