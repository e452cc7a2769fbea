"""Which images are let through, told by their first bytes and nothing else."""

__all__ = ["ACCEPTED", "FORMATS", "media_type"]

FORMATS = "PNG, JPEG, WebP or GIF"
"""What an image may be, for people."""

ACCEPTED = frozenset(
    {"image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"}
)
"""What a data URL may say that it holds; `image/jpg` is a common slip."""

_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_RIFF, _WEBP = b"RIFF", b"WEBP"


def media_type(data: bytes) -> str | None:
    """Give the media type of an image, None for anything else."""
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    is_webp = data[:4] == _RIFF and data[8:12] == _WEBP
    return "image/webp" if is_webp else None
