"""Where an API description is read from: a file with its folder, an address, input."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sparknb.commands.context import Context, read_file
from sparknb.core.errors import DeniedError, InvalidInputError, NotFoundError
from sparknb.core.protocols import DOCUMENT_LIMIT

__all__ = ["Folder", "Read", "read_source"]

_MEBIBYTE = 1024 * 1024
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


class Folder:
    """The folder of a description; it gives the files that the description names.

    Nothing outside of it is read, also not through links, and nothing that is no file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._left = DOCUMENT_LIMIT

    def load(self, name: str) -> bytes:
        """Give a file by its path relative to the folder.

        Raises:
            DeniedError: It lies outside, or is no plain file.
            NotFoundError: There is none.
            InvalidInputError: It cannot be read, or all files are too large together.
        """
        try:
            path = (self._folder / name).resolve()
            is_inside = path.is_relative_to(self._folder)
            is_there, is_file = path.exists(), path.is_file()
        except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL
            raise NotFoundError("the file that is named cannot be found") from None
        if not is_inside:
            raise DeniedError("the file that is named lies outside of the folder")
        if not is_there:
            raise NotFoundError("the file that is named is not there")
        if not is_file:
            raise DeniedError("what is named is no plain file")
        data = read_file(str(path), self._left)
        if len(data) > self._left:
            raise InvalidInputError(
                f"the files of the description have more than"
                f" {DOCUMENT_LIMIT // _MEBIBYTE} MiB together"
            )
        self._left -= len(data)
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What was read, and what references and addresses in it count from.

    Attributes:
        url: The address that it came from, after redirects; None for files and input.
        load: Reads another file of the same folder; None where there is no folder.
    """

    name: str
    data: bytes = field(repr=False)
    url: str | None = None
    load: Callable[[str], bytes] | None = None


async def read_source(context: Context, source: str) -> Read:
    """Read a document by an http(s) address, from a file, or what stands for `-`.

    Raises:
        NotFoundError: There is no such file.
        InvalidInputError: It cannot be read, or is too large.
        DeniedError: The guard refuses the address.
        SparknbError: The address gives no document.
    """
    if _ADDRESS.match(source):
        found = await (await context.host()).imports.fetch(source)
        return Read(name=source, data=found.data, url=found.url)
    data = await context.read_bytes(source, DOCUMENT_LIMIT)
    if len(data) > DOCUMENT_LIMIT:
        raise InvalidInputError(
            f"the document has more than {DOCUMENT_LIMIT // _MEBIBYTE} MiB",
            path="SOURCE",
        )
    if source == "-":
        return Read(name="<stdin>", data=data)
    path = Path(source)
    return Read(name=path.name, data=data, load=Folder(path.parent).load)
