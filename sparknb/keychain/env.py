"""Secret values from environment variables: for CI and containers, read-only."""

from collections.abc import Mapping
from typing import Literal, NoReturn

from sparknb.core.errors import KeychainUnavailableError
from sparknb.core.protocols import StoredSecret
from sparknb.core.secret_variables import SECRET_VARIABLES, in_variable

__all__ = ["EnvKeychain", "variable_name"]

_OF_TOOLS, _OF_PROVIDERS = SECRET_VARIABLES


def variable_name(reference: str) -> str:
    """Give the variable that holds the value of a secret reference.

    `custom-tool:weather:api-key` gives `SPARKNB_SECRET__WEATHER__API_KEY`, and
    `provider:openai:key` gives `SPARKNB_PROVIDER_KEY__OPENAI`. Letters are put in
    upper case and other characters become `_`, so two names of one tool may share a
    variable (`api-key` and `API_KEY`). Two tools never do, nor a tool and a provider:
    the last `__` ends the tool's id, and a name that would have one is written in hex.
    """
    owner, _, rest = reference.partition(":")
    identifier, _, name = rest.rpartition(":")
    if owner == "provider":
        return _OF_PROVIDERS + in_variable(identifier)
    written = in_variable(name)
    if written.startswith("_") or "__" in written:
        written = f"X{name.encode().hex().upper()}"
    return f"{_OF_TOOLS}{in_variable(identifier)}__{written}"


class EnvKeychain:
    """Reads values from variables; they are taken once, when the object is made.

    White space around a value is dropped (files of CI systems end in a line break),
    and an empty variable counts as none. The values are bound to no origin.

    Args:
        environment: All variables, or those that begin as `SECRET_VARIABLES` do.
    """

    __slots__ = ("_secrets",)

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._secrets = {
            name: StoredSecret(value.strip())
            for name, value in environment.items()
            if name.startswith(SECRET_VARIABLES) and value.strip()
        }

    @property
    def kind(self) -> Literal["env"]:
        """Which kind answers."""
        return "env"

    @property
    def label(self) -> str:
        """A short name for people."""
        return f"environment variables ({_OF_TOOLS}…)"

    @property
    def is_read_only(self) -> bool:
        """Whether write and remove always refuse."""
        return True

    @property
    def fallback_reason(self) -> None:
        """Nothing: this kind is never chosen on its own."""
        return

    def variable(self, reference: str) -> str:
        """Give the name of the variable that holds the value."""
        return variable_name(reference)

    def read(self, reference: str) -> StoredSecret | None:
        """Give the value of the reference's variable, or None when there is none."""
        return self._secrets.get(variable_name(reference))

    def write(self, reference: str, secret: StoredSecret) -> None:  # noqa: ARG002  # the protocol's; never stored
        """Refuse, naming the variable to set.

        Raises:
            KeychainUnavailableError: Always.
        """
        raise KeychainUnavailableError(
            "the env keychain reads environment variables and stores nothing",
            hint=f"set the variable {variable_name(reference)} and start sparknb again",
        )

    def remove(self, reference: str) -> bool:  # noqa: ARG002  # the protocol's
        """Remove nothing and say False: the variable is its owner's (ST-72)."""
        return False

    def __repr__(self) -> str:
        return f"<EnvKeychain with {len(self._secrets)} secrets>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a keychain holds secret values and cannot be pickled")
