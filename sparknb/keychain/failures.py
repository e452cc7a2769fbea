"""What went wrong in a keychain, in one of our own errors."""

from typing import NamedTuple

from sparknb.core.errors import KeychainUnavailableError

__all__ = ["WINDOWS_BYTES", "Failure", "explain", "too_long"]

WINDOWS_BYTES = 2560
"""What one entry of the Windows Credential Manager may hold, as UTF-16."""

_BAD_STUB_DATA = 1783  # what Windows says about an entry that is too long
_ELSEWHERE = "set SPARKNB_KEYCHAIN to env or memory"


class _Kind(NamedTuple):
    names: frozenset[str]
    message: str
    hint: str


_LOCKED = _Kind(
    frozenset({"KeyringLocked", "LockedException"}),
    "the keychain is locked",
    f"unlock it and try again; where nobody can, {_ELSEWHERE}",
)
# Told by the names of classes: each backend has libraries of its own, and most of them
# are not installed on any one system.
_KINDS = (
    _LOCKED,
    _Kind(
        frozenset({"InitError", "PromptDismissedException"}),
        "the keychain could not be opened",
        "make or unlock a keyring in your desktop's password program; where there is "
        f"none, {_ELSEWHERE}",
    ),
    _Kind(
        frozenset({"TimeoutError"}),
        "the keychain does not answer",
        "if a window asks to unlock it, answer there and try again; where nobody can, "
        f"{_ELSEWHERE}",
    ),
    _Kind(
        frozenset({"NoKeyringError", "SecretServiceNotAvailableException"}),
        "no keychain of the operating system answers",
        f"start it in this session, or {_ELSEWHERE}",
    ),
)


class Failure(NamedTuple):
    """What a failed call came to.

    Attributes:
        error: What to raise.
        name: The class of the failure.
        is_locked: The keychain is there and only needs to be unlocked.
        is_delete: It was said of a removal; backends say so of a missing entry too.
    """

    error: KeychainUnavailableError
    name: str
    is_locked: bool
    is_delete: bool


def explain(error: BaseException) -> Failure:
    """Put a backend's failure in our words.

    Nothing of the failure is kept: its text, its arguments and the frames it came
    from may hold the secret.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    return Failure(
        error=_in_our_words(error, names),
        name=type(error).__name__,
        is_locked=bool(_LOCKED.names & names),
        is_delete="PasswordDeleteError" in names,
    )


def _in_our_words(error: BaseException, names: set[str]) -> KeychainUnavailableError:
    if isinstance(error, KeychainUnavailableError):
        return KeychainUnavailableError(error.message, hint=error.hint)
    if _BAD_STUB_DATA in (getattr(error, "winerror", None), *error.args[:1]):
        return too_long()
    for kind in _KINDS:
        if kind.names & names:
            return KeychainUnavailableError(kind.message, hint=kind.hint)
    return KeychainUnavailableError(
        f"the keychain refuses ({type(error).__name__})",
        hint=f"see whether its own program works; or {_ELSEWHERE}",
    )


def too_long() -> KeychainUnavailableError:
    """Give the error for a value that the store of Windows cannot hold."""
    return KeychainUnavailableError(
        f"the Windows Credential Manager holds at most {WINDOWS_BYTES} bytes an entry, "
        "some 1,200 characters; this value is longer",
        hint="use a shorter value, or set SPARKNB_KEYCHAIN=env and give it as a "
        "variable",
    )
