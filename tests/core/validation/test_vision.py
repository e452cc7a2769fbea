"""The vision spec and its fixed input."""

from typing import Any

import pytest

from sparknb.core.definitions import VisionSpec
from sparknb.core.validation import validate
from tests.core.validation.samples import GONE, VISION, changed, errors, warnings

P = "inputSchema.properties"


def test_absent_settings_are_filled_and_model_and_instructions_stay_unset() -> None:
    definition = validate(VISION).definition
    assert definition is not None
    assert definition.wire["spec"] == {
        "providerProfileId": "eyes",
        "maxImages": 4,
        "maxTokens": 4096,
        "autoRoute": {"enabled": True, "priority": 100},
        "exposeToAgent": False,
    }
    assert definition.spec == VisionSpec(provider_profile_id="eyes")


def test_given_settings_are_kept() -> None:
    spec = {
        "providerProfileId": "eyes",
        "model": "m",
        "instructions": "Tell what is there.",
        "maxImages": 1,
        "maxTokens": 128,
        "autoRoute": {"enabled": False, "priority": 0},
        "exposeToAgent": False,
    }
    definition = validate(changed(VISION, spec=spec)).definition
    assert definition is not None
    assert definition.wire["spec"] == spec
    assert definition.spec == VisionSpec(
        provider_profile_id="eyes",
        model="m",
        instructions="Tell what is there.",
        max_images=1,
        max_tokens=128,
        auto_route=False,
        priority=0,
    )


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("providerProfileId", GONE, "FIELD_MISSING"),
        ("providerProfileId", "", "FIELD_VALUE"),
        ("model", "m" * 201, "FIELD_VALUE"),
        ("instructions", "short", "FIELD_VALUE"),
        ("maxImages", 9, "FIELD_VALUE"),
        ("maxTokens", 127, "FIELD_VALUE"),
        ("autoRoute", True, "FIELD_TYPE"),
        ("exposeToAgent", True, "FIELD_VALUE"),
        ("exposeToAgent", 0, "FIELD_TYPE"),
        ("temperature", 1, "FIELD_UNKNOWN"),
    ],
)
def test_the_spec_obeys_its_table(key: str, value: Any, code: str) -> None:
    report = validate(changed(VISION, **{f"spec__{key}": value}))
    assert errors(report) == [(code, f"spec.{key}")]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("properties__images", GONE, [("FIELD_MISSING", f"{P}.images")]),
        ("properties__color", {"type": "string"}, [("FIELD_VALUE", f"{P}.color")]),
        (
            "properties__images",
            {"type": "string"},
            [("FIELD_VALUE", f"{P}.images.type")],
        ),
        (
            "properties__images",
            {"type": "array", "items": {"type": "integer"}},
            [("FIELD_VALUE", f"{P}.images.items.type")],
        ),
        (
            "properties__images",
            {"type": "array", "items": {"type": "text"}},
            [("FIELD_VALUE", f"{P}.images.items.type")],
        ),
        ("properties__images", 5, [("FIELD_TYPE", f"{P}.images")]),
        (
            "properties__question",
            {"type": "number"},
            [("FIELD_VALUE", f"{P}.question.type")],
        ),
        (
            "properties__question",
            {"type": "string", "default": "Who?"},
            [("FIELD_VALUE", f"{P}.question.default")],
        ),
        ("required", GONE, [("FIELD_VALUE", "inputSchema.required")]),
        ("required", [5], [("FIELD_TYPE", "inputSchema.required.0")]),
        (
            "required",
            ["images", "question"],
            [("FIELD_VALUE", "inputSchema.required.1")],
        ),
        ("properties", 5, [("FIELD_TYPE", P)]),
    ],
)
def test_the_input_is_fixed(
    path: str, value: Any, expected: list[tuple[str, str]]
) -> None:
    document = changed(VISION, **{f"inputSchema__{path}": value})
    if path == "properties__images" and value is GONE:
        document["inputSchema"]["required"] = []
        expected = [*expected, ("FIELD_VALUE", "inputSchema.required")]
    assert errors(validate(document)) == expected


def test_titles_and_descriptions_are_free_and_the_question_may_be_left_out() -> None:
    document = changed(VISION, inputSchema__properties__images__title="Pictures")
    assert validate(document).problems == ()
    assert validate(changed(VISION, inputSchema__properties__question=GONE)).valid


def test_risk_and_effect_are_fixed() -> None:
    document = changed(VISION, risk="low-write", effect="send", idempotency="keyed")
    assert errors(validate(document)) == [
        ("FIELD_VALUE", "risk"),
        ("FIELD_VALUE", "effect"),
    ]


def test_no_secrets_are_declared_or_written_out() -> None:
    key = "AKIA" + "ABCDEFGH12345678"
    document = changed(
        VISION,
        secretRefs={"k": "custom-tool:items:k"},
        spec__instructions=f"Use the key {key}.",
    )
    report = validate(document)
    assert errors(report) == [
        ("SECRET_NOT_ALLOWED", "secretRefs"),
        ("LITERAL_SECRET", "spec.instructions"),
    ]
    assert key not in str(report)
    imported = validate(changed(document, secretRefs=GONE), imported=True)
    assert warnings(imported) == [("LITERAL_SECRET", "spec.instructions")]
    assert imported.valid
