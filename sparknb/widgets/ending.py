"""How a question to a person can end."""

from typing import Literal

__all__ = ["Ending"]

Ending = Literal["approved", "rejected", "expired", "cancelled"]
