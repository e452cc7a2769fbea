"""What the example service is known by: its name, and keys secret from nobody."""

__all__ = ["API_KEY", "BEARER_TOKEN", "SERVICE_NAME"]

SERVICE_NAME = "sparknb example service"

API_KEY = "example-api-key-4f1d9c"
"""Value of the header `X-Api-Key`."""

BEARER_TOKEN = "example-bearer-token-7be2a0"  # noqa: S105 - published on purpose
"""Value behind `Authorization: Bearer`."""
