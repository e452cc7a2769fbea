"""What plain `pytest --nbval notebooks/` needs: a closed room for each notebook.

It has a home of its own, the example service's keys in the `env` keychain, no network
beyond loopback; `sparknb notebooks check` does the same.
"""

from sparknb.testing.plugin import (
    pytest_runtest_call,
    pytest_runtest_makereport,
    pytest_runtest_setup,
    pytest_runtest_teardown,
)

__all__ = [
    "pytest_runtest_call",
    "pytest_runtest_makereport",
    "pytest_runtest_setup",
    "pytest_runtest_teardown",
]
