"""What requests are refused for, in the same words for everything that sends some."""

import unicodedata

from sparknb.core.errors import HttpStatusError, InvalidInputError
from sparknb.runtimes.body import decode_text
from sparknb.runtimes.egress import Answer

__all__ = ["sendable", "status_error"]

_EXCERPT_SIZE = 500  # characters of an error page that the message repeats
_HIGHEST_LATIN = "\xff"


def sendable(subject: str, value: str, path: str) -> str:
    """Give a secret value if a header can hold it (ST-48).

    Raises:
        InvalidInputError: It cannot; the message names the subject, not the value.
    """
    for character in value:
        if character > _HIGHEST_LATIN or unicodedata.category(character) == "Cc":
            raise InvalidInputError(
                f"{subject} holds a character that no header can carry",
                path=path,
                hint="set it again, without line breaks and typographic characters",
            )
    return value


def status_error(answer: Answer, *, hint: str | None = None) -> HttpStatusError:
    """Give the error for an answer whose status is none of 200-299 (ST-50)."""
    text = decode_text(answer.body, answer.content_type, is_cut=answer.is_cut)
    excerpt = text[:_EXCERPT_SIZE]
    status = f"{answer.status} {answer.reason}".rstrip()
    message = f"HTTP {status} from {answer.target.shown}"
    return HttpStatusError(f"{message}\n{excerpt}" if excerpt else message, hint=hint)
