"""The lessons there are: which notebooks, which keys they use."""

from dataclasses import dataclass

__all__ = ["LESSONS", "Lesson", "example_secrets"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One lesson.

    Attributes:
        number: As in the name of its notebook, `01_first_tool.ipynb`.
        keys: Secrets of its tools that the example service's API key is the value
            of, as (tool id, secret name).
    """

    number: int
    notebook: str
    title: str
    keys: tuple[tuple[str, str], ...] = ()


LESSONS = (
    Lesson(
        number=1,
        notebook="01_first_tool.ipynb",
        title="Your first tool",
        keys=(("order_map", "api_key"),),
    ),
    Lesson(
        number=2,
        notebook="02_curl_and_openapi.ipynb",
        title="From curl and OpenAPI",
        keys=(("my_account", "x_api_key_secret"),),
    ),
    Lesson(
        number=3,
        notebook="03_risk_and_approval.ipynb",
        title="Risk and approval",
        keys=(
            ("place_order", "api_key"),
            ("cancel_order", "api_key"),
            ("pay_order", "api_key"),
        ),
    ),
    Lesson(
        number=4,
        notebook="04_secrets.ipynb",
        title="Secrets",
        keys=(
            ("who_am_i", "api_key"),
            ("mirror", "api_key"),
            ("my_orders", "api_key"),
        ),
    ),
    Lesson(
        number=5,
        notebook="05_versions_and_rollback.ipynb",
        title="Versions and rollback",
    ),
    Lesson(
        number=6,
        notebook="06_code_tools.ipynb",
        title="Code tools",
    ),
)


def example_secrets() -> dict[str, str]:
    """Give the variables that hold the lessons' keys, for the `env` keychain.

    The keys are constants that the example service publishes: secret from nobody.
    """
    from sparknb.examples.keys import API_KEY
    from sparknb.keychain.env import variable_name

    return {
        variable_name(f"custom-tool:{tool}:{name}"): API_KEY
        for lesson in LESSONS
        for tool, name in lesson.keys
    }
