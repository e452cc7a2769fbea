"""The code spec."""

from typing import Any

import pytest

from sparknb.core.definitions import CodeSpec
from sparknb.core.validation import validate
from tests.core.validation.samples import CODE, GONE, changed, errors, warnings


def test_everything_but_the_source_is_filled() -> None:
    document = changed(CODE, spec={"runtime": {"source": "export default () => 1"}})
    report = validate(document)
    assert warnings(report) == []
    assert report.definition is not None
    assert report.definition.wire["spec"] == {
        "runtime": {
            "kind": "trusted-worker",
            "language": "typescript",
            "source": "export default () => 1",
            "entryExport": "default",
        },
        "trust": "trusted-local",
        "permissions": {"toolIds": []},
        "limits": {"memoryMb": 128, "maxOutputBytes": 1_048_576},
    }


def test_a_python_tool_is_read() -> None:
    document = changed(
        CODE,
        spec__permissions={"toolIds": ["other"]},
        spec__limits={"memoryMb": 64.0, "maxOutputBytes": 1024},
    )
    definition = validate(document).definition
    assert definition is not None
    assert definition.spec == CodeSpec(
        language="python",
        source="def run(q): return q",
        entry_export="run",
        tool_ids=("other",),
        memory_mb=64,
        max_output_bytes=1024,
    )


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("runtime", GONE, [("FIELD_MISSING", "runtime")]),
        ("runtime", 5, [("FIELD_TYPE", "runtime")]),
        ("runtime__kind", "worker", [("FIELD_VALUE", "runtime.kind")]),
        ("runtime__language", "ruby", [("FIELD_VALUE", "runtime.language")]),
        ("runtime__language", 5, [("FIELD_TYPE", "runtime.language")]),
        ("runtime__source", "", [("FIELD_VALUE", "runtime.source")]),
        ("runtime__source", "x" * 200_001, [("FIELD_VALUE", "runtime.source")]),
        ("runtime__source", GONE, [("FIELD_MISSING", "runtime.source")]),
        ("runtime__entryExport", "default", [("FIELD_VALUE", "runtime.entryExport")]),
        ("runtime__entryExport", 5, [("FIELD_TYPE", "runtime.entryExport")]),
        ("trust", "full", [("FIELD_VALUE", "trust")]),
        ("trust", True, [("FIELD_TYPE", "trust")]),
        ("permissions", {"net": True}, [("FIELD_UNKNOWN", "permissions.net")]),
        ("permissions", {"toolIds": {}}, [("FIELD_TYPE", "permissions.toolIds")]),
        (
            "permissions",
            {"toolIds": ["abc", "ABC", "abc", "items"]},
            [
                ("FIELD_VALUE", "permissions.toolIds.1"),
                ("FIELD_VALUE", "permissions.toolIds.2"),
                ("DEPENDENCY_SELF", "permissions.toolIds.3"),
            ],
        ),
        (
            "permissions",
            {"toolIds": [f"tool{n}" for n in range(33)]},
            [("FIELD_VALUE", "permissions.toolIds")],
        ),
        ("limits", {"memoryMb": 63}, [("FIELD_VALUE", "limits.memoryMb")]),
        ("limits", {"memoryMb": 513}, [("FIELD_VALUE", "limits.memoryMb")]),
        (
            "limits",
            {"maxOutputBytes": 10_485_761},
            [("FIELD_VALUE", "limits.maxOutputBytes")],
        ),
    ],
)
def test_the_spec_obeys_its_table(
    path: str, value: Any, expected: list[tuple[str, str]]
) -> None:
    report = validate(changed(CODE, **{f"spec__{path}": value}))
    assert errors(report) == [(code, f"spec.{where}") for code, where in expected]


def test_a_risk_of_any_level_is_the_authors_word() -> None:
    document = changed(CODE, risk="high-write", effect="send", idempotency="keyed")
    assert validate(document).valid
    assert errors(validate(changed(CODE, effect="send"))) == [
        ("RISK_INCONSISTENT", "effect")
    ]


def test_a_python_source_is_judged_with_the_parameters_of_the_tool() -> None:
    bad = "import os\n\ndef run(q, z):\n    return q\n"
    report = validate(changed(CODE, spec__runtime__source=bad))
    assert [(p.code, p.line) for p in report.errors] == [
        ("CODE_IMPORT", 1),
        ("CODE_ENTRY", 3),
    ]
    assert {p.path for p in report.errors} == {"spec.runtime.source"}


def test_a_broken_schema_hides_nothing_but_what_depends_on_it() -> None:
    document = changed(
        CODE,
        spec__runtime__source="import os\n\ndef run(z): return z",
        inputSchema__properties__q={"type": "text"},
    )
    assert [p.code for p in validate(document).errors] == ["FIELD_VALUE", "CODE_IMPORT"]


def test_typescript_is_left_to_its_parser() -> None:
    source = "import os\ndef run(z): return z"
    document = changed(
        CODE, spec__runtime__source=source, spec__runtime__language="typescript"
    )
    assert validate(document).problems == ()
