"""A client of the shared example service."""

from collections.abc import Iterator

import httpx
import pytest

from sparknb.examples import API_KEY, ExampleService

SECONDS = 60  # reading the world's cities takes a while on a busy machine


@pytest.fixture(scope="session")
def client(example_service: ExampleService) -> Iterator[httpx.Client]:
    """Give a client without a key; it follows no redirects."""
    with httpx.Client(
        base_url=example_service.url, trust_env=False, timeout=SECONDS
    ) as made:
        yield made


@pytest.fixture(scope="session")
def shop(example_service: ExampleService) -> Iterator[httpx.Client]:
    """Give a client with the API key."""
    headers = {"X-Api-Key": API_KEY}
    with httpx.Client(
        base_url=example_service.url, headers=headers, trust_env=False, timeout=SECONDS
    ) as made:
        yield made
