"""What is called, and who calls."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sparknb.core.definitions import Risk, ToolDefinition
from sparknb.core.errors import DeniedError
from sparknb.core.protocols import Approver
from sparknb.core.results import Approval, Source

__all__ = ["MOST_ANSWERED", "MOST_CALLS", "CallTarget", "Caller", "Nesting", "Tally"]

MOST_CALLS = 256
"""Nested calls that one call from outside may lead to, at all levels together."""

MOST_ANSWERED = 32 * 1024 * 1024
"""Characters of the answers of all these calls together: the host holds them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTarget:
    """What is called.

    Attributes:
        version: None for a definition that is not stored.
        barred: Why the tool may not be called now (disabled), or None.
        remedy: What to do about that; None for the usual.
        require_open: Asked again after a person's answer, which takes time: raises
            when the tool was disabled or deleted meanwhile (ST-75).
        hide_patterns: Whether to redact whatever looks secret too (ST-69).
        must_ask: Whether a person is asked whatever the risk (ST-76).
    """

    definition: ToolDefinition
    version: int | None
    barred: str | None = None
    remedy: str | None = None
    require_open: Callable[[], None] = lambda: None
    hide_patterns: bool = False
    must_ask: bool = False


@dataclass(slots=True)
class Tally:
    """Counts the nested calls below one call from outside, and their answers."""

    count: int = 0
    answered: int = 0

    def add(self) -> None:
        """Count one more.

        Raises:
            DeniedError: It is one too many.
        """
        self.count += 1
        if self.count > MOST_CALLS:
            raise DeniedError(
                f"one call may lead to at most {MOST_CALLS} calls of other tools",
                hint="ask the other tool for more at once",
            )

    def take(self, size: int) -> None:
        """Count the characters of an answer.

        Raises:
            DeniedError: All answers together are too long to be held.
        """
        self.answered += size
        if self.answered > MOST_ANSWERED:
            raise DeniedError(
                "the answers of the tools that one call leads to may have"
                f" {MOST_ANSWERED:,} characters together",
                hint="ask the other tools for less",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Nesting:
    """Where a nested call stands: what a person let through covers it (ST-62).

    Attributes:
        chain: Ids of the tools that call each other, the outermost first.
        risk: The risk of the tool that calls; no more is allowed.
        approval: How the outermost call was allowed.
    """

    chain: tuple[str, ...]
    risk: Risk
    approval: Approval
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls, and whom to ask.

    Attributes:
        nesting: Given when another tool calls: nobody is asked again.
    """

    source: Source = "direct"
    approver: Approver | None = None
    session_id: str | None = None
    turn_id: str | None = None
    nesting: Nesting | None = None
