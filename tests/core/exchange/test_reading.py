"""Export files read: what becomes a draft, what is skipped, what is refused."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparknb.core.errors import InvalidInputError
from sparknb.core.exchange import MAX_BYTES, ExportFile, Skip, read_export
from tests.core.exchange.files import entry, export_file, original_tool
from tests.core.validation.samples import CODE, HTTP, POST, VISION, changed
from tests.core.validation.test_properties import JSON, mutations
from tests.costs import cpu_seconds


def ids(file: ExportFile) -> list[str]:
    return [each.definition.id for each in file.entries]


def the_skip(file: ExportFile) -> Skip:
    (skip,) = file.skipped
    return skip


def told(file: ExportFile) -> list[tuple[str, str, str]]:
    (found,) = file.entries
    return [(p.code, p.path, p.level) for p in found.warnings]


# ------------------------------------------------------------------ what loads
@pytest.mark.parametrize("tool", [HTTP, POST, CODE, VISION], ids=lambda t: t["type"])
def test_a_tool_of_each_type_loads(tool: dict[str, Any]) -> None:
    file = read_export(export_file(tool))
    assert ids(file) == ["items"]
    assert file.skipped == []


def test_a_file_of_the_original_loads_with_equal_definitions() -> None:
    tool = changed(POST, timeoutMs=30000)
    text = json.dumps(
        {
            "formatVersion": 1,
            "exportedAt": "2026-01-01T00:00:00.000Z",
            "tools": [entry(tool, secretNames=["k"]), entry(original_tool("other"))],
        }
    )
    file = read_export(text)
    wires = [dict(each.definition.wire) for each in file.entries]
    assert wires == [tool, original_tool("other")]
    assert [each.warnings for each in file.entries] == [[], []]


def test_a_byte_order_mark_and_a_float_for_the_version_are_fine() -> None:
    text = "\ufeff" + export_file(HTTP).replace(
        '"formatVersion": 1', '"formatVersion": 1.0'
    )
    assert ids(read_export(text.encode())) == ["items"]


def test_an_empty_file_of_tools_is_no_mistake() -> None:
    assert read_export(export_file()) == ExportFile(entries=[], skipped=[], notices=[])


# ------------------------------------------------- rules that the original lacks
@pytest.mark.parametrize(
    ("paths", "code", "path"),
    [
        (
            {"spec__request__urlTemplate": "https://{{q}}.api.test/"},
            "INVALID_TEMPLATE",
            "spec.request.urlTemplate",
        ),
        (
            {"spec__request__urlTemplate": "https://api.test:{{q}}/"},
            "INVALID_TEMPLATE",
            "spec.request.urlTemplate",
        ),
        (
            {"spec__request__urlTemplate": "https://u:p@api.test/{{q}}"},
            "INVALID_TEMPLATE",
            "spec.request.urlTemplate",
        ),
        (
            {"spec__request__urlTemplate": "https://api.test/?api_key={{q}}"},
            "SENSITIVE_NAME",
            "spec.request.urlTemplate",
        ),
        ({"description": "too short   "}, "FIELD_VALUE", "description"),
        ({"id": "tools_list"}, "FIELD_VALUE", "id"),
        (
            {"inputSchema__properties__q": {"type": "string", "default": 5}},
            "FIELD_VALUE",
            "inputSchema.properties.q.default",
        ),
        (
            {"inputSchema__properties__q": {"type": "string", "enum": ["a", "a"]}},
            "FIELD_VALUE",
            "inputSchema.properties.q.enum.1",
        ),
        (
            {"spec__response__extract": [{"label": "x", "jsonPath": "$.a["}]},
            "INVALID_JSONPATH",
            "spec.response.extract.0.jsonPath",
        ),
        (
            {"spec__request__headers": [{"name": "Host", "valueTemplate": "x"}]},
            "HEADER_NOT_ALLOWED",
            "spec.request.headers.0.name",
        ),
        (
            {"spec__request__headers": [{"name": "X-Key", "secretRef": "k"}]},
            "SECRET_UNDECLARED",
            "spec.request.headers.0.secretRef",
        ),
    ],
)
def test_what_only_we_refuse_is_a_warning_of_a_draft_that_can_be_stored(
    paths: dict[str, Any], code: str, path: str
) -> None:
    file = read_export(export_file(changed(HTTP, **paths)))
    assert (code, path, "warning") in told(file)
    (found,) = file.entries
    again = json.loads(json.dumps(dict(found.definition.wire)))
    assert again == found.definition.wire


def test_a_repeated_key_in_a_definition_is_a_warning_at_its_place() -> None:
    text = export_file(HTTP).replace(
        '"title": "Items"', '"title": "Old", "title": "Items"'
    )
    file = read_export(text)
    assert ("FIELD_VALUE", "title", "warning") in told(file)
    assert file.entries[0].definition.title == "Items"


def test_an_older_form_of_a_reference_is_rewritten_with_a_notice() -> None:
    tool = changed(POST, secretRefs={"k": "keychain:items/k"})
    file = read_export(export_file(tool))
    assert told(file) == [("IMPORT_NOTICE", "secretRefs.k", "notice")]
    wire = file.entries[0].definition.wire
    assert wire["secretRefs"] == {"k": "custom-tool:items:k"}


# --------------------------------------------------------------- what is skipped
@pytest.mark.parametrize("kind", ["sql", "command", "prompt"])
def test_a_reserved_type_is_skipped_with_its_name(kind: str) -> None:
    file = read_export(export_file({"id": "db", "type": kind, "spec": {}}, HTTP))
    assert ids(file) == ["items"]
    skip = the_skip(file)
    assert (skip.id, skip.reason, skip.issues) == ("db", "NOT_IMPLEMENTED", ())
    assert kind in skip.message


def test_an_id_that_stands_twice_counts_once() -> None:
    file = read_export(export_file(HTTP, changed(HTTP, title="Other")))
    assert [each.definition.title for each in file.entries] == ["Items"]
    skip = the_skip(file)
    assert (skip.id, skip.reason, skip.position) == ("items", "ALREADY_EXISTS", 1)


def test_a_broken_tool_does_not_take_a_sound_one_of_the_same_id_with_it() -> None:
    file = read_export(export_file(changed(HTTP, title=""), HTTP))
    assert ids(file) == ["items"]
    assert the_skip(file).reason == "INVALID_DEFINITION"


def test_a_reference_to_the_secret_of_another_tool_is_skipped() -> None:
    tool = changed(POST, secretRefs={"k": "custom-tool:bank:k"})
    skip = the_skip(read_export(export_file(tool)))
    assert skip.reason == "INVALID_DEFINITION"
    assert [(p.code, p.path) for p in skip.issues] == [
        ("SECRET_REFERENCE", "secretRefs.k")
    ]
    assert "bank" not in json.dumps(skip.to_wire())


def test_all_problems_of_an_entry_are_listed() -> None:
    tool = changed(HTTP, id="Ab", title="", timeoutMs=5)
    skip = the_skip(read_export(export_file(tool)))
    assert [p.path for p in skip.issues] == ["id", "title", "timeoutMs"]
    assert "3 problems" in skip.message


KEY = "sk-" + "A1b2C3d4E5f6G7h8I9j0"


def test_a_literal_secret_is_skipped_and_shown_nowhere() -> None:
    tool = changed(HTTP, spec__request__urlTemplate=f"https://api.test/{KEY}/{{{{q}}}}")
    tool["id"] = KEY
    file = read_export(export_file(tool))
    skip = the_skip(file)
    assert "LITERAL_SECRET" in {p.code for p in skip.issues}
    assert KEY not in json.dumps(skip.to_wire())
    assert KEY not in repr(file)


@pytest.mark.parametrize(
    ("tool", "path"),
    [
        (None, "tools.0"),
        ([], "tools.0"),
        ({}, "tools.0.spec"),
        ({"spec": HTTP, "version": 3}, "tools.0.version"),
        ({"spec": HTTP, "secretNames": "k"}, "tools.0.secretNames"),
        ({"spec": HTTP, "secretNames": ["k"] * 17}, "tools.0.secretNames"),
        ({"spec": HTTP, "secretNames": ["a b"]}, "tools.0.secretNames.0"),
        ({"spec": HTTP, "secretNames": [None]}, "tools.0.secretNames.0"),
        ({"spec": HTTP, "secrets": {"k": KEY}}, "tools.0.secrets"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_entry_of_another_form_is_skipped_and_the_others_load(
    tool: Any, path: str
) -> None:
    other = entry(changed(HTTP, id="other"))
    file = read_export(json.dumps({"formatVersion": 1, "tools": [tool, other]}))
    assert ids(file) == ["other"]
    skip = the_skip(file)
    assert [p.path for p in skip.issues] == [path]
    assert KEY not in json.dumps(skip.to_wire())


def test_an_entry_with_two_definitions_is_skipped() -> None:
    text = export_file(HTTP).replace('{"spec":', '{"spec": {}, "spec":')
    skip = the_skip(read_export(text))
    assert [(p.code, p.path) for p in skip.issues] == [("FIELD_VALUE", "tools.0.spec")]


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\ud800b"])
def test_text_that_json_cannot_carry_skips_its_entry_only(text: str) -> None:
    both = export_file(HTTP, changed(HTTP, id="other", title="Other"))
    file = read_export(both.replace('"Items"', f'"{text}"'))
    assert ids(file) == ["other"]
    assert [p.path for p in the_skip(file).issues] == ["title"]


# ------------------------------------------------------------------------- cases
CASE = {"name": "finds", "input": {"q": "a"}, "expect": {"contains": "a"}}


def test_cases_come_with_their_tool() -> None:
    file = read_export(export_file(HTTP, **{"x-sparknb": {"cases": {"items": [CASE]}}}))
    assert list(file.entries[0].cases) == [CASE]
    assert file.notices == []


@pytest.mark.parametrize(
    "cases",
    [None, {}, [None], [{"name": "a"}], [CASE, CASE], [CASE | {"input": []}]],
)
def test_bad_cases_skip_their_tool_with_the_place(cases: Any) -> None:
    file = read_export(export_file(HTTP, **{"x-sparknb": {"cases": {"items": cases}}}))
    skip = the_skip(file)
    assert skip.reason == "INVALID_DEFINITION"
    assert {p.code for p in skip.issues} == {"CASE_INVALID"}
    assert all(p.path.startswith("cases") for p in skip.issues)


def test_cases_of_a_tool_that_is_not_there_are_told() -> None:
    more = {"x-sparknb": {"cases": {"gone": [CASE]}}}
    (notice,) = read_export(export_file(HTTP, **more)).notices
    assert (notice.code, notice.path) == ("IMPORT_NOTICE", "x-sparknb.cases.gone")


# ---------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ""),
        ("null", ""),
        ("[]", ""),
        ('"text"', ""),
        ("{", ""),
        ("<html>", ""),
        ("\0", ""),
        ("[" * 5000, ""),
        ('{"formatVersion": null, "tools": []}', "formatVersion"),
        ('{"tools": []}', "formatVersion"),
        ('{"formatVersion": 1}', "tools"),
        ('{"formatVersion": 2, "tools": []}', "formatVersion"),
        ('{"formatVersion": "1", "tools": []}', "formatVersion"),
        ('{"formatVersion": true, "tools": []}', "formatVersion"),
        ('{"formatVersion": 1, "tools": {}}', "tools"),
        ('{"formatVersion": 1, "tools": [], "more": 1}', "more"),
        ('{"formatVersion": 1, "tools": [], "tools": []}', "tools"),
        ('{"formatVersion": 1, "tools": [], "exportedAt": 5}', "exportedAt"),
        ('{"formatVersion": 1, "tools": [], "x-sparknb": []}', "x-sparknb"),
        ('{"formatVersion": 1, "tools": [], "x-sparknb": {"a": 1}}', "x-sparknb.a"),
        (
            '{"formatVersion": 1, "tools": [], "x-sparknb": {"cases": []}}',
            "x-sparknb.cases",
        ),
    ],
)
def test_what_is_no_export_file_is_refused_whole(text: str, path: str) -> None:
    with pytest.raises(InvalidInputError, match="no export file") as caught:
        read_export(text)
    assert [p.path for p in caught.value.problems] == [path]


def test_all_that_is_wrong_at_the_top_is_told_at_once() -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_export("{}")
    assert [p.path for p in caught.value.problems] == ["formatVersion", "tools"]
    with pytest.raises(InvalidInputError) as caught:
        read_export('{"formatVersion": 2, "exportedAt": "%s", "tools": 1}' % ("x" * 65))
    paths = [p.path for p in caught.value.problems]
    assert paths == ["formatVersion", "exportedAt", "tools"]


def test_more_than_a_hundred_tools_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="at most 100"):
        read_export(export_file(*[{}] * 101))
    assert len(read_export(export_file(*[{}] * 100)).skipped) == 100


@pytest.mark.parametrize(
    ("document", "hint"),
    [
        (HTTP, "sparknb draft"),
        ({"openapi": "3.1.0", "paths": {}}, "import openapi"),
        ({"swagger": "2.0", "paths": {}}, "import openapi"),
    ],
)
def test_another_kind_of_file_is_sent_where_it_belongs(
    document: dict[str, Any], hint: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_export(json.dumps(document))
    assert hint in str(caught.value.hint)


def test_more_than_32_mib_are_not_read_at_all() -> None:
    data = b'{"formatVersion": 1, "tools": []}' + b" " * MAX_BYTES

    def refuse() -> None:
        with pytest.raises(InvalidInputError, match="larger than"):
            read_export(data)

    assert cpu_seconds(refuse, runs=1) < 0.5


@pytest.mark.parametrize("piece", ["[],", "{},", '"\\"', '"[["'])
def test_a_text_of_very_many_objects_is_refused_before_it_is_read(piece: str) -> None:
    many = piece * (4_000_000 // len(piece))
    text = f'{{"formatVersion": 1, "tools": [{{"spec": [{many}0]}}]}}'

    def refuse() -> None:
        with pytest.raises(InvalidInputError):
            read_export(text)

    assert cpu_seconds(refuse, runs=1) < 2


def test_brackets_in_texts_are_no_objects() -> None:
    source = "[{" * 600_000
    tool = changed(CODE, spec__runtime__source=source)
    skip = the_skip(read_export(export_file(tool)))
    assert [p.path for p in skip.issues if p.level == "error"] == [
        "spec.runtime.source"
    ]


def test_a_file_of_nothing_but_mistakes_gives_a_short_answer() -> None:
    keys = {f"k{n}": 0 for n in range(30_000)}
    wide = {"id": "wide", **keys}
    deep = {"id": "deep", "spec": [[0] * 200 for _ in range(200)]}
    many = {"id": "many", **{f"k{n}": 0 for n in range(5000)}}
    listed = json.dumps(
        {"formatVersion": 1, "tools": [{"spec": t} for t in (wide, deep, many)]}
    )
    file = read_export(listed)
    assert [(s.id, s.reason) for s in file.skipped] == [
        ("wide", "INVALID_DEFINITION"),
        ("deep", "INVALID_DEFINITION"),
        ("many", "INVALID_DEFINITION"),
    ]
    assert [len(s.issues) for s in file.skipped] == [1, 1, 100]
    assert "5,0" in file.skipped[2].message
    around = json.dumps({"formatVersion": 1, "tools": [{"spec": HTTP, **keys}]})
    assert len(the_skip(read_export(around)).issues) == 100
    cases: dict[str, Any] = {"cases": {f"k{n}": [] for n in range(30_000)}}
    assert len(read_export(export_file(HTTP, **{"x-sparknb": cases})).notices) == 100
    with pytest.raises(InvalidInputError) as caught:
        read_export(export_file(HTTP, **keys))
    assert len(caught.value.problems) == 100


# -------------------------------------------------------------------- properties
@settings(max_examples=40)
@given(JSON)
def test_whatever_json_comes_it_is_read_or_refused(document: Any) -> None:
    for text in (
        json.dumps(document),
        json.dumps({"formatVersion": 1, "tools": document}),
    ):
        with contextlib.suppress(InvalidInputError):
            file = read_export(text)
            assert all(skip.reason and skip.message for skip in file.skipped)


@settings(max_examples=40)
@given(st.lists(mutations(), max_size=3))
def test_each_entry_is_imported_or_skipped_whatever_it_is(documents: list[Any]) -> None:
    try:
        text = json.dumps({"formatVersion": 1, "tools": [entry(d) for d in documents]})
        file = read_export(text)
    except InvalidInputError:
        return
    assert len(file.entries) + len(file.skipped) == len(documents)
    for each in file.entries:
        assert json.loads(json.dumps(dict(each.definition.wire))) is not None
