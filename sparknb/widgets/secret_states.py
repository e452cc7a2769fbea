"""What a person should know about a secret before giving its value."""

from dataclasses import dataclass, replace

from sparknb.core.errors import KeychainUnavailableError
from sparknb.host import Host
from sparknb.host.secrets import origin_of
from sparknb.host.vault import binding

__all__ = ["SecretState", "secret_state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretState:
    """Where a secret stands; never its value.

    Attributes:
        is_set: Whether a value fits; None when the keychain cannot be asked.
        keychain: Kind and label, as in `os keychain (gnome-keyring)`.
        bound_to: The only place the value may be sent to, None where it is not bound.
        refusal: Why no value can be stored now, None when one can.
        hint: What to do about a refusal.
    """

    tool_id: str
    name: str
    is_set: bool | None
    keychain: str
    bound_to: str | None = None
    refusal: str | None = None
    hint: str | None = None


async def secret_state(host: Host, tool_id: str, name: str) -> SecretState:
    """Give the state of one secret of a tool.

    Raises:
        NotFoundError: No such tool, or the name is not declared.
    """
    try:
        is_set = (await host.secrets.status(tool_id)).get(name)
    except KeychainUnavailableError:
        is_set = None
    keychain = host.keychain
    state = SecretState(
        tool_id=tool_id,
        name=name,
        is_set=is_set,
        keychain=f"{keychain.kind} keychain ({keychain.label})",
    )
    try:
        definition = await host.secrets.require_settable(tool_id, name)
    except KeychainUnavailableError as error:
        return replace(state, refusal=error.message, hint=error.hint)
    return replace(state, bound_to=binding(origin_of(definition)))
