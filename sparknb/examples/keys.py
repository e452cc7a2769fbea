"""The keys of the example service: published constants, secret from nobody."""

__all__ = ["API_KEY", "BEARER_TOKEN"]

API_KEY = "example-api-key-4f1d9c"
"""Value of the header `X-Api-Key`."""

BEARER_TOKEN = "example-bearer-token-7be2a0"  # noqa: S105 - published on purpose
"""Value behind `Authorization: Bearer`."""
