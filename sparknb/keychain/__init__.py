"""Where secret values live: the keychain of the system, variables, or memory."""

from sparknb.keychain.choice import open_keychain
from sparknb.keychain.env import EnvKeychain, variable_name
from sparknb.keychain.memory import MemoryKeychain
from sparknb.keychain.system import OsKeychain

__all__ = [
    "EnvKeychain",
    "MemoryKeychain",
    "OsKeychain",
    "open_keychain",
    "variable_name",
]
