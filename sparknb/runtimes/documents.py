"""Documents that a person names by their address, such as API descriptions (ST-99)."""

import asyncio

from sparknb.core.errors import (
    DeniedError,
    HttpStatusError,
    InvalidInputError,
    ToolTimeoutError,
)
from sparknb.core.protocols import Fetched
from sparknb.runtimes.egress import Egress
from sparknb.runtimes.redirects import Outgoing
from sparknb.runtimes.targets import parse_target

__all__ = ["DocumentFetcher"]

_ACCEPTED = "application/json, application/yaml, text/yaml, */*;q=0.5"
_MEBIBYTE = 1024 * 1024


class DocumentFetcher:
    """Reads whole documents under the guard; belongs to one event loop.

    Args:
        egress: The way out; it is closed together with this.
    """

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def fetch(self, url: str, *, seconds: float, limit: int) -> Fetched:
        """Give the whole document; redirects are followed, each under the guard.

        Raises:
            InvalidInputError: The address cannot be asked, or there is more than
                `limit` bytes.
            DeniedError: The guard refuses a host, an address or a redirect.
            UnreachableError: No answer, or a broken one.
            HttpStatusError: The answer is none of 200-299.
            ToolTimeoutError: It took longer than `seconds`.
        """
        target = parse_target(url)
        if target is None:
            raise InvalidInputError(
                "the address cannot be asked: it wants http(s), a host, and neither"
                " user name nor password",
                path="SOURCE",
            )
        headers = (
            ("User-Agent", self._egress.user_agent),
            ("Accept", _ACCEPTED),
            ("Accept-Encoding", "gzip, deflate"),
        )
        outgoing = Outgoing(method="GET", target=target, headers=headers)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._egress.fetch(
                    outgoing, allow_private=None, max_bytes=limit
                )
        except DeniedError as error:
            # What the guard says to the author of a tool does not help here.
            error.hint = "save the document yourself and import the file"
            raise
        except TimeoutError:
            raise ToolTimeoutError(
                f"{target.shown} did not answer whole within {seconds:g} s",
                path="SOURCE",
            ) from None
        if not answer.is_success:
            status = f"{answer.status} {answer.reason}".rstrip()
            raise HttpStatusError(
                f"HTTP {status} from {answer.target.shown}", path="SOURCE"
            )
        if answer.is_cut:
            raise InvalidInputError(
                f"the document at {answer.target.shown} has more than"
                f" {limit // _MEBIBYTE} MiB",
                path="SOURCE",
            )
        return Fetched(url=answer.target.url, data=answer.body)

    async def close(self) -> None:
        """Close all connections."""
        await self._egress.close()
