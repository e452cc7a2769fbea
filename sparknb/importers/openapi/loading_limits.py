"""How much of a description is read at all: all of its files share one allowance."""

from dataclasses import dataclass
from typing import NoReturn

from sparknb.core.errors import InvalidInputError
from sparknb.core.protocols import DOCUMENT_LIMIT

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_FILES", "MAX_VALUES", "Allowance", "broken"]

MAX_BYTES = DOCUMENT_LIMIT
MAX_VALUES = 500_000
MAX_DEPTH = 200
MAX_FILES = 200
_SMALLER = "import a smaller description, or a part of this one"


@dataclass(slots=True)
class Allowance:
    """What may still be read: bytes and values (aliases count as what they repeat)."""

    bytes: int = MAX_BYTES
    values: int = MAX_VALUES

    def take_bytes(self, count: int) -> None:
        """Take off what is read next.

        Raises:
            InvalidInputError: It is more than what is left.
        """
        if count > self.bytes:
            mebibytes = MAX_BYTES // (1024 * 1024)
            raise InvalidInputError(
                f"the API description is larger than {mebibytes} MiB", hint=_SMALLER
            )
        self.bytes -= count

    def take_values(self, count: int, where: str = "") -> None:
        """Take off objects, arrays, texts, numbers and so on.

        Raises:
            InvalidInputError: They are more than what is left.
        """
        self.values -= count
        if self.values < 0:
            message = f"the API description has more than {MAX_VALUES:,} values"
            broken(message, where, _SMALLER)


def broken(message: str, where: str = "", hint: str | None = None) -> NoReturn:
    """Refuse a document, with the place in it.

    Raises:
        InvalidInputError: Always.
    """
    whole = f"{message}, at {where}" if where else message
    raise InvalidInputError(whole, hint=hint) from None
