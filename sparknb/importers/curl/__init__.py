"""cURL: a pasted command becomes a definition (ST-91 to ST-98)."""

from sparknb.importers.curl.preview import Preview, free_id, read_curl

__all__ = ["Preview", "free_id", "read_curl"]
