"""Export files written: what is in them, what stays out, and that they come back."""

import json
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparknb.core.errors import InvalidInputError
from sparknb.core.exchange import Export, Source, differences, read_export, write_export
from sparknb.core.exchange.braces import without_touching_braces
from sparknb.core.input_schema import read_input_schema
from sparknb.core.templates import parse_json_body
from sparknb.core.templates.placeholder import PLACEHOLDER
from sparknb.core.validation import validate
from tests.core.validation.samples import CODE, GONE, HTTP, POST, VISION, changed

CASE = {"name": "finds", "input": {"q": "a"}, "expect": {"contains": "a"}}


def source(document: Any, cases: Any = (), *, imported: bool = False) -> Source:
    """Give what the registry would hold of a definition."""
    report = validate(document, imported=imported)
    assert report.normalized is not None, report.errors
    return Source(version=1, definition=report.normalized, cases=cases)


def written(*documents: Any, **options: Any) -> Export:
    return write_export([source(d) for d in documents], **options)


# ------------------------------------------------------------------ what is in it
def test_a_file_holds_definitions_and_names_of_secrets_and_nothing_else() -> None:
    made = written(
        HTTP, changed(POST, id="other", secretRefs={"k": "custom-tool:other:k"})
    )
    assert json.loads(made.text) == made.payload
    assert list(made.payload) == ["formatVersion", "tools"]
    first, second = made.payload["tools"]
    assert list(first) == ["spec"]
    assert second["secretNames"] == ["k"]
    assert [t.id for t in made.tools] == ["items", "other"]


def test_equal_tools_give_an_equal_file() -> None:
    assert written(HTTP).text == written(HTTP).text
    assert written(HTTP).text.endswith("}\n")


def test_cases_are_added_on_demand_only() -> None:
    tool = source(HTTP, [CASE])
    assert "x-sparknb" not in write_export([tool]).payload
    payload = write_export([tool], with_cases=True).payload
    assert payload["x-sparknb"] == {"cases": {"items": [CASE]}}
    assert "x-sparknb" not in written(HTTP, with_cases=True).payload


def test_the_options_contradict_each_other() -> None:
    with pytest.raises(InvalidInputError, match="test cases"):
        written(HTTP, for_original=True, with_cases=True)


def test_a_file_holds_a_hundred_tools() -> None:
    tools = [source(changed(HTTP, id=f"tool_{n}")) for n in range(101)]
    with pytest.raises(InvalidInputError, match="at most 100 tools, not 101"):
        write_export(tools)
    assert len(write_export(tools[:100]).tools) == 100


def test_text_that_a_terminal_would_act_on_is_escaped_and_comes_back() -> None:
    title = "a\u202eb\u200b\x7fc\U000e0041d é 🙂"
    made = written(changed(HTTP, title=title))
    assert made.text.isascii() is False
    assert not any(c in made.text for c in "\u202e\u200b\x7f\U000e0041")
    assert read_export(made.text).entries[0].definition.title == title


def test_what_looks_like_a_secret_is_left_out_and_not_repeated() -> None:
    key = "hf_" + "a1B2" * 9
    tool = source(changed(HTTP, description=f"Finds items. {key}"), imported=True)
    kept = write_export([tool])
    assert [t.id for t in kept.tools] == ["items"], "descriptions are not scanned"
    url = f"https://api.test/{key}?q={{{{q}}}}"
    unclean = source(changed(HTTP, spec__request__urlTemplate=url), imported=True)
    made = write_export([unclean, source(changed(HTTP, id="clean"))])
    assert [t.id for t in made.tools] == ["clean"]
    (skip,) = made.left_out
    assert (skip.id, skip.reason) == ("items", "LITERAL_SECRET")
    assert key not in made.text + json.dumps(made.to_wire())


# --------------------------------------------------------------- for the original
def noted(document: Any) -> list[tuple[str, bool]]:
    return [(d.note.path, d.loads) for d in differences(source(document).definition)]


OPTIONAL = changed(HTTP, inputSchema__required=[])
FORM = changed(
    POST,
    spec__request__body={
        "mode": "form",
        "fields": [{"name": "a", "valueTemplate": "{{q}}"}],
    },
)
TEXT = changed(
    POST,
    spec__request__body={"mode": "text", "contentType": "a/b", "template": "{{q}}"},
)
LIST = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("document", "notes"),
    [
        (HTTP, []),
        (POST, []),
        (VISION, []),
        (CODE, [("spec.runtime.language", False)]),
        (changed(CODE, spec__runtime__language="typescript"), []),
        (FORM, [("spec.request.body.mode", False)]),
        (TEXT, [("spec.request.body.mode", False)]),
        (
            changed(
                HTTP,
                inputSchema__properties__q=LIST,
                spec__request__urlTemplate="https://api.test/?q={{q | csv}}",
            ),
            [("spec.request.urlTemplate", False)],
        ),
        (
            changed(
                HTTP,
                spec__response__extract=[
                    {"label": "a", "jsonPath": "$.a[0].b[*]"},
                    {"label": "b", "jsonPath": "$..a"},
                ],
            ),
            [("spec.response.extract.1.jsonPath", False)],
        ),
        (
            changed(
                HTTP, spec__request__urlTemplate="https://api.test/?page_token={{q}}"
            ),
            [("spec.request.urlTemplate", True)],
        ),
        (OPTIONAL, [("inputSchema.properties.q", True)]),
        (
            changed(OPTIONAL, inputSchema__properties__q__default="a"),
            [("inputSchema.properties.q.default", True)],
        ),
    ],
)
def test_what_the_original_does_not_do_alike_is_noted_at_its_place(
    document: Any, notes: list[tuple[str, bool]]
) -> None:
    assert noted(document) == notes
    assert all(
        d.note.code == "NOT_IN_ORIGINAL"
        for d in differences(source(document).definition)
    )


def test_for_the_original_what_it_cannot_load_is_left_out_and_listed() -> None:
    made = written(
        changed(OPTIONAL, id="optional"), changed(CODE, id="python"), for_original=True
    )
    assert [t.id for t in made.tools] == ["optional"]
    (skip,) = made.left_out
    assert (skip.id, skip.reason) == ("python", "NOT_IN_ORIGINAL")
    assert [t["spec"]["id"] for t in made.payload["tools"]] == ["optional"]


# ------------------------------------------------------------------------- braces
@pytest.mark.parametrize(
    ("template", "spelled"),
    [
        ('{"a":{"b":{{n}}}}', '{"a":{"b":{{n}} } }'),
        ('{"a":{"b":1}}', '{"a":{"b":1} }'),
        ('{"a":{"b":{}}}', '{"a":{"b":{} } }'),
        (
            '{"s":"{{{n}}}","t":{"u":{}}}',
            '{"s":"\\u007b{{n}}\\u007d","t":{"u":{} } }',
        ),
        ('{"s":"{{{n}}}"}', '{"s":"{{{n}}}"}'),
        ('{"q": {{n}}}', '{"q": {{n}}}'),
        ('{"s":"{{n}}{{n}}{a}"}', '{"s":"{{n}}{{n}}{a}"}'),
        ('{"s": "\\\\", "t": {"u": {}}}', '{"s": "\\\\", "t": {"u": {} } }'),
        ("{{ n }}", "{{ n }}"),
        ("[{},{}]", "[{},{}]"),
    ],
)
def test_no_braces_touch_but_those_of_placeholders(template: str, spelled: str) -> None:
    assert without_touching_braces(template) == spelled
    assert without_touching_braces(spelled) == spelled


TOKENS = st.sampled_from(["{{n}}", "{{ n }}"])
STRINGS = st.text(string.ascii_letters + '{} "\\\n', max_size=5).filter(
    lambda text: "{{" not in text and "}}" not in text
)


@st.composite
def string_tokens(draw: st.DrawFn) -> str:
    """Draw a JSON string, perhaps with a placeholder in it."""
    before, after = draw(STRINGS), draw(STRINGS)
    middle = draw(st.sampled_from(["", "{{n}}"]))
    text = json.dumps(before)[1:-1] + middle + json.dumps(after)[1:-1]
    return f'"{text}"' if middle or "}}" not in text + "{{" else '""'


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(inner, max_size=3)
    objects = items.map(
        lambda values: "{" + ",".join(f'"m{i}":{v}' for i, v in enumerate(values)) + "}"
    )
    return objects | items.map(lambda values: f"[{','.join(values)}]")


TEMPLATES = st.recursive(TOKENS | STRINGS.map(json.dumps) | string_tokens(), nested)
PARAMETERS = read_input_schema(HTTP["inputSchema"]).parameters


@settings(max_examples=60)
@given(TEMPLATES)
def test_a_respelled_template_means_the_same(template: str) -> None:
    before, problems = parse_json_body(template, None)
    if problems or before is None:
        return
    spelled = without_touching_braces(template)
    rest = PLACEHOLDER.sub("x", spelled)
    assert "{{" not in rest
    assert "}}" not in rest
    marked = [PLACEHOLDER.sub("0", t) for t in (template, spelled)]
    assert json.loads(marked[0], strict=False) == json.loads(marked[1], strict=False)


# --------------------------------------------------------------------- round trip
def respelled(text: str) -> str:
    """Import a file and export what came of it."""
    file = read_export(text)
    assert file.skipped == []
    sources = [
        Source(version=1, definition=e.definition.wire, cases=e.cases)
        for e in file.entries
    ]
    return write_export(sources, with_cases=True).text


@st.composite
def tools(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a valid definition of any type."""
    texts = st.text(min_size=1, max_size=20).filter(
        lambda t: t.strip() and "\0" not in t and t.isprintable()
    )
    base = draw(st.sampled_from([HTTP, POST, CODE, VISION, OPTIONAL, FORM, TEXT]))
    tool = changed(base, title=draw(texts), timeoutMs=draw(st.integers(1000, 300_000)))
    if tool["type"] == "http" and draw(st.booleans()):
        for key in ("risk", "effect", "idempotency"):
            tool = changed(tool, **{key: GONE})
    if tool["spec"].get("request", {}).get("body", {}).get("mode") == "json":
        template = (
            f'{{"q": {{{{q}}}}, "more": {{"x": {{"y": {draw(st.integers())}}}}}}}'
        )
        tool = changed(tool, spec__request__body__jsonTemplate=template)
    return tool


@settings(max_examples=30)
@given(tools())
def test_export_import_export_gives_an_equal_file(tool: dict[str, Any]) -> None:
    first = write_export([source(tool, [CASE])], with_cases=True).text
    assert respelled(first) == first
