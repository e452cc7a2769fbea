"""Where an image comes from: a data URL, an address, a file of the folder (ST-45)."""

import asyncio
import base64
import binascii
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from sparknb.core.errors import DeniedError, HttpStatusError, InvalidInputError
from sparknb.core.wording import show
from sparknb.runtimes.egress import Egress
from sparknb.runtimes.guard import check_host
from sparknb.runtimes.redirects import Outgoing
from sparknb.runtimes.targets import Target, parse_target
from sparknb.runtimes.vision.folder import find_inside, read_inside
from sparknb.runtimes.vision.formats import ACCEPTED, FORMATS, media_type

__all__ = ["LARGEST", "Image", "ImageSource", "Places", "find_image", "path_of"]

LARGEST = 10 * 1024 * 1024
"""Bytes of one image."""

_LONGEST_BASE64 = (LARGEST + 2) // 3 * 4
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # one letter is a drive
_DATA = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_LONGEST_PATH = 4096
_HINT_DATA = "write data:image/png;base64, and the image"
_HINT_KINDS = "give a data: URL, an http(s) URL, or a path from the notebook's folder"
_HINT_PUBLIC = (
    "images come from public addresses only: save it in the notebook's folder and"
    " give its path"
)


def path_of(place: int) -> str:
    """Give the path of the image at a place, as problems name it."""
    return f"input.images.{place}"


@dataclass(frozen=True, slots=True)
class Image:
    """An image whose content is what its type says."""

    data: bytes = field(repr=False)
    media_type: str

    @property
    def url(self) -> str:
        """The image as a data URL, as providers take it."""
        encoded = base64.b64encode(self.data).decode("ascii")
        return f"data:{self.media_type};base64,{encoded}"


class ImageSource(Protocol):
    """An image that was named, and not read yet."""

    @property
    def shown(self) -> str:
        """What it is, for people; never its content."""
        ...

    async def read(self) -> Image:
        """Give the image.

        Raises:
            SparknbError: It cannot be had, or is none; without a path.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where images may come from."""

    folder: Path
    egress: Egress


def find_image(text: str, places: Places) -> ImageSource:
    """Judge what names an image; nothing is read, resolved by name or sent.

    Raises:
        InvalidInputError: It names no image.
        DeniedError: It names one where none may be read.
    """
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else None
    if scheme == "data":
        return _data_image(text)
    if scheme in ("http", "https"):
        return _url_image(text, places)
    if scheme is not None:
        message = f"begins with {show(scheme)}:, which is no address of an image"
        raise InvalidInputError(message, hint=_HINT_KINDS)
    if not text.strip() or len(text) > _LONGEST_PATH:
        raise InvalidInputError("names no image", hint=_HINT_KINDS)
    find_inside(places.folder, text)
    return _FileImage(text, places.folder)


# -------------------------------------------------------------------- data URLs
@dataclass(frozen=True, slots=True)
class _DataImage:
    encoded: str = field(repr=False)
    declared: str

    @property
    def shown(self) -> str:
        return f"{self.declared}, {len(self.encoded) * 3 // 4:,} bytes"

    async def read(self) -> Image:
        return await asyncio.to_thread(self._decoded)

    def _decoded(self) -> Image:
        image = checked(_from_base64(self.encoded))
        if image.media_type != self.declared:
            raise InvalidInputError(
                f"says {self.declared} and holds {image.media_type}",
                hint=f"begin it with data:{image.media_type};base64,",
            )
        return image


def _data_image(text: str) -> _DataImage:
    head = _DATA.match(text[:200])
    if head is None:
        raise InvalidInputError("is no data URL that can be read", hint=_HINT_DATA)
    declared = head[1].strip().lower()
    if declared not in ACCEPTED:
        raise InvalidInputError(f"must be {FORMATS}, not {show(declared) or 'text'}")
    parameters = [p.strip().lower() for p in head[2].split(";")]
    if parameters[-1] != "base64":
        raise InvalidInputError("must be written in base64", hint=_HINT_DATA)
    encoded = text[head.end() :]
    if len(encoded) > 2 * _LONGEST_BASE64:
        raise _too_large()
    return _DataImage(encoded, declared.replace("jpg", "jpeg"))


def _from_base64(encoded: str) -> bytes:
    if "%" in encoded:
        encoded = unquote(encoded)
    encoded = _BLANKS.sub("", encoded).rstrip("=")
    if len(encoded) > _LONGEST_BASE64:
        raise _too_large()
    try:
        padding = "=" * (-len(encoded) % 4)
        return base64.b64decode(encoded + padding, validate=True)
    except (ValueError, binascii.Error):
        raise InvalidInputError("is no base64 after its comma") from None


# ------------------------------------------------------------------ http(s) URLs
@dataclass(frozen=True, slots=True)
class _UrlImage:
    target: Target
    places: Places = field(repr=False)

    @property
    def shown(self) -> str:
        return self.target.shown

    async def read(self) -> Image:
        headers = (
            ("User-Agent", self.places.egress.user_agent),
            ("Accept", "image/png, image/jpeg, image/webp, image/gif"),
            ("Accept-Encoding", "gzip, deflate"),
        )
        outgoing = Outgoing(method="GET", target=self.target, headers=headers)
        with _public_only():
            answer = await self.places.egress.fetch(
                outgoing, allow_private=False, max_bytes=LARGEST
            )
        if not answer.is_success:
            status = f"{answer.status} {answer.reason}".rstrip()
            raise HttpStatusError(f"HTTP {status} from {answer.target.shown}")
        if answer.is_cut:
            raise _too_large()
        return checked(answer.body)


def _url_image(text: str, places: Places) -> _UrlImage:
    target = parse_target(text)
    if target is None:
        raise InvalidInputError(
            "is no address that can be asked: it wants http(s), a host, and neither"
            " user name nor password"
        )
    with _public_only():
        check_host(target.host, allow_private=False)
    return _UrlImage(target, places)


@contextmanager
def _public_only() -> Iterator[None]:
    """Say what helps here: what the guard says to the author of a tool does not."""
    try:
        yield
    except DeniedError as error:
        error.hint = _HINT_PUBLIC
        raise


# ------------------------------------------------------------------------- files
@dataclass(frozen=True, slots=True)
class _FileImage:
    name: str
    folder: Path

    @property
    def shown(self) -> str:
        return show(self.name, 120)

    async def read(self) -> Image:
        data = await asyncio.to_thread(read_inside, self.folder, self.name, LARGEST)
        return checked(data)


# ----------------------------------------------------------------------- content
def checked(data: bytes) -> Image:
    """Give the bytes as an image.

    Raises:
        InvalidInputError: There are too many, or they are none.
    """
    if len(data) > LARGEST:
        raise _too_large()
    kind = media_type(data)
    if kind is None:
        raise InvalidInputError(f"does not hold a {FORMATS} image")
    return Image(data, kind)


def _too_large() -> InvalidInputError:
    return InvalidInputError(f"is larger than {LARGEST // 1024 // 1024} MiB")
