"""What a program prints while it runs (ST-43)."""

__all__ = ["MOST_PRINTED", "Printed"]

MOST_PRINTED = 64 * 1024
"""Bytes of UTF-8 that are kept."""


class Printed:
    """Keeps what is printed, up to `MOST_PRINTED`, and drops the rest."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def take(self, piece: bytes) -> None:
        """Keep one piece, as far as there is room."""
        self._kept += piece[: max(0, MOST_PRINTED - len(self._kept))]

    @property
    def text(self) -> str:
        """All that was kept."""
        return self._kept.decode("utf-8", "ignore")
