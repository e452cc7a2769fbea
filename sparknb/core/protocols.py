"""The seams of the house: what the host needs from the world around it.

Each protocol has one contract test suite that every implementation passes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, Protocol

from sparknb.core.definitions import Effect, Idempotency, Risk, ToolDefinition
from sparknb.core.problems import Problem
from sparknb.core.registry_protocol import Registry, SurfaceRow
from sparknb.core.results import Approval

__all__ = [
    "DOCUMENT_LIMIT",
    "Action",
    "ApprovalRequest",
    "Approver",
    "Decision",
    "Fetched",
    "Fetcher",
    "Keychain",
    "KeychainKind",
    "NestedTools",
    "PreparedCall",
    "Preview",
    "Proof",
    "Registry",
    "RunOutcome",
    "Runtime",
    "RuntimeKind",
    "StoredSecret",
    "SurfaceRow",
]

KeychainKind = Literal["os", "env", "memory"]
RuntimeKind = Literal["http", "typescript", "python", "provider-vision"]


# ------------------------------------------------------------------ keychain
@dataclass(frozen=True, slots=True)
class StoredSecret:
    """A secret value and the origin it was given for (ST-67).

    `origin` is None when the keychain does not bind values (`env`).
    """

    value: str = field(repr=False)
    origin: str | None = None

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a pickle would show the value."""
        raise TypeError("a secret value cannot be pickled or copied")


class Keychain(Protocol):
    """Where secret values live. Calls may block: the host uses a worker thread.

    References are `custom-tool:<id>:<name>`. All methods raise
    `KeychainUnavailableError` when the store is locked, absent or refuses.
    """

    @property
    def kind(self) -> KeychainKind:
        """Which kind answers."""
        ...

    @property
    def label(self) -> str:
        """A short name for people, such as `gnome-keyring (Secret Service)`."""
        ...

    @property
    def is_read_only(self) -> bool:
        """Whether write and remove always refuse."""
        ...

    @property
    def fallback_reason(self) -> str | None:
        """Why `auto` fell back to memory; None when this kind was asked for."""
        ...

    def variable(self, reference: str) -> str | None:
        """Give the environment variable that holds the value, None where none does."""
        ...

    def read(self, reference: str) -> StoredSecret | None:
        """Give the value, or None when there is none."""
        ...

    def write(self, reference: str, secret: StoredSecret) -> None:
        """Store the value in place of the one before, all or nothing."""
        ...

    def remove(self, reference: str) -> bool:
        """Remove the value; False when there was none."""
        ...


# ------------------------------------------------------------------ approver
_BODY_SHOWN = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a call would do, for a person to read; secrets stand as `[secret]`.

    Attributes:
        method: HTTP method, None for other runtimes.
        url: Full rendered URL, None for other runtimes.
        body: The first 2000 characters of the body, None without one.
        body_left: How many characters of the body come after these.
        dependencies: Ids of the tools that a code tool may call.
        facts: What else a person has to know of a tool, as names with values; of a
            program also what it may call.
    """

    method: str | None = None
    url: str | None = None
    body: str | None = None
    body_left: int = 0
    dependencies: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()

    @classmethod
    def showing(
        cls,
        body: str | None,
        *,
        method: str | None = None,
        url: str | None = None,
        dependencies: Sequence[str] = (),
        facts: Sequence[tuple[str, str]] = (),
    ) -> "Preview":
        """Give a preview with no more of the body than a person is shown."""
        return cls(
            method=method,
            url=url,
            body=None if body is None else body[:_BODY_SHOWN],
            body_left=max(0, len(body or "") - _BODY_SHOWN),
            dependencies=dependencies,
            facts=facts,
        )

    @property
    def excerpt(self) -> str | None:
        """The body as a person reads it: where it is cut, it says so."""
        if not self.body or not self.body_left:
            return self.body
        return f"{self.body}… ({self.body_left:,} more characters)"


Action = Literal["call", "test", "cases", "publish", "enable", "rollback", "delete"]
"""What a person is asked about: a call, or a step in the life of a tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One question to a person (ST-63).

    Attributes:
        version: The version that is called or that the step is about; None for a
            definition that is not stored.
        arguments: Of the call; of a run of cases their number and the first inputs;
            empty for a step.
        action: What the person lets happen by saying yes.
        with_arguments: Gives this question about edited arguments, which are checked
            and rendered as those were: raises `SparknbError` for those that cannot be
            sent. None where nobody edits any.
    """

    call_id: str
    tool_id: str
    title: str
    version: int | None
    risk: Risk
    effect: Effect
    idempotency: Idempotency
    arguments: Mapping[str, Any]
    preview: Preview
    action: Action = "call"
    with_arguments: "Callable[[Mapping[str, Any]], ApprovalRequest] | None" = field(
        default=None, repr=False, compare=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The person's answer.

    Attributes:
        outcome: `allow`, `reject`, or `unavailable` when nobody can be asked.
        kind: How it was given, for the trace (`flag` = `--yes`).
        arguments: Changed arguments, None when they stand.
        reason: A sentence of the person or of the door, for the refusal.
    """

    outcome: Literal["allow", "reject", "unavailable"]
    kind: Approval = "once"
    arguments: Mapping[str, Any] | None = None
    reason: str | None = None


class Approver(Protocol):
    """Who lets a call through."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Answer for this one call. May be cancelled while it waits."""
        ...


# ------------------------------------------------------------------- runtime
@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a runtime brings back.

    Attributes:
        text: The formatted text, neither redacted nor clipped.
        budget: Model tokens that the text may have, None for no limit; the host
            clips it, after redacting: a clip must not hide half of a secret.
        data: The JSON value behind it, or None.
        bytes: UTF-8 length of the capped body text.
        truncated: Whether the text was cut already.
        request: The request as sent, with `[secret]` for secret values; for tests.
        status: HTTP status, None for other runtimes.
        printed: What a program printed, for its author; at most 64 KiB (ST-43).
    """

    text: str
    data: Any = None
    bytes: int = 0
    truncated: bool = False
    budget: int | None = None
    request: Mapping[str, Any] | None = None
    status: int | None = None
    printed: str = ""


class NestedTools(Protocol):
    """The other tools that a running program may call (ST-58)."""

    async def call(self, tool_id: Any, arguments: Any) -> Any:
        """Call one, and give its text: as a JSON value where it is JSON.

        Takes whatever the program wrote, and refuses what it may not have.

        Raises:
            SparknbError: The call is refused or failed; the program may catch it,
                as an error with the same code and message.
        """
        ...


class PreparedCall(Protocol):
    """A call that is rendered and checked but has not touched the world."""

    @property
    def preview(self) -> Preview:
        """What an approver sees."""
        ...

    @property
    def secret_names(self) -> Sequence[str]:
        """Names of the secrets that the run needs."""
        ...

    @property
    def origin(self) -> str | None:
        """Where the secrets would go (`scheme://host:port`), None if nowhere."""
        ...

    @property
    def printed(self) -> str:
        """What a program has printed up to now; also of a run that was stopped."""
        ...

    async def run(self, secrets: Mapping[str, str], tools: NestedTools) -> RunOutcome:
        """Carry the call out; the host holds the clock and cancels this.

        Only programs call other `tools`; what is still under way when the run ends
        is refused from then on.

        Raises:
            SparknbError: `DENIED`, `UNREACHABLE`, `HTTP_ERROR`, `INVALID_INPUT`
                or `EXECUTION_FAILED`. Never a timeout of its own.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One attack that a sandbox tried on itself.

    Attributes:
        attack: What was tried, in a few words, such as `read a file by import`.
        held: Whether the sandbox held.
        detail: What happened, for a person; of a missing sandbox how to install it.
    """

    attack: str
    held: bool
    detail: str = ""


class Runtime(Protocol):
    """What carries out calls of one type of tool."""

    def prepare(
        self, definition: ToolDefinition, arguments: Mapping[str, Any]
    ) -> PreparedCall:
        """Render the call; `arguments` passed the input check, defaults are in.

        Raises:
            SparknbError: `INVALID_INPUT` or `INVALID_TEMPLATE` with all problems,
                or `DENIED`; nothing was sent.
        """
        ...

    async def check(self, definition: ToolDefinition) -> Sequence[Problem]:
        """Give what is wrong with a valid definition, as only this runtime can see.

        For code its source, which is read and never run (ST-37, ST-40); where the
        runtime is not installed, one warning `CHECK_SKIPPED`.
        """
        ...

    async def prove(self) -> Sequence[Proof]:
        """Try attacks on this runtime's own walls; empty where it has none."""
        ...

    async def close(self) -> None:
        """Give back connections and processes."""
        ...


DOCUMENT_LIMIT = 32 * 1024 * 1024
"""Bytes of an API description, with all of its files (ST-99)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A document that was read by its address.

    Attributes:
        url: Where it was in the end, after all redirects.
    """

    url: str
    data: bytes = field(repr=False)


class Fetcher(Protocol):
    """What reads a document by its address, for imports."""

    async def fetch(self, url: str, *, seconds: float, limit: int) -> Fetched:
        """Give the whole document, read under the egress guard.

        Raises:
            SparknbError: `INVALID_INPUT` for an address that cannot be asked and for
                more than `limit` bytes; `DENIED`, `UNREACHABLE`, `HTTP_ERROR`, or
                `TIMEOUT` after `seconds`.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...
