"""What is said of a secret value before and after it is stored (ST-66, ST-67)."""

import unicodedata

from sparknb.core.errors import InvalidInputError, KeychainUnavailableError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Keychain, StoredSecret
from sparknb.core.redaction import SHORTEST_HIDDEN
from sparknb.host.vault import binding

__all__ = [
    "LONGEST_VALUE",
    "refuse_forgetting",
    "refuse_read_only",
    "value_refusal",
    "value_remarks",
    "wrapped",
]

LONGEST_VALUE = 16_000
_IN_MEMORY_HINT = (
    "other notebooks and `sparknb mcp` do not see it: unlock or install a keychain "
    "(sparknb doctor), or give the value as a variable (docs/secrets.md)"
)


def refuse_read_only(keychain: Keychain, reference: str) -> None:
    """Refuse to store where nothing can be, and name the variable that is read.

    Raises:
        KeychainUnavailableError: The keychain is read-only.
    """
    if keychain.is_read_only:
        variable = keychain.variable(reference)
        raise KeychainUnavailableError(
            f"the {keychain.kind} keychain is read-only and stores nothing",
            hint=f"set the variable {variable} and start sparknb again",
        )


def refuse_forgetting(keychain: Keychain, what: str) -> None:
    """Refuse to store what would be gone when this command ends (ST-67).

    Raises:
        KeychainUnavailableError: There is only memory, and nobody chose that.
    """
    if keychain.fallback_reason is not None:
        raise KeychainUnavailableError(
            f"no keychain can keep {what} after this command ends: "
            f"{keychain.fallback_reason}",
            hint="unlock or install one (sparknb doctor), or set "
            "SPARKNB_KEYCHAIN=env and give the value as a variable",
        )


def wrapped(value: str) -> tuple[StoredSecret, bool]:
    """Give a value without white space around it, and whether there was some."""
    return StoredSecret(value.strip()), value != value.strip()


def value_refusal(value: str) -> InvalidInputError | None:
    """Give what is wrong with a value; raised elsewhere, without this frame."""
    if not value:
        return InvalidInputError("the value is empty", path="value")
    if len(value) > LONGEST_VALUE:
        return InvalidInputError(
            # how many more is not known: reading stops at a limit
            f"the value is too long: at most {LONGEST_VALUE} characters are kept",
            path="value",
        )
    for place, character in enumerate(value, start=1):
        code = f"U+{ord(character):04X}"
        if unicodedata.category(character) == "Cc":
            return InvalidInputError(
                f"character {place} is a control character ({code})",
                path="value",
                hint="copy the value again, without line breaks",
            )
        if ord(character) > 0xFF:  # noqa: PLR2004  # the last character of latin-1
            return InvalidInputError(
                f"character {place} ({code}) cannot stand in a request header",
                path="value",
                hint="a word processor may have replaced a dash or a quote: copy the "
                "value from where it was issued",
            )
    return None


def value_remarks(
    secret: StoredSecret, keychain: Keychain, *, origin: str | None, is_stripped: bool
) -> list[Problem]:
    """Give what is worth knowing about a value that was stored for an origin."""
    found = []
    if is_stripped:
        found.append(_notice("SECRET_STRIPPED", "white space around it was removed"))
    if len(secret.value) < SHORTEST_HIDDEN:
        text = f"shorter than {SHORTEST_HIDDEN} characters: results cannot hide it"
        found.append(_notice("SECRET_SHORT", text))
    found.append(_notice("SECRET_BOUND", f"kept for {binding(origin)} only"))
    if keychain.fallback_reason is not None:
        said = f"kept in memory until this process ends: {keychain.fallback_reason}"
        found.append(_notice("SECRET_IN_MEMORY", said, _IN_MEMORY_HINT))
    return found


def _notice(code: str, message: str, hint: str | None = None) -> Problem:
    return Problem(code=code, message=message, path="value", hint=hint, level="notice")
