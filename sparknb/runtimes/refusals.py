"""What is refused and how a failure is told, in the same words for all runtimes."""

import unicodedata

from sparknb.core.errors import HttpStatusError, InvalidInputError
from sparknb.runtimes.body import decode_text
from sparknb.runtimes.egress import Answer

__all__ = ["one_line", "sendable", "status_error"]

_EXCERPT_SIZE = 500  # characters of an error page that the message repeats
_HIGHEST_LATIN = "\xff"
_UNPRINTED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # categories of Unicode
_CUT = "…"


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


def one_line(text: str, limit: int = 2000) -> str:
    r"""Give what a program says of itself as one line, which ends within `limit`.

    Such a text may hold lines that pass for ours. So line breaks, control and format
    characters are spelled out, as in `\n` and `\u202e`.
    """
    line = "".join(_spelled(character) for character in text[:limit])
    if len(line) <= limit and len(text) <= limit:
        return line
    return f"{line[: limit - len(_CUT)]}{_CUT}"


def _spelled(character: str) -> str:
    if unicodedata.category(character) in _UNPRINTED:
        return ascii(character)[1:-1]
    return character


def status_error(answer: Answer, *, hint: str | None = None) -> HttpStatusError:
    """Give the error for an answer whose status is none of 200-299 (ST-50)."""
    text = decode_text(answer.body, answer.content_type, is_cut=answer.is_cut)
    excerpt = text[:_EXCERPT_SIZE]
    status = f"{answer.status} {answer.reason}".rstrip()
    message = f"HTTP {status} from {answer.target.shown}"
    return HttpStatusError(f"{message}\n{excerpt}" if excerpt else message, hint=hint)
